#pragma once

#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon {

/// The name of an alternative of Op: "conv", …, "pointwise".
std::string_view op_name(size_t index);

/// Checks `op` against its inputs and returns its outputs: type, dims and strides by the operation's own rule (names,
/// `As` and producer are the builder's business). A failure names found and needed, with tensors by name; the caller
/// puts the node's name in front.
Result<std::vector<Value>> infer(const Op& op, const std::vector<const Value*>& inputs);

/// How many results `op` has, whatever its inputs.
size_t result_count(const Op& op);

/// Extents of operands broadcast against each other, axes aligned at the end.
Result<Dims> broadcast(const std::vector<const Value*>& inputs);

}  // namespace tenon
