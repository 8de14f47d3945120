#pragma once

#include <vector>

#include <tenon/graph.h>

namespace tenon::testing {

/// A small valid use of every operation, every field away from its default where a small graph allows it.
struct OpSample {
    Op op;
    std::vector<TensorSpec> inputs;
};

/// At least one for every alternative of Op, and one for every pointwise function.
std::vector<OpSample> op_samples();

/// The sample as a graph: inputs "a", "b", …; one node "node" whose results are all outputs.
Graph graph_of(const OpSample& sample);

}  // namespace tenon::testing
