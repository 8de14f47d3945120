#include "engine/reference/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace tenon::engine {
namespace {

/// A 16-bit IEEE format: sign, exponent, mantissa.
struct Format {
    int mantissa_bits;
    int bias;

    constexpr uint32_t infinity() const { return static_cast<uint32_t>(2 * bias + 1) << mantissa_bits; }
};

constexpr Format kHalf{10, 15};
constexpr Format kBfloat16{7, 127};
constexpr uint64_t kDoubleInfinity = uint64_t{0x7ff} << 52;

uint64_t shifted_to_even(uint64_t value, int shift) {
    const uint64_t half = uint64_t{1} << (shift - 1);
    const bool odd = (value >> shift & 1) != 0;
    return (value + half - (odd ? 0 : 1)) >> shift;
}

uint16_t encode(double value, Format format) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint32_t sign = static_cast<uint32_t>(bits >> 63) << 15;
    const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
    const auto signed_bits = [&](uint32_t rest) { return static_cast<uint16_t>(sign | rest); };
    if (magnitude > kDoubleInfinity) return signed_bits(format.infinity() | 1u << (format.mantissa_bits - 1));
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent > format.bias) return signed_bits(format.infinity());

    const int denormal_steps = std::max(0, 1 - format.bias - exponent);
    const int shift = 52 - format.mantissa_bits + denormal_steps;
    if (shift > 53) return signed_bits(0);  // less than half of the smallest denormal
    const uint64_t significand = (magnitude & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
    const uint32_t rounded = static_cast<uint32_t>(shifted_to_even(significand, shift));
    // The leading one of a normal number adds 1 to the exponent field, and so does a carry: into the first normal
    // number, into the next binade, or into infinity.
    if (denormal_steps > 0) return signed_bits(rounded);
    return signed_bits((static_cast<uint32_t>(exponent + format.bias - 1) << format.mantissa_bits) + rounded);
}

double decode(uint16_t bits, Format format) {
    const uint32_t magnitude = bits & 0x7fffu;
    const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    if (magnitude > format.infinity()) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    if (magnitude == format.infinity()) return sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
    const uint64_t wide = static_cast<uint64_t>(exponent - format.bias + 1023) << 52 |
                          static_cast<uint64_t>(mantissa) << (52 - format.mantissa_bits);
    return sign * std::bit_cast<double>(wide);
}

template <typename T>
T element(const void* memory, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(memory) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

template <typename T>
void put(void* memory, int64_t index, T value) {
    std::memcpy(static_cast<std::byte*>(memory) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

double half_value(uint16_t bits) { return decode(bits, kHalf); }
double bfloat16_value(uint16_t bits) { return decode(bits, kBfloat16); }
uint16_t half_bits(double value) { return encode(value, kHalf); }
uint16_t bfloat16_bits(double value) { return encode(value, kBfloat16); }

int64_t lowest_integer(DataType type) {
    switch (type) {
        case DataType::I8:
            return INT8_MIN;
        case DataType::I32:
            return INT32_MIN;
        case DataType::I64:
            return INT64_MIN;
        default:
            return 0;
    }
}

int64_t highest_integer(DataType type) {
    switch (type) {
        case DataType::I8:
            return INT8_MAX;
        case DataType::U8:
            return UINT8_MAX;
        case DataType::I32:
            return INT32_MAX;
        case DataType::I64:
            return INT64_MAX;
        default:
            return 1;
    }
}

int64_t to_integer(double value) {
    if (std::isnan(value)) return 0;
    const double rounded = std::nearbyint(value);
    if (rounded >= 0x1p63) return INT64_MAX;
    if (rounded <= -0x1p63) return INT64_MIN;
    return static_cast<int64_t>(rounded);
}

int64_t wrapped(int64_t value, DataType type) {
    switch (type) {
        case DataType::I8:
            return static_cast<int8_t>(value);
        case DataType::U8:
            return static_cast<uint8_t>(value);
        case DataType::I32:
            return static_cast<int32_t>(value);
        case DataType::Bool:
            return value != 0 ? 1 : 0;
        default:
            return value;
    }
}

double load(const void* memory, DataType type, int64_t index) {
    switch (type) {
        case DataType::F16:
            return half_value(element<uint16_t>(memory, index));
        case DataType::BF16:
            return bfloat16_value(element<uint16_t>(memory, index));
        case DataType::F32:
            return element<float>(memory, index);
        case DataType::F64:
            return element<double>(memory, index);
        default:
            return static_cast<double>(load_integer(memory, type, index));
    }
}

int64_t load_integer(const void* memory, DataType type, int64_t index) {
    switch (type) {
        case DataType::I8:
            return element<int8_t>(memory, index);
        case DataType::U8:
            return element<uint8_t>(memory, index);
        case DataType::I32:
            return element<int32_t>(memory, index);
        case DataType::I64:
            return element<int64_t>(memory, index);
        case DataType::Bool:
            return element<uint8_t>(memory, index) != 0 ? 1 : 0;
        default:
            return to_integer(load(memory, type, index));
    }
}

void store(void* memory, DataType type, int64_t index, double value) {
    switch (type) {
        case DataType::F16:
            return put(memory, index, half_bits(value));
        case DataType::BF16:
            return put(memory, index, bfloat16_bits(value));
        case DataType::F32:
            return put(memory, index, static_cast<float>(value));
        case DataType::F64:
            return put(memory, index, value);
        case DataType::Bool:
            return put(memory, index, static_cast<uint8_t>(value != 0.0));
        default:
            break;
    }
    store_integer(memory, type, index, std::clamp(to_integer(value), lowest_integer(type), highest_integer(type)));
}

void store_integer(void* memory, DataType type, int64_t index, int64_t value) {
    switch (type) {
        case DataType::I8:
        case DataType::U8:
        case DataType::Bool:
            return put(memory, index, static_cast<uint8_t>(wrapped(value, type)));
        case DataType::I32:
            return put(memory, index, static_cast<int32_t>(value));
        case DataType::I64:
            return put(memory, index, value);
        case DataType::F32:
            return put(memory, index, static_cast<float>(value));
        default:
            store(memory, type, index, static_cast<double>(value));
    }
}

double rounded(DataType type, double value) {
    std::byte element[8]{};
    store(element, type, 0, value);
    return load(element, type, 0);
}

}  // namespace tenon::engine
