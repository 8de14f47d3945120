#pragma once

#include "frontend/graph/graph_data.h"

namespace tenon {

/// Rank at most 8, no negative extent, a byte count that fits 63 bits.
Status check_extents(const Value& value);
/// One stride per axis, a span that fits; results may not overlap themselves or run backwards.
Status check_strides(const Value& value);
/// Puts the type and layout that `as` asks for into a result, or says why the operation cannot give them.
Status apply_wishes(const As& as, const Op& op, Value& result);
/// The failure with operation and node in front: "conv 'c1': …".
Status about_node(const Node& node, const Status& status);
/// One node whose references exist: inputs by the rule of the operation, results as that rule gives them.
Status check_node(const GraphData& graph, const Node& node);
/// Every node and tensor of a finished graph, and that names of inputs and outputs are unique.
Status validate(const GraphData& graph);

}  // namespace tenon
