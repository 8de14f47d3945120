#pragma once

#include "frontend/graph/graph_data.h"
#include "frontend/json/document.h"

namespace tenon {

/// Base64 of RFC 4648 with padding.
std::string base64_of(const Bytes& bytes);
/// Exactly `size` bytes.
Result<Bytes> bytes_of_base64(const Place& place, int64_t size);

/// The elements of a small packed constant as an array, or null if they are many, have gaps, or would not come back
/// bit for bit (a NaN with a payload).
Json values_of(const Value& value);
/// Elements in row-major order, laid out in the strides of `value`, which must leave no gaps.
Result<Bytes> bytes_of_values(const Place& place, const Value& value);

}  // namespace tenon
