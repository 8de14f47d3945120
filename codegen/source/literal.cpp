#include "codegen/source/literal.h"

#include <charconv>
#include <cmath>

namespace tenon::codegen {
namespace {

template <typename T>
std::string shortest(T value) {
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    (void)error;  // 64 characters hold every float and double
    std::string result(text, end);
    if (result.find_first_of(".e") == std::string::npos) result += ".0";
    return result;
}

}  // namespace

std::string float_literal(float value) {
    if (std::isnan(value)) return "kNaN";
    if (std::isinf(value)) return value > 0 ? "kInfinity" : "-kInfinity";
    return shortest(value) + "f";
}

std::string double_literal(double value) {
    if (std::isnan(value)) return "double(kNaN)";
    if (std::isinf(value)) return value > 0 ? "double(kInfinity)" : "-double(kInfinity)";
    return shortest(value);
}

std::string integer_literal(int64_t value) {
    if (value == INT64_MIN) return "(-9223372036854775807ll - 1)";
    if (value == INT32_MIN) return "(-2147483647 - 1)";
    if (value > INT32_MAX || value < INT32_MIN) return std::to_string(value) + "ll";
    return std::to_string(value);
}

std::string literal(DataType type, double value, int64_t integer) {
    switch (type) {
        case DataType::F16:
        case DataType::BF16:
        case DataType::F32:
            return float_literal(static_cast<float>(value));
        case DataType::F64:
            return double_literal(value);
        case DataType::Bool:
            return value != 0.0 || integer != 0 ? "true" : "false";
        case DataType::I8:
        case DataType::U8:
        case DataType::I32:
        case DataType::I64:
            return integer_literal(integer);
    }
    return {};
}

}  // namespace tenon::codegen
