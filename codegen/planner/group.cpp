#include "codegen/planner/group.h"

namespace tenon::codegen {

bool is_pointwise(const Op& op) {
    return std::holds_alternative<Pointwise>(op) || std::holds_alternative<Cast>(op) ||
           std::holds_alternative<IndexAlong>(op);
}

std::optional<Sight> sight_of(const GraphData& graph, const Group& group, ValueId value) {
    const NodeId producer = graph.value(value).producer;
    if (producer == kNone) return std::nullopt;
    const Node& node = graph.node(producer);
    const auto member = group.sights.find(producer);
    if (member != group.sights.end()) {
        if (value != node.outputs[0]) return std::nullopt;
        return member->second;
    }
    if (!is_bijective_view(graph, node)) return std::nullopt;
    const std::optional<Sight> inner = sight_of(graph, group, node.inputs[0]);
    if (!inner) return std::nullopt;
    return in_front(graph, {SeenThrough::Kind::Inverse, producer}, graph.value(value).dims, *inner);
}

NodeId computing_node(const GraphData& graph, ValueId value) {
    NodeId producer = graph.value(value).producer;
    while (producer != kNone && is_shape_only(graph, graph.node(producer)))
        producer = graph.value(graph.node(producer).inputs[0]).producer;
    return producer;
}

Sight in_front(const GraphData& graph, SeenThrough step, const Dims& dims, Sight sight) {
    const bool idle =
        step.kind == SeenThrough::Kind::Broadcast && dims == graph.value(graph.node(step.node).outputs[0]).dims;
    if (idle) return sight;
    const bool undone = !sight.empty() && sight.front().node == step.node && step.kind == SeenThrough::Kind::View &&
                        sight.front().kind == SeenThrough::Kind::Inverse;
    if (undone) {
        sight.erase(sight.begin());
        return sight;
    }
    sight.insert(sight.begin(), step);
    return sight;
}

}  // namespace tenon::codegen
