#include "codegen/planner/recompute_cost.h"

#include <algorithm>

namespace tenon::codegen {
namespace {

/// About how many simple instructions a function takes.
int instructions(const Op& op) {
    const auto* pointwise = std::get_if<Pointwise>(&op);
    if (pointwise == nullptr) return 1;
    switch (pointwise->kind) {
        case PointwiseKind::Identity:
        case PointwiseKind::Negate:
        case PointwiseKind::Abs:
        case PointwiseKind::Add:
        case PointwiseKind::AddSquare:
        case PointwiseKind::Subtract:
        case PointwiseKind::Multiply:
        case PointwiseKind::Maximum:
        case PointwiseKind::Minimum:
        case PointwiseKind::Square:
        case PointwiseKind::SquaredDifference:
        case PointwiseKind::Relu:
        case PointwiseKind::Clip:
        case PointwiseKind::Prelu:
        case PointwiseKind::Threshold:
        case PointwiseKind::Equal:
        case PointwiseKind::NotEqual:
        case PointwiseKind::Greater:
        case PointwiseKind::GreaterEqual:
        case PointwiseKind::Less:
        case PointwiseKind::LessEqual:
        case PointwiseKind::LogicalAnd:
        case PointwiseKind::LogicalOr:
        case PointwiseKind::LogicalNot:
        case PointwiseKind::Select:
            return 1;
        case PointwiseKind::HardSigmoid:
        case PointwiseKind::HardSwish:
            return 3;
        default:
            return 8;  // a division, root or exponential
    }
}

/// Instructions a group may repeat for every element of its result.
constexpr int kMostBeside = 32;

/// Instructions a group may repeat for every element its anchor reads.
int most_instructions(const Op& anchor) {
    const bool products = std::holds_alternative<Conv>(anchor) || std::holds_alternative<ConvTranspose>(anchor) ||
                          std::holds_alternative<Matmul>(anchor);
    if (products) return 6;
    const bool windows = std::holds_alternative<Pool>(anchor) || std::holds_alternative<AdaptivePool>(anchor) ||
                         std::holds_alternative<Resize>(anchor);
    return windows ? 24 : 64;
}

/// The recomputed nodes whose results the anchor reads.
std::set<NodeId> nodes_in_front(const GraphData& graph, const Group& group) {
    std::set<NodeId> front;
    std::vector<NodeId> open;
    if (!is_pointwise(graph.node(group.seed).op)) open.push_back(group.seed);
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        for (const ValueId input : graph.node(at).inputs) {
            const NodeId producer = computing_node(graph, input);
            if (group.recomputed.contains(producer) && front.insert(producer).second) open.push_back(producer);
        }
    }
    return front;
}

int64_t bytes(const GraphData& graph, ValueId id) {
    const Value& value = graph.value(id);
    return element_count(value.dims) * bytes_of(value.type);
}

}  // namespace

Verdict worth_recomputing(const GraphData& graph, const Group& group, NodeId node) {
    Group with = group;
    with.recomputed.insert(node);
    const std::set<NodeId> front = nodes_in_front(graph, with);
    const bool is_in_front = front.contains(node);
    int total = 0;
    for (const NodeId other : with.recomputed) {
        if (front.contains(other) == is_in_front) total += instructions(graph.node(other).op);
    }
    const int most = is_in_front ? most_instructions(graph.node(group.seed).op) : kMostBeside;
    if (total <= most) return Verdict::yes();
    return Verdict::no("COSTLY_TO_REPEAT", "it would be repeated for every element: about " + std::to_string(total) +
                                               " instructions, at most " + std::to_string(most) + " are");
}

bool reads_no_more_than_it_writes(const GraphData& graph, NodeId id) {
    const Node& node = graph.node(id);
    int64_t read = 0;
    for (const ValueId input : node.inputs) read += bytes(graph, input);
    const int64_t written = bytes(graph, node.outputs[0]);
    return read <= written + written / 16 + 64;
}

}  // namespace tenon::codegen
