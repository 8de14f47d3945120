#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// Numbers of a constant in row-major order; empty for other values and for i64, whose numbers a double may not hold.
std::optional<std::vector<double>> read_constant(const Value& value);

/// Appends a constant that holds `numbers` (row-major), each rounded once to `type` by the rules of Cast. Strides are
/// packed unless given.
ValueId add_constant(GraphData& graph, const std::string& name, DataType type, const Dims& dims,
                     const std::vector<double>& numbers, Dims strides = {});

/// Bytes of `numbers` in a tensor of these dims and strides.
std::shared_ptr<const Bytes> constant_bytes(DataType type, const Dims& dims, const Dims& strides,
                                            const std::vector<double>& numbers);

}  // namespace tenon::codegen
