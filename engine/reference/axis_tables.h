#pragma once

#include "engine/reference/tensor_access.h"

namespace tenon::engine {

/// Offset of a position that reads no element of the source.
inline constexpr int64_t kOutside = INT64_MIN;

/// For each output axis, what each position adds to the offset in the source. Covers every operation that moves
/// elements axis by axis: transpose, expand, slice, pad, concat, resize to the nearest.
using AxisTables = std::vector<std::vector<int64_t>>;

/// Copies the elements the tables name; positions outside get `fill`.
void copy_by_tables(const Source& source, const Sink& sink, const AxisTables& tables, double fill = 0.0);

}  // namespace tenon::engine
