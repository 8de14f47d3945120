#include "codegen/planner/storage.h"

#include <algorithm>

namespace tenon::codegen {
namespace {

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

/// As the result of `node` if it can be seen in the memory of its input.
std::optional<Storage> view_of(const GraphData& graph, const std::vector<Storage>& storage, const Node& node) {
    const bool moves_nothing =
        !node.inputs.empty() && graph.value(node.inputs[0]).type == graph.value(node.outputs[0]).type;
    if (!moves_nothing) return std::nullopt;
    return storage_through(node.op, graph.value(node.inputs[0]).dims, storage[static_cast<size_t>(node.inputs[0])],
                           graph.value(node.outputs[0]).dims);
}

/// The input of a reshape or transpose whose result has a place is written there.
void place_input_of_view(const GraphData& graph, const Node& node, std::vector<Storage>& storage) {
    if (node.inputs.empty() || graph.value(node.inputs[0]).type != graph.value(node.outputs[0]).type) return;
    const Storage& result = storage[static_cast<size_t>(node.outputs[0])];
    Storage& input = storage[static_cast<size_t>(node.inputs[0])];
    if (result.root == kNone || input.root != kNone) return;
    const std::optional<Storage> place =
        storage_before(node.op, graph.value(node.outputs[0]).dims, result, graph.value(node.inputs[0]).dims);
    if (place) input = *place;
}

}  // namespace

std::optional<Storage> storage_through(const Op& op, const Dims& from, const Storage& storage, const Dims& to) {
    Storage view = storage;
    if (const auto* transpose = std::get_if<Transpose>(&op)) {
        for (size_t axis = 0; axis < to.size(); ++axis)
            view.strides[axis] = storage.strides[static_cast<size_t>(transpose->permutation[axis])];
        return view;
    }
    if (const auto* slice = std::get_if<Slice>(&op)) {
        for (size_t axis = 0; axis < from.size(); ++axis) {
            view.offset += slice->start[axis] * storage.strides[axis];
            view.strides[axis] = storage.strides[axis] * slice->step[axis];
        }
        return view;
    }
    if (std::holds_alternative<Expand>(op)) {
        view.strides.assign(to.size(), 0);
        const size_t missing = to.size() - from.size();
        for (size_t axis = 0; axis < from.size(); ++axis) {
            if (from[axis] != 1) view.strides[missing + axis] = storage.strides[axis];
        }
        return view;
    }
    if (!std::holds_alternative<Reshape>(op)) return std::nullopt;
    const std::optional<Dims> strides = reshaped_strides(from, storage.strides, to);
    if (!strides) return std::nullopt;
    view.strides = *strides;
    return view;
}

std::optional<Storage> storage_before(const Op& op, const Dims& from, const Storage& storage, const Dims& to) {
    if (const auto* transpose = std::get_if<Transpose>(&op)) {
        Storage before = storage;
        for (size_t axis = 0; axis < from.size(); ++axis)
            before.strides[static_cast<size_t>(transpose->permutation[axis])] = storage.strides[axis];
        return before;
    }
    // The inverse of a reshape is a reshape.
    if (std::holds_alternative<Reshape>(op)) return storage_through(op, from, storage, to);
    return std::nullopt;
}

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
    // Backwards: what a concat or a view of an output reads is placed where the result lies.
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        place_input_of_view(graph, node, storage);
        const auto* concat = std::get_if<Concat>(&node.op);
        if (concat == nullptr) continue;
        own(node.outputs[0]);
        place_concat_inputs(graph, node, *concat, storage);
    }
    for (const Node& node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            Storage& place = storage[static_cast<size_t>(output)];
            if (place.root != kNone) continue;
            const std::optional<Storage> view =
                output == node.outputs[0] ? view_of(graph, storage, node) : std::nullopt;
            if (view) place = *view;
            own(output);
        }
    }
    return storage;
}

bool is_free_view(const GraphData& graph, const std::vector<Storage>& storage, const Node& node) {
    const std::optional<Storage> view = view_of(graph, storage, node);
    const Storage& place = storage[static_cast<size_t>(node.outputs[0])];
    if (!view || view->root != place.root || view->offset != place.offset) return false;
    const Dims& dims = graph.value(node.outputs[0]).dims;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] > 1 && view->strides[axis] != place.strides[axis]) return false;
    }
    return true;
}

}  // namespace tenon::codegen
