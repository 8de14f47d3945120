#pragma once

#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon {

/// Who reads each value. Built once from a finished graph, read only; invalid after the graph changes.
class GraphView {
  public:
    explicit GraphView(const GraphData& graph);

    const GraphData& graph() const { return *graph_; }
    /// Nodes that read `value`, in order, each once.
    const std::vector<NodeId>& readers(ValueId value) const { return readers_[static_cast<size_t>(value)]; }
    /// The only reader of a value that is no output, or kNone.
    NodeId sole_reader(ValueId value) const;

  private:
    const GraphData* graph_;
    std::vector<std::vector<NodeId>> readers_;
};

}  // namespace tenon
