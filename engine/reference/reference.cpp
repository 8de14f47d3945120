#include "engine/reference/reference.h"

#include <functional>

#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Calls `visit(memory offset, row-major number)` for every element.
void walk(const Dims& dims, const Dims& strides, const std::function<void(int64_t, size_t)>& visit) {
    const int64_t count = element_count(dims);
    for (int64_t number = 0; number < count; ++number) {
        int64_t rest = number, offset = 0;
        for (size_t axis = dims.size(); axis-- > 0;) {
            offset += rest % dims[axis] * strides[axis];
            rest /= dims[axis];
        }
        visit(offset, static_cast<size_t>(number));
    }
}

Dense read(const Value& value, const void* memory) {
    Dense dense{value.type, value.dims, std::vector<Number>(static_cast<size_t>(element_count(value.dims)))};
    walk(value.dims, value.strides,
         [&](int64_t offset, size_t number) { dense.elements[number] = load(memory, value.type, offset); });
    return dense;
}

}  // namespace

Status run_reference(const GraphData& graph, const std::map<ValueId, void*>& bindings) {
    const auto missing = [&](ValueId id) {
        return Status(ErrorCode::InvalidArgument, "run: '" + graph.value(id).name + "' is not bound");
    };
    std::vector<Dense> values(graph.values.size());
    for (size_t id = 0; id < graph.values.size(); ++id) {
        const Value& value = graph.values[id];
        const auto bound = bindings.find(static_cast<ValueId>(id));
        values[id].type = value.type;
        values[id].dims = value.dims;
        if (value.kind == ValueKind::Constant) values[id] = read(value, value.data->data());
        if (value.kind != ValueKind::Input && value.kind != ValueKind::HostScalar) continue;
        if (bound == bindings.end()) return missing(static_cast<ValueId>(id));
        values[id] = read(value, bound->second);
    }
    for (const Node& node : graph.nodes) {
        std::vector<const Dense*> inputs;
        std::vector<Dense> results;
        for (const ValueId id : node.inputs) inputs.push_back(&values[static_cast<size_t>(id)]);
        for (const ValueId id : node.outputs) results.push_back({graph.value(id).type, graph.value(id).dims, {}});
        results = evaluate(node.op, inputs, results);
        for (size_t i = 0; i < results.size(); ++i)
            values[static_cast<size_t>(node.outputs[i])] = std::move(results[i]);
    }
    for (const ValueId id : graph.outputs) {
        const auto bound = bindings.find(id);
        if (bound == bindings.end()) return missing(id);
        const Dense& dense = values[static_cast<size_t>(id)];
        walk(dense.dims, graph.value(id).strides,
             [&](int64_t offset, size_t number) { store(bound->second, dense.type, offset, dense.elements[number]); });
    }
    return {};
}

}  // namespace tenon::engine
