#include "codegen/planner/storage.h"

#include <algorithm>

namespace tenon::codegen {
namespace {

/// How the result of a shape-only node lies in its input's memory; an empty root means that it cannot be a view.
Storage view_of(const Op& op, const Value& from, const Storage& storage, const Value& result) {
    Storage view = storage;
    if (result.type != from.type) {
        view.root = kNone;  // declared in another type: every element is converted
    } else if (const auto* transpose = std::get_if<Transpose>(&op)) {
        view.strides.clear();
        for (const int64_t axis : transpose->permutation)
            view.strides.push_back(storage.strides[static_cast<size_t>(axis)]);
    } else if (const auto* slice = std::get_if<Slice>(&op)) {
        for (size_t axis = 0; axis < from.dims.size(); ++axis) {
            view.offset += slice->start[axis] * storage.strides[axis];
            view.strides[axis] = storage.strides[axis] * slice->step[axis];
        }
    } else if (std::holds_alternative<Expand>(op)) {
        view.strides.assign(result.dims.size(), 0);
        const size_t missing = result.dims.size() - from.dims.size();
        for (size_t axis = 0; axis < from.dims.size(); ++axis) {
            if (from.dims[axis] != 1) view.strides[missing + axis] = storage.strides[axis];
        }
    } else if (std::holds_alternative<Reshape>(op)) {
        const std::optional<Dims> strides = reshaped_strides(from.dims, storage.strides, result.dims);
        view.strides = strides.value_or(Dims{});
        if (!strides) view.root = kNone;
    } else {
        view.root = kNone;
    }
    return view;
}

/// A value of its own memory: what the user declared, or packed.
bool owns_memory(const GraphData& graph, ValueId id) {
    return graph.value(id).kind != ValueKind::Computed || graph.is_output(id);
}

/// Offsets at which the inputs of a concat may be written into its result.
void place_concat_inputs(const GraphData& graph, const Node& node, const Concat& concat,
                         std::vector<Storage>& storage) {
    const Storage whole = storage[static_cast<size_t>(node.outputs[0])];
    const size_t rank = graph.value(node.outputs[0]).dims.size();
    const size_t axis = static_cast<size_t>(concat.axis < 0 ? concat.axis + static_cast<int64_t>(rank) : concat.axis);
    int64_t start = 0;
    for (const ValueId input : node.inputs) {
        Storage& place = storage[static_cast<size_t>(input)];
        const bool once = std::count(node.inputs.begin(), node.inputs.end(), input) == 1;
        const bool same_type = graph.value(input).type == graph.value(node.outputs[0]).type;
        if (once && same_type && !owns_memory(graph, input) && place.root == kNone) {
            place = {whole.root, whole.strides, whole.offset + start * whole.strides[axis]};
        }
        start += graph.value(input).dims[axis];
    }
}

}  // namespace

std::optional<Dims> reshaped_strides(const Dims& from_dims, const Dims& from_strides, const Dims& dims) {
    // Peel runs of axes that cover the same number of elements on both sides, from the last axis on.
    Dims strides(dims.size(), 0);
    size_t i = from_dims.size(), j = dims.size();
    const auto skip_ones = [](const Dims& d, size_t& at) {
        while (at > 0 && d[at - 1] == 1) --at;
    };
    for (;;) {
        skip_ones(from_dims, i);
        skip_ones(dims, j);
        if (i == 0 || j == 0) return i == j ? std::optional<Dims>(strides) : std::nullopt;
        const size_t inner = --i;
        int64_t from_run = from_dims[inner], to_run = dims[--j];
        strides[j] = from_strides[inner];
        while (from_run != to_run) {
            if (from_run < to_run) {
                skip_ones(from_dims, i);
                if (i == 0) return std::nullopt;
                --i;
                // Merging source axes needs them to be contiguous with each other.
                if (from_strides[i] != from_strides[inner] * from_run) return std::nullopt;
                from_run *= from_dims[i];
            } else {
                skip_ones(dims, j);
                if (j == 0) return std::nullopt;
                --j;
                strides[j] = from_strides[inner] * to_run;
                to_run *= dims[j];
            }
        }
    }
}

std::vector<Storage> assign_storage(const GraphData& graph) {
    std::vector<Storage> storage(graph.values.size());
    const auto own = [&](ValueId id) {
        Storage& place = storage[static_cast<size_t>(id)];
        if (place.root == kNone) place = {id, graph.value(id).strides, 0};
    };
    for (size_t id = 0; id < graph.values.size(); ++id) {
        if (owns_memory(graph, static_cast<ValueId>(id))) own(static_cast<ValueId>(id));
    }
    // Backwards: a concat's result is placed before its inputs.
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        const auto* concat = std::get_if<Concat>(&node.op);
        if (concat == nullptr) continue;
        own(node.outputs[0]);
        place_concat_inputs(graph, node, *concat, storage);
    }
    for (const Node& node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            Storage& place = storage[static_cast<size_t>(output)];
            if (place.root != kNone) continue;
            const Storage view = node.inputs.empty()
                                     ? Storage{}
                                     : view_of(node.op, graph.value(node.inputs[0]),
                                               storage[static_cast<size_t>(node.inputs[0])], graph.value(output));
            if (view.root != kNone) place = view;
            own(output);
        }
    }
    return storage;
}

bool is_free_view(const GraphData& graph, const std::vector<Storage>& storage, const Node& node) {
    if (node.inputs.empty()) return false;
    const Storage view = view_of(node.op, graph.value(node.inputs[0]), storage[static_cast<size_t>(node.inputs[0])],
                                 graph.value(node.outputs[0]));
    const Storage& place = storage[static_cast<size_t>(node.outputs[0])];
    return view.root != kNone && view.root == place.root && view.offset == place.offset &&
           view.strides == place.strides;
}

}  // namespace tenon::codegen
