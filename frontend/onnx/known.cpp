#include "frontend/onnx/known.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::onnx {
namespace {

template <typename T>
T element(const Known& known, size_t i) {
    T value;
    std::memcpy(&value, known.bytes->data() + i * sizeof(T), sizeof(T));
    return value;
}

/// Calls `visit(number)` for every element, as the C++ type of its kind. Nothing for F16 and BF16.
template <typename Visit>
void for_each(const Known& known, Visit visit) {
    const auto walk = [&](auto sample) {
        for (size_t i = 0; i < known.bytes->size() / sizeof sample; ++i) visit(element<decltype(sample)>(known, i));
    };
    switch (known.type) {
        case DataType::F64:
            return walk(double{});
        case DataType::F32:
            return walk(float{});
        case DataType::I64:
            return walk(int64_t{});
        case DataType::I32:
            return walk(int32_t{});
        case DataType::I8:
            return walk(int8_t{});
        case DataType::U8:
        case DataType::Bool:
            return walk(uint8_t{});
        case DataType::F16:
        case DataType::BF16:
            break;
    }
}

/// The number that 16 bits of a floating type with `fraction_bits` stand for.
double small_float(uint16_t bits, int fraction_bits) {
    const int exponent_bits = 15 - fraction_bits;
    const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    const double fraction = std::ldexp(bits & ((1 << fraction_bits) - 1), -fraction_bits);
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1) return fraction != 0.0 ? std::nan("") : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias));
}

/// The inverse: nearest, halves to even; too large becomes infinity.
uint16_t small_float_bits(double value, int fraction_bits) {
    const int exponent_bits = 15 - fraction_bits, least_exponent = 2 - (1 << (exponent_bits - 1));
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const auto infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
    if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | (1 << (fraction_bits - 1)));
    const double size = std::fabs(value);
    if (std::isinf(value) || size == 0.0) return static_cast<uint16_t>(sign | (size == 0.0 ? 0 : infinity));
    const int exponent = std::max(std::ilogb(size), least_exponent);
    if (exponent > -least_exponent + 1) return sign | infinity;
    // The leading one of a normal number adds 1 to the exponent field, and so does a carry out of the fraction.
    const double units = std::nearbyint(std::ldexp(size, fraction_bits - exponent));
    const auto bits = ((exponent - least_exponent) << fraction_bits) + static_cast<int>(units);
    return static_cast<uint16_t>(sign | std::min<int>(bits, infinity));
}

template <typename T>
Known made(DataType type, Dims dims, const std::vector<T>& values) {
    auto bytes = std::make_shared<Bytes>(values.size() * static_cast<size_t>(bytes_of(type)));
    const auto write = [&](auto sample) {
        using Element = decltype(sample);
        for (size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<Element>(values[i]);
            std::memcpy(bytes->data() + i * sizeof value, &value, sizeof value);
        }
    };
    if (type == DataType::F64) write(double{});
    if (type == DataType::F32) write(float{});
    if (type == DataType::I64) write(int64_t{});
    if (type == DataType::I32) write(int32_t{});
    if (type == DataType::I8) write(int8_t{});
    if (type == DataType::U8) write(uint8_t{});
    if (type == DataType::Bool) {
        for (size_t i = 0; i < values.size(); ++i) (*bytes)[i] = values[i] != T{} ? std::byte{1} : std::byte{0};
    }
    if (type == DataType::F16 || type == DataType::BF16) {
        for (size_t i = 0; i < values.size(); ++i) {
            const uint16_t bits = small_float_bits(static_cast<double>(values[i]), type == DataType::F16 ? 10 : 7);
            std::memcpy(bytes->data() + i * sizeof bits, &bits, sizeof bits);
        }
    }
    return {type, std::move(dims), std::move(bytes)};
}

}  // namespace

Known known_integers(DataType type, Dims dims, const std::vector<int64_t>& values) {
    return made(type, std::move(dims), values);
}

Known known_numbers(DataType type, Dims dims, const std::vector<double>& values) {
    return made(type, std::move(dims), values);
}

std::vector<int64_t> integers_of(const Known& known) {
    std::vector<int64_t> values;
    for_each(known, [&](auto number) {
        if constexpr (std::is_floating_point_v<decltype(number)>) {
            constexpr double kLimit = 9.2e18;  // inside the range of int64
            const double wide = std::isnan(number) ? 0.0 : static_cast<double>(number);
            values.push_back(static_cast<int64_t>(std::fmin(std::fmax(wide, -kLimit), kLimit)));
        } else {
            values.push_back(static_cast<int64_t>(number));
        }
    });
    values.resize(known.bytes->size() / static_cast<size_t>(bytes_of(known.type)));
    return values;
}

std::vector<double> numbers_of(const Known& known) {
    std::vector<double> values;
    for_each(known, [&](auto number) { values.push_back(static_cast<double>(number)); });
    if (known.type == DataType::F16 || known.type == DataType::BF16) {
        for (size_t i = 0; i < known.bytes->size() / 2; ++i)
            values.push_back(small_float(element<uint16_t>(known, i), known.type == DataType::F16 ? 10 : 7));
    }
    return values;
}

}  // namespace tenon::onnx
