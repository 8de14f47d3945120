#pragma once

#include <cstdint>

#include <tenon/types.h>

namespace tenon::engine {

/// What the reference computes in: at least double, and exact for every 64-bit integer where the platform's long double
/// has 64 bits.
using Number = long double;

/// Element `index` of memory that holds `type`.
Number load(const void* memory, DataType type, int64_t index);
/// Writes `value`, which must be representable (see `rounded`).
void store(void* memory, DataType type, int64_t index, Number value);

/// The nearest value of `type`, ties to even. Floats overflow to infinity; integers saturate, NaN becomes 0; Bool is
/// value != 0.
Number rounded(DataType type, Number value);
/// An integer modulo the width of `type`.
Number wrapped(DataType type, Number value);

}  // namespace tenon::engine
