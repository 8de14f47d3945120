#pragma once

#include <cstdint>
#include <string>

#include <tenon/types.h>

namespace tenon::codegen {

/// CUDA text that reads back to exactly this value; infinities and NaN by the device library's names.
std::string float_literal(float value);
std::string double_literal(double value);
std::string integer_literal(int64_t value);
/// Literal of the type that `type` is computed in.
std::string literal(DataType type, double value, int64_t integer);

}  // namespace tenon::codegen
