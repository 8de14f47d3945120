#include <algorithm>

#include "codegen/planner/rewrites.h"

namespace tenon::codegen {

void drop_unused(GraphData& graph, std::vector<std::string>& done) {
    std::vector<bool> needed(graph.values.size(), false);
    for (const ValueId output : graph.outputs) needed[static_cast<size_t>(output)] = true;
    std::vector<bool> kept(graph.nodes.size(), false);
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        kept[n] = std::any_of(node.outputs.begin(), node.outputs.end(),
                              [&](ValueId id) { return needed[static_cast<size_t>(id)]; });
        if (!kept[n]) continue;
        for (const ValueId input : node.inputs) needed[static_cast<size_t>(input)] = true;
    }
    std::vector<Node> nodes;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        if (!kept[n]) {
            done.push_back("drop_unused: " + graph.nodes[n].name);
            continue;
        }
        for (const ValueId output : graph.nodes[n].outputs)
            graph.values[static_cast<size_t>(output)].producer = static_cast<NodeId>(nodes.size());
        nodes.push_back(std::move(graph.nodes[n]));
    }
    graph.nodes = std::move(nodes);
}

}  // namespace tenon::codegen
