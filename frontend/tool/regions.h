#pragma once

#include <vector>

#include <tenon/plan.h>

#include "frontend/graph/graph_data.h"

namespace tenon::tool {

/// Nodes of a graph that one kernel, or several that share a written-out node, compute together.
struct RegionNodes {
    std::vector<std::string> kernels;
    std::vector<NodeId> nodes;  ///< In order.
};

/// The regions of a plan, in the order of their first nodes. Nodes that no kernel names (rewritten away) join the
/// region of a reader, or stand alone.
Result<std::vector<RegionNodes>> regions_of(const Plan& plan);

/// The nodes as a graph of their own. What they read from outside becomes an input under its name (constants stay);
/// what is read outside, or is an output of `graph`, becomes an output.
struct RegionGraph {
    Graph graph;
    std::vector<std::pair<Tensor, ValueId>> inputs, outputs;  ///< Own tensor, value of the whole graph.
};
RegionGraph graph_of(const GraphData& graph, const std::vector<NodeId>& nodes);

/// The graph with every computed tensor kept, under unique names; tensors keep their numbers.
Graph with_all_kept(const Graph& graph);

}  // namespace tenon::tool
