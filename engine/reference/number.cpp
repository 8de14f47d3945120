#include "engine/reference/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::engine {
namespace {

/// To `digits` significant bits, smallest exponent `lowest`, infinity from `limit` on. Ties to even.
Number round_binary(Number value, int digits, int lowest, Number limit) {
    if (value == 0 || std::isnan(value) || std::isinf(value)) return value;
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    const int last_place = std::max(exponent - digits, lowest);
    const Number result = std::ldexp(std::nearbyint(std::ldexp(value, -last_place)), last_place);
    return std::fabs(result) >= limit ? std::copysign(static_cast<Number>(INFINITY), value) : result;
}

Number from_half_bits(uint16_t bits) {
    const int exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
    Number value = std::ldexp(static_cast<Number>(mantissa + 1024), exponent - 25);
    if (exponent == 0) value = std::ldexp(static_cast<Number>(mantissa), -24);
    if (exponent == 31) value = mantissa != 0 ? static_cast<Number>(NAN) : static_cast<Number>(INFINITY);
    return (bits & 0x8000) != 0 ? -value : value;
}

uint16_t to_half_bits(Number value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return 0x7e00;
    const Number magnitude = std::fabs(value);
    if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < std::ldexp(static_cast<Number>(1), -14))
        return static_cast<uint16_t>(sign | static_cast<int>(std::ldexp(magnitude, 24)));
    int exponent = 0;
    const Number fraction = std::frexp(magnitude, &exponent);
    return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + static_cast<int>(std::ldexp(fraction, 11)) - 1024));
}

template <typename T>
Number read(const void* memory, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(memory) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return static_cast<Number>(value);
}

template <typename T>
void write(void* memory, int64_t index, Number value) {
    const T typed = static_cast<T>(value);
    std::memcpy(static_cast<char*>(memory) + index * static_cast<int64_t>(sizeof(T)), &typed, sizeof(T));
}

struct Limits {
    Number lowest, highest;
};

Limits limits(DataType type) {
    switch (type) {
        case DataType::I8:
            return {-128, 127};
        case DataType::U8:
            return {0, 255};
        case DataType::I32:
            return {INT32_MIN, INT32_MAX};
        default:
            return {static_cast<Number>(INT64_MIN), static_cast<Number>(INT64_MAX)};
    }
}

}  // namespace

Number load(const void* memory, DataType type, int64_t index) {
    switch (type) {
        case DataType::F16:
            return from_half_bits(static_cast<uint16_t>(read<uint16_t>(memory, index)));
        case DataType::BF16: {
            const uint32_t bits = static_cast<uint32_t>(read<uint16_t>(memory, index)) << 16;
            float value;
            std::memcpy(&value, &bits, sizeof value);
            return value;
        }
        case DataType::F32:
            return read<float>(memory, index);
        case DataType::F64:
            return read<double>(memory, index);
        case DataType::I8:
            return read<int8_t>(memory, index);
        case DataType::U8:
            return read<uint8_t>(memory, index);
        case DataType::Bool:
            return read<uint8_t>(memory, index) != 0 ? 1 : 0;
        case DataType::I32:
            return read<int32_t>(memory, index);
        case DataType::I64:
            return read<int64_t>(memory, index);
    }
    return 0;
}

void store(void* memory, DataType type, int64_t index, Number value) {
    switch (type) {
        case DataType::F16:
            return write<uint16_t>(memory, index, to_half_bits(value));
        case DataType::BF16: {
            const float narrow = static_cast<float>(value);
            uint32_t bits;
            std::memcpy(&bits, &narrow, sizeof bits);
            return write<uint16_t>(memory, index, std::isnan(value) ? 0x7fc0 : bits >> 16);
        }
        case DataType::F32:
            return write<float>(memory, index, value);
        case DataType::F64:
            return write<double>(memory, index, value);
        case DataType::I8:
            return write<int8_t>(memory, index, value);
        case DataType::U8:
        case DataType::Bool:
            return write<uint8_t>(memory, index, value);
        case DataType::I32:
            return write<int32_t>(memory, index, value);
        case DataType::I64:
            return write<int64_t>(memory, index, value);
    }
}

Number rounded(DataType type, Number value) {
    switch (type) {
        case DataType::F16:
            return round_binary(value, 11, -24, 65536);
        case DataType::BF16:
            return round_binary(value, 8, -133, std::ldexp(static_cast<Number>(1), 128));
        case DataType::F32:
            return static_cast<float>(value);
        case DataType::F64:
            return static_cast<double>(value);
        case DataType::Bool:
            return value != 0 ? 1 : 0;
        default:
            break;
    }
    if (std::isnan(value)) return 0;
    const Limits range = limits(type);
    const Number nearest = std::nearbyint(value);
    return nearest < range.lowest ? range.lowest : nearest > range.highest ? range.highest : nearest;
}

Number wrapped(DataType type, Number value) {
    const uint64_t bits = value < 0 ? ~static_cast<uint64_t>(-(value + 1)) : static_cast<uint64_t>(value);
    switch (type) {
        case DataType::I8:
            return static_cast<int8_t>(bits);
        case DataType::U8:
            return static_cast<uint8_t>(bits);
        case DataType::I32:
            return static_cast<int32_t>(bits);
        default:
            return static_cast<int64_t>(bits);
    }
}

}  // namespace tenon::engine
