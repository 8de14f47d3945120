#pragma once

#include <map>
#include <vector>

#include "engine/reference/number.h"
#include "frontend/graph/graph_data.h"

namespace tenon::engine {

/// A tensor with its elements in row-major order of its logical axes.
struct Dense {
    DataType type = DataType::F32;
    Dims dims;
    std::vector<Number> elements;
};

/// Runs the graph node by node: the definition of right. Every tensor is rounded to its declared type. Bindings are
/// host memory in the values' strides. InvalidArgument names what is not bound.
Status run_reference(const GraphData& graph, const std::map<ValueId, void*>& bindings);

/// All outputs of one node, rounded to `types`.
std::vector<Dense> evaluate(const Op& op, const std::vector<const Dense*>& inputs, const std::vector<Dense>& results);

/// The value of a pointwise function.
Number pointwise_value(const Pointwise& function, DataType type, Number a, Number b, Number c);

}  // namespace tenon::engine
