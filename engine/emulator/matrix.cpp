#include "engine/emulator/matrix.h"

#include <bit>
#include <cstring>

namespace tenon::engine {
namespace {

constexpr uint32_t kRows = 16, kColumns = 8;

/// Operands as plain matrices; at most 32 deep.
template <typename T>
struct Operands {
    T a[kRows][32];
    T b[32][kColumns];
};

/// Puts the elements of every lane's registers in their places (PTX manual, matrix fragments for mma.m16n8k*): register
/// r of a holds rows lane / 4 and, if r is odd, 8 below; its `per_register` elements lie from per_register * (lane % 4)
/// on along k, in the second half of k for r >= 2. Register r of b is the same along k for column lane / 4.
template <typename T, typename Convert>
void unpack(const LaneRecords& records, uint32_t depth, uint32_t per_register, Convert convert, Operands<T>& operands) {
    const uint32_t bits = 32 / per_register, halves = depth / (4 * per_register);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        for (uint32_t r = 0; r < 2 * halves; ++r) {
            for (uint32_t e = 0; e < per_register; ++e) {
                const uint32_t k = r / 2 * (depth / 2) + lane % 4 * per_register + e;
                operands.a[lane / 4 + r % 2 * 8][k] = convert(records[lane].a[r] >> (e * bits), false);
            }
        }
        for (uint32_t r = 0; r < halves; ++r) {
            for (uint32_t e = 0; e < per_register; ++e) {
                const uint32_t k = r * (depth / 2) + lane % 4 * per_register + e;
                operands.b[k][lane / 4] = convert(records[lane].b[r] >> (e * bits), true);
            }
        }
    }
}

/// Element i of c in a lane: rows lane / 4 (i < 2) and 8 below, columns 2 * (lane % 4) and the next.
template <typename Sum, typename T, typename Step>
void accumulate(LaneRecords& records, uint32_t depth, const Operands<T>& operands, Step step) {
    Sum sums[kRows][kColumns];
    const auto place = [&](uint32_t lane, uint32_t i) -> Sum& {
        return sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
    };
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        for (uint32_t i = 0; i < 4; ++i) place(lane, i) = std::bit_cast<Sum>(records[lane].c[i]);
    }
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t k = 0; k < depth; ++k) {
            for (uint32_t column = 0; column < kColumns; ++column)
                sums[row][column] = step(sums[row][column], operands.a[row][k], operands.b[k][column]);
        }
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        for (uint32_t i = 0; i < 4; ++i) records[lane].c[i] = std::bit_cast<uint32_t>(place(lane, i));
    }
}

template <typename Convert>
void multiply_floats(LaneRecords& records, uint32_t depth, uint32_t per_register, Convert convert) {
    Operands<float> operands;
    unpack(
        records, depth, per_register, [&](uint32_t bits, bool) { return convert(bits); }, operands);
    // A product of two operands is exact in a float, so this is a fused multiply-add.
    accumulate<float>(records, depth, operands, [](float sum, float a, float b) { return sum + a * b; });
    for (LaneRecord& record : records) {
        for (uint32_t& c : record.c) c = std::bit_cast<uint32_t>(with_canonical_nan(std::bit_cast<float>(c)));
    }
}

void multiply_bytes(LaneRecords& records, bool a_is_signed, bool b_is_signed) {
    Operands<int32_t> operands;
    const auto convert = [&](uint32_t bits, bool is_b) {
        const auto byte = static_cast<uint8_t>(bits);
        return (is_b ? b_is_signed : a_is_signed) ? static_cast<int32_t>(static_cast<int8_t>(byte)) : byte;
    };
    unpack(records, 32, 4, convert, operands);
    accumulate<uint32_t>(records, 32, operands,
                         [](uint32_t sum, int32_t a, int32_t b) { return sum + static_cast<uint32_t>(a * b); });
}

}  // namespace

float half_operand(uint32_t bits) {
    // A half's exponent lies 112 below a float's; the multiplication also puts subnormals right.
    const uint32_t magnitude = (bits & 0x7fff) << 13;
    const uint32_t sign = (bits & 0x8000) << 16;
    if (magnitude >= 0x0f800000) return std::bit_cast<float>(sign | 0x70000000 | magnitude);  // infinite or NaN
    return std::bit_cast<float>(std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f) | sign);
}

float bfloat16_operand(uint32_t bits) { return std::bit_cast<float>(bits << 16); }

float tf32_operand(uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }

float with_canonical_nan(float value) { return value == value ? value : std::bit_cast<float>(0x7fffffff); }

void multiply_fragments(EmulatedProduct product, LaneRecords& records) {
    switch (product) {
        case EmulatedProduct::Half:
            return multiply_floats(records, 16, 2, half_operand);
        case EmulatedProduct::HalfK8:
            return multiply_floats(records, 8, 2, half_operand);
        case EmulatedProduct::Bfloat16:
            return multiply_floats(records, 16, 2, bfloat16_operand);
        case EmulatedProduct::Tf32:
            return multiply_floats(records, 8, 1, tf32_operand);
        case EmulatedProduct::SignedSigned:
            return multiply_bytes(records, true, true);
        case EmulatedProduct::SignedUnsigned:
            return multiply_bytes(records, true, false);
        case EmulatedProduct::UnsignedSigned:
            return multiply_bytes(records, false, true);
        case EmulatedProduct::UnsignedUnsigned:
            return multiply_bytes(records, false, false);
    }
}

}  // namespace tenon::engine
