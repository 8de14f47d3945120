#pragma once

#include <cstdint>

#include <tenon/types.h>

namespace tenon {

// Elements of constants, written and read one by one. The reference has its own conversions, on purpose.

/// Writes `value` at `index` by the rules of Cast: rounded once; integers half to even and saturated, NaN to 0.
void store_element(void* memory, DataType type, int64_t index, double value);
/// The element as a double; 64-bit integers beyond 2^53 lose digits.
double load_element(const void* memory, DataType type, int64_t index);

/// The same for integers and Bool, exactly. `fits` says whether a value can be stored unchanged.
bool fits(DataType type, int64_t value);
void store_whole_element(void* memory, DataType type, int64_t index, int64_t value);
int64_t load_whole_element(const void* memory, DataType type, int64_t index);

}  // namespace tenon
