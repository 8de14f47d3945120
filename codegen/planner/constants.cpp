#include "codegen/planner/constants.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::codegen {
namespace {

/// A binary format of at most 16 bits: sign, exponent, mantissa.
struct SmallFloat {
    int mantissa_bits;
    int least_exponent;  ///< Of normal numbers.
    int most_exponent;
};
constexpr SmallFloat kHalf{10, -14, 15}, kBfloat16{7, -126, 127};

/// Nearest number of the format, halves to even; too large becomes infinity.
double nearest(double value, const SmallFloat& format) {
    if (value == 0.0 || !std::isfinite(value)) return value;
    const int exponent = std::max(std::ilogb(value), format.least_exponent);
    const double step = std::ldexp(1.0, exponent - format.mantissa_bits);
    const double rounded = std::nearbyint(value / step) * step;
    const double limit = std::ldexp(1.0, format.most_exponent + 1);
    return std::fabs(rounded) >= limit ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

uint16_t half_bits(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
    const double rounded = std::fabs(nearest(value, kHalf));
    if (std::isinf(rounded)) return static_cast<uint16_t>(sign | 0x7c00);
    if (rounded < 0x1p-14) return static_cast<uint16_t>(sign | static_cast<uint16_t>(rounded * 0x1p24));
    const int exponent = std::ilogb(rounded);
    const auto mantissa = static_cast<uint16_t>(std::ldexp(rounded, 10 - exponent) - 1024.0);
    return static_cast<uint16_t>(sign | ((exponent + 15) << 10) | mantissa);
}

double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double mantissa = bits & 1023;
    double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0 + mantissa, exponent - 25);
    if (exponent == 31)
        value = mantissa == 0.0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -value : value;
}

uint16_t bfloat16_bits(double value) {
    if (std::isnan(value)) return 0x7fc0;
    // Every bfloat16 is a float, so the conversion does not round again.
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(nearest(value, kBfloat16))) >> 16);
}

template <typename T>
T saturated(double value) {
    if (std::isnan(value)) return 0;
    const double whole = std::nearbyint(value);
    if (whole <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
    if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(whole);
}

/// Calls `visit(element offset)` for every element in row-major order.
template <typename Visit>
void walk(const Dims& dims, const Dims& strides, Visit visit) {
    const int64_t count = element_count(dims);
    for (int64_t number = 0; number < count; ++number) {
        int64_t rest = number, offset = 0;
        for (size_t axis = dims.size(); axis-- > 0;) {
            offset += rest % dims[axis] * strides[axis];
            rest /= dims[axis];
        }
        visit(offset);
    }
}

/// The element as the C++ type that holds its bits.
template <typename T>
T element(const Bytes& bytes, int64_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset * static_cast<int64_t>(sizeof value), sizeof value);
    return value;
}

double load(const Bytes& bytes, DataType type, int64_t at) {
    switch (type) {
        case DataType::F16:
            return half_value(element<uint16_t>(bytes, at));
        case DataType::BF16:
            return std::bit_cast<float>(static_cast<uint32_t>(element<uint16_t>(bytes, at)) << 16);
        case DataType::F32:
            return element<float>(bytes, at);
        case DataType::F64:
            return element<double>(bytes, at);
        case DataType::I8:
            return element<int8_t>(bytes, at);
        case DataType::U8:
            return element<uint8_t>(bytes, at);
        case DataType::I32:
            return element<int32_t>(bytes, at);
        case DataType::Bool:
            return element<uint8_t>(bytes, at) != 0 ? 1.0 : 0.0;
        case DataType::I64:
            break;
    }
    return 0.0;
}

void store(Bytes& bytes, DataType type, int64_t at, double value) {
    const auto put = [&](auto bits) {
        std::memcpy(bytes.data() + at * static_cast<int64_t>(sizeof bits), &bits, sizeof bits);
    };
    switch (type) {
        case DataType::F16:
            return put(half_bits(value));
        case DataType::BF16:
            return put(bfloat16_bits(value));
        case DataType::F32:
            return put(static_cast<float>(value));
        case DataType::F64:
            return put(value);
        case DataType::I8:
            return put(saturated<int8_t>(value));
        case DataType::U8:
            return put(saturated<uint8_t>(value));
        case DataType::I32:
            return put(saturated<int32_t>(value));
        case DataType::I64:
            return put(saturated<int64_t>(value));
        case DataType::Bool:
            return put(static_cast<uint8_t>(value != 0.0));
    }
}

}  // namespace

std::optional<std::vector<double>> read_constant(const Value& value) {
    if (value.kind != ValueKind::Constant || !value.data || value.type == DataType::I64) return std::nullopt;
    std::vector<double> numbers;
    walk(value.dims, value.strides, [&](int64_t at) { numbers.push_back(load(*value.data, value.type, at)); });
    return numbers;
}

std::shared_ptr<const Bytes> constant_bytes(DataType type, const Dims& dims, const Dims& strides,
                                            const std::vector<double>& numbers) {
    auto bytes = std::make_shared<Bytes>(static_cast<size_t>(span_of(dims, strides) * bytes_of(type)));
    size_t next = 0;
    walk(dims, strides, [&](int64_t at) { store(*bytes, type, at, numbers[next++]); });
    return bytes;
}

ValueId add_constant(GraphData& graph, const std::string& name, DataType type, const Dims& dims,
                     const std::vector<double>& numbers, Dims strides) {
    Value value;
    value.name = name;
    value.kind = ValueKind::Constant;
    value.type = type;
    value.dims = dims;
    value.strides = strides.empty() ? packed_strides(dims, Layout::NCHW) : std::move(strides);
    value.data = constant_bytes(type, dims, value.strides, numbers);
    graph.values.push_back(std::move(value));
    return static_cast<ValueId>(graph.values.size() - 1);
}

}  // namespace tenon::codegen
