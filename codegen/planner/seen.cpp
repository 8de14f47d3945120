#include "codegen/planner/seen.h"

namespace tenon::codegen {
namespace {

/// Strides over `to`, with axes aligned at the end; axes of extent 1 and missing ones do not move.
Dims aligned(const Dims& dims, const Dims& strides, const Dims& to) {
    Dims result(to.size(), 0);
    const size_t missing = to.size() - dims.size();
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] != 1) result[missing + axis] = strides[axis];
    }
    return result;
}

bool has_one_type(const GraphData& graph, const Node& node) {
    return graph.value(node.inputs[0]).type == graph.value(node.outputs[0]).type;
}

}  // namespace

std::optional<Storage> seen_storage(const GraphData& graph, const Dims& dims, Storage place, const Sight& sight,
                                    const Dims& body_dims) {
    Dims at = dims;
    for (const SeenThrough& step : sight) {
        const Node& node = graph.node(step.node);
        const Value& result = graph.value(node.outputs[0]);
        std::optional<Storage> seen;
        switch (step.kind) {
            case SeenThrough::Kind::Broadcast:
                place.strides = aligned(at, place.strides, result.dims);
                seen = place;
                break;
            case SeenThrough::Kind::View:
                seen = storage_through(node.op, at, place, result.dims);
                break;
            case SeenThrough::Kind::Inverse:
                seen = storage_before(node.op, at, place, graph.value(node.inputs[0]).dims);
                break;
        }
        if (!seen) return std::nullopt;
        place = *seen;
        at = step.kind == SeenThrough::Kind::Inverse ? graph.value(node.inputs[0]).dims : result.dims;
    }
    place.strides = aligned(at, place.strides, body_dims);
    return place;
}

bool is_bijective_view(const GraphData& graph, const Node& node) {
    const bool renames = std::holds_alternative<Reshape>(node.op) || std::holds_alternative<Transpose>(node.op);
    return renames && has_one_type(graph, node);
}

bool is_shape_only(const GraphData& graph, const Node& node) {
    const bool selects = std::holds_alternative<Slice>(node.op) || std::holds_alternative<Expand>(node.op);
    return is_bijective_view(graph, node) || (selects && has_one_type(graph, node));
}

}  // namespace tenon::codegen
