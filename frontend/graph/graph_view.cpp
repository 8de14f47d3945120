#include "frontend/graph/graph_view.h"

#include <algorithm>

namespace tenon {

bool GraphData::is_output(ValueId id) const { return std::find(outputs.begin(), outputs.end(), id) != outputs.end(); }

GraphView::GraphView(const GraphData& graph) : graph_(&graph), readers_(graph.values.size()) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        for (const ValueId input : graph.nodes[n].inputs) {
            std::vector<NodeId>& readers = readers_[static_cast<size_t>(input)];
            if (readers.empty() || readers.back() != static_cast<NodeId>(n)) readers.push_back(static_cast<NodeId>(n));
        }
    }
}

NodeId GraphView::sole_reader(ValueId value) const {
    const std::vector<NodeId>& all = readers(value);
    return all.size() == 1 && !graph_->is_output(value) ? all.front() : kNone;
}

}  // namespace tenon
