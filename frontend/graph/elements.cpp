#include "frontend/graph/elements.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

/// A floating type of 16 bits: stored mantissa bits, and the exponent of the smallest normal number.
struct Narrow {
    int mantissa;
    int least_exponent;
};

Narrow narrow(DataType type) { return type == DataType::F16 ? Narrow{10, -14} : Narrow{7, -126}; }

uint16_t narrow_bits(double value, Narrow form) {
    const uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
    const uint32_t infinity = 0x7fffu & ~((1u << form.mantissa) - 1u);
    if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | (1u << (form.mantissa - 1)));
    const double size = std::fabs(value);
    if (std::isinf(value) || size >= 0x1p+128) return static_cast<uint16_t>(sign | infinity);
    if (size == 0.0) return static_cast<uint16_t>(sign);
    const int exponent = std::max(std::ilogb(size), form.least_exponent);
    // In units of the last place; a carry into the next exponent is the right result.
    const double units = std::nearbyint(std::ldexp(size, form.mantissa - exponent));
    const int64_t bits = (int64_t{exponent - form.least_exponent} << form.mantissa) + static_cast<int64_t>(units);
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::min<int64_t>(bits, infinity)));
}

double narrow_value(uint16_t bits, Narrow form) {
    const int field = (bits & 0x7fff) >> form.mantissa;
    const int mantissa = bits & ((1 << form.mantissa) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (field == 0x7fff >> form.mantissa)
        return sign * (mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan(""));
    if (field == 0) return sign * std::ldexp(mantissa, form.least_exponent - form.mantissa);
    return sign * std::ldexp((1 << form.mantissa) + mantissa, form.least_exponent + field - 1 - form.mantissa);
}

template <typename T>
void put(void* memory, int64_t index, T value) {
    std::memcpy(static_cast<char*>(memory) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

template <typename T>
T get(const void* memory, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(memory) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

struct Range {
    int64_t least, greatest;
};

Range range(DataType type) {
    if (type == DataType::Bool) return {0, 1};
    if (type == DataType::I8) return {INT8_MIN, INT8_MAX};
    if (type == DataType::U8) return {0, UINT8_MAX};
    if (type == DataType::I32) return {INT32_MIN, INT32_MAX};
    return {INT64_MIN, INT64_MAX};
}

int64_t saturated(double value, Range range) {
    if (std::isnan(value)) return 0;
    const double whole = std::nearbyint(value);
    if (whole <= static_cast<double>(range.least)) return range.least;
    if (whole >= static_cast<double>(range.greatest)) return range.greatest;
    return static_cast<int64_t>(whole);
}

}  // namespace

void store_element(void* memory, DataType type, int64_t index, double value) {
    if (type == DataType::F64) return put(memory, index, value);
    if (type == DataType::F32) return put(memory, index, static_cast<float>(value));
    if (is_floating(type)) return put(memory, index, narrow_bits(value, narrow(type)));
    if (type == DataType::Bool) return put<uint8_t>(memory, index, value != 0.0);
    store_whole_element(memory, type, index, saturated(value, range(type)));
}

double load_element(const void* memory, DataType type, int64_t index) {
    if (type == DataType::F64) return get<double>(memory, index);
    if (type == DataType::F32) return static_cast<double>(get<float>(memory, index));
    if (is_floating(type)) return narrow_value(get<uint16_t>(memory, index), narrow(type));
    return static_cast<double>(load_whole_element(memory, type, index));
}

bool fits(DataType type, int64_t value) { return value >= range(type).least && value <= range(type).greatest; }

void store_whole_element(void* memory, DataType type, int64_t index, int64_t value) {
    if (type == DataType::I64) return put(memory, index, value);
    if (type == DataType::I32) return put(memory, index, static_cast<int32_t>(value));
    put(memory, index, static_cast<uint8_t>(value));
}

int64_t load_whole_element(const void* memory, DataType type, int64_t index) {
    if (type == DataType::I64) return get<int64_t>(memory, index);
    if (type == DataType::I32) return get<int32_t>(memory, index);
    if (type == DataType::I8) return get<int8_t>(memory, index);
    return get<uint8_t>(memory, index);
}

}  // namespace tenon
