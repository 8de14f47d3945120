#include <algorithm>

#include "codegen/planner/region_builder.h"

namespace tenon::codegen {
namespace {

/// `result`, which lies at `to`, receives the elements of `from`, seen over `dims` at `place`.
Region copy(const GraphData& graph, NodeId node, ValueId from, const Storage& place, ValueId result, const Storage& to,
            const Dims& dims) {
    Region region;
    region.nodes = {node};
    region.epilogue.dims = dims;
    region.operands.push_back({.value = from,
                               .type = graph.value(from).type,
                               .root = place.root,
                               .strides = place.strides,
                               .offset = place.offset});
    region.operands.push_back({.value = result,
                               .type = graph.value(result).type,
                               .root = to.root,
                               .strides = to.strides,
                               .offset = to.offset});
    region.epilogue.terms = {{.kind = Term::Kind::Load, .type = graph.value(from).type, .operand = 0, .value = from}};
    region.stores = {{0, 1}};
    return region;
}

bool lies_in(const Storage& place, const Storage& slice) {
    return place.root == slice.root && place.offset == slice.offset && place.strides == slice.strides;
}

std::vector<Region> concat_copies(const GraphData& graph, const std::vector<Storage>& storage, NodeId id) {
    const Node& node = graph.node(id);
    const Storage& whole = storage[static_cast<size_t>(node.outputs[0])];
    const int64_t rank = static_cast<int64_t>(graph.value(node.outputs[0]).dims.size());
    const int64_t named = std::get<Concat>(node.op).axis;
    const size_t axis = static_cast<size_t>(named < 0 ? named + rank : named);
    std::vector<Region> regions;
    int64_t start = 0;
    for (const ValueId input : node.inputs) {
        const Storage slice{whole.root, whole.strides, whole.offset + start * whole.strides[axis]};
        const Dims& dims = graph.value(input).dims;
        start += dims[axis];
        const Storage& place = storage[static_cast<size_t>(input)];
        if (!lies_in(place, slice)) regions.push_back(copy(graph, id, input, place, node.outputs[0], slice, dims));
    }
    return regions;
}

/// A reshape whose input has no strides over the result's axes is an anchor of the direct family.
Region reshape(const GraphData& graph, const std::vector<Storage>& storage, NodeId id) {
    Group group{.seed = id, .members = {id}, .sights = {{id, {}}}};
    Region region;
    const Verdict always = build_region(
        graph, storage, group, [](ValueId) { return true; }, region);
    (void)always;  // the result has the body's axes
    return region;
}

}  // namespace

std::vector<Region> build_copies(const GraphData& graph, const std::vector<Storage>& storage, NodeId id) {
    const Node& node = graph.node(id);
    if (std::holds_alternative<Concat>(node.op)) return concat_copies(graph, storage, id);
    const ValueId input = node.inputs[0], output = node.outputs[0];
    const Dims& dims = graph.value(output).dims;
    const std::optional<Storage> seen =
        storage_through(node.op, graph.value(input).dims, storage[static_cast<size_t>(input)], dims);
    if (!seen) return {reshape(graph, storage, id)};
    return {copy(graph, id, input, *seen, output, storage[static_cast<size_t>(output)], dims)};
}

}  // namespace tenon::codegen
