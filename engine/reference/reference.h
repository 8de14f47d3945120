#pragma once

#include <map>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::engine {

/// Runs a graph operation by operation in double precision (integers exact): the definition of right. Every computed
/// tensor is rounded to its declared type. `bindings` holds host memory of every input, host scalar and output, laid
/// out in the strides of the value; any of them may share memory, since outputs are written at the end. Null is allowed
/// for a tensor without elements. Errors: InvalidGraph (as `validate` says), InvalidArgument (names the tensor that is
/// not bound, or that is bound and is no input or output).
Status run_reference(const GraphData& graph, const std::map<ValueId, void*>& bindings);

/// The bytes of every computed value, in its strides (gaps are 0); entries of other values are empty. `bindings` needs
/// the inputs and host scalars; outputs may be there and are not written.
Result<std::vector<Bytes>> evaluate_values(const GraphData& graph, const std::map<ValueId, void*>& bindings);

/// The bytes of every output of one node, given the memory of its inputs in the order of the node.
Result<std::vector<Bytes>> evaluate_node(const GraphData& graph, NodeId node, const std::vector<const void*>& inputs);

}  // namespace tenon::engine
