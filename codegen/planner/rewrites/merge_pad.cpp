#include <algorithm>

#include "codegen/planner/rewrites.h"
#include "frontend/graph/graph_view.h"

namespace tenon::codegen {
namespace {

/// The pad node in front of the convolution if it adds zeros around the spatial axes and nothing else.
const Node* zero_pad_in_front(const GraphData& graph, const Node& conv) {
    const NodeId producer = graph.value(conv.inputs[0]).producer;
    if (producer == kNone) return nullptr;
    const Node& node = graph.node(producer);
    const auto* pad = std::get_if<Pad>(&node.op);
    if (pad == nullptr || pad->mode != PadMode::Constant || pad->value != 0.0) return nullptr;
    if (graph.value(node.inputs[0]).type != graph.value(node.outputs[0]).type) return nullptr;
    for (size_t axis = 0; axis < pad->before.size(); ++axis) {
        const bool spatial = axis >= 2;
        if (pad->before[axis] < 0 || pad->after[axis] < 0) return nullptr;
        if (!spatial && (pad->before[axis] != 0 || pad->after[axis] != 0)) return nullptr;
    }
    return &node;
}

}  // namespace

// conv(pad(x, p), w, q) -> conv(x, w, p + q)
// Zeros times an infinite filter are NaN on the left and nothing on the right: padding of a convolution is never read.
// The pad node stays for its other readers, if it has any; a convolution that forbids fusion keeps it too.
void merge_pad(GraphData& graph, std::vector<std::string>& done) {
    for (Node& node : graph.nodes) {
        auto* conv = std::get_if<Conv>(&node.op);
        if (conv == nullptr || node.fusion == Fusion::Forbidden) continue;
        const Node* front = zero_pad_in_front(graph, node);
        if (front == nullptr) continue;
        const Pad& pad = std::get<Pad>(front->op);
        const size_t spatial = pad.before.size() - 2;
        if (conv->pad.empty()) conv->pad.assign(2 * spatial, 0);
        for (size_t i = 0; i < spatial; ++i) {
            conv->pad[i] += pad.before[i + 2];
            conv->pad[spatial + i] += pad.after[i + 2];
        }
        node.inputs[0] = front->inputs[0];
        done.push_back("merge_pad: " + front->name + " into " + node.name);
    }
}

}  // namespace tenon::codegen
