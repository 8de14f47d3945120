#pragma once

#include <cstdint>

#include <tenon/types.h>

namespace tenon::engine {

// Elements of every type, read as the widest number of their kind and written back by the rules of Cast.

/// The value of 16 bits; exact.
double half_value(uint16_t bits);
double bfloat16_value(uint16_t bits);
/// Nearest 16 bits, halves to even, straight from double: no second rounding on the way. Too large becomes infinity,
/// NaN stays a (quiet) NaN of the same sign, values below the smallest denormal keep their sign.
uint16_t half_bits(double value);
uint16_t bfloat16_bits(double value);

/// Element `index` of `memory`. 64-bit integers beyond 2^53 lose digits here; `load_integer` keeps them.
double load(const void* memory, DataType type, int64_t index);
/// Element `index` of a tensor of integers or Bool (0 or 1); a floating type is rounded and saturated as in `store`.
int64_t load_integer(const void* memory, DataType type, int64_t index);

/// Writes with one rounding. To integers: halves to even, saturated, NaN becomes 0. To Bool: anything but zero is true.
void store(void* memory, DataType type, int64_t index, double value);
/// Writes an exact integer. Narrower integers wrap modulo 2^width; floating types round once.
void store_integer(void* memory, DataType type, int64_t index, int64_t value);

/// What `store` followed by `load` gives.
double rounded(DataType type, double value);
/// Rounds, saturates to the range of int64, NaN becomes 0.
int64_t to_integer(double value);
/// `value` modulo 2^width of an integer type, in its range; 0 or 1 for Bool.
int64_t wrapped(int64_t value, DataType type);
/// Least and greatest value of an integer type; 0 and 1 for Bool.
int64_t lowest_integer(DataType type);
int64_t highest_integer(DataType type);

}  // namespace tenon::engine
