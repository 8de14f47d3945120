#include "engine/reference/reference.h"

#include <algorithm>

#include "engine/reference/operations.h"
#include "frontend/graph/validate.h"
#include "frontend/ops/op_rules.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

using Memory = std::map<ValueId, void*>;

Status refuse(std::string text) { return Status(ErrorCode::InvalidArgument, "reference: " + std::move(text)); }

bool is_bound_input(const Value& value) {
    return value.kind == ValueKind::Input || value.kind == ValueKind::HostScalar;
}

Status check_binding(const GraphData& graph, ValueId id, const Memory& memory) {
    const Value& value = graph.value(id);
    const auto bound = memory.find(id);
    const char* role = is_bound_input(value) ? "input '" : "output '";
    if (bound == memory.end()) return refuse(role + value.name + "' is not bound");
    if (bound->second == nullptr && element_count(value.dims) > 0)
        return refuse(role + value.name + "' is bound to null");
    return {};
}

Status check_bindings(const GraphData& graph, const Memory& memory, bool needs_outputs) {
    for (const auto& [id, pointer] : memory) {
        if (id < 0 || id >= static_cast<ValueId>(graph.values.size())) {
            return refuse("tensor " + std::to_string(id) + " is bound, but the graph has " +
                          std::to_string(graph.values.size()) + " tensors");
        }
        if (is_bound_input(graph.value(id)) || graph.is_output(id)) continue;
        return refuse("'" + graph.value(id).name + "' is bound, but is no input or output");
    }
    for (ValueId id = 0; id < static_cast<ValueId>(graph.values.size()); ++id) {
        if (is_bound_input(graph.value(id))) TENON_TRY(check_binding(graph, id, memory));
    }
    if (!needs_outputs) return {};
    for (const ValueId id : graph.outputs) TENON_TRY(check_binding(graph, id, memory));
    return {};
}

size_t bytes_spanned(const Value& value) {
    return static_cast<size_t>(span_of(value.dims, value.strides) * bytes_of(value.type));
}

Status evaluate_op(const GraphData& graph, const Node& node, const Sources& inputs, std::vector<Bytes>& results) {
    Sinks outputs;
    for (const ValueId id : node.outputs) results.emplace_back(bytes_spanned(graph.value(id)));
    for (size_t i = 0; i < results.size(); ++i) outputs.push_back({graph.value(node.outputs[i]), results[i].data()});
    const Status status = std::visit([&](const auto& op) { return evaluate(op, inputs, outputs); }, node.op);
    if (status.is_ok()) return status;
    return Status(status.code(), std::string(name_of(node.op)) + " '" + node.name + "': " + status.message());
}

/// The node that reads each value last, or kNone.
std::vector<NodeId> last_readers(const GraphData& graph) {
    std::vector<NodeId> last(graph.values.size(), kNone);
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        for (const ValueId input : graph.node(id).inputs) last[static_cast<size_t>(input)] = id;
    }
    return last;
}

/// Evaluates all nodes in order. With `keep_all` false, a value that is no output is dropped after its last reader.
Result<std::vector<Bytes>> evaluate_nodes(const GraphData& graph, const Memory& memory, bool keep_all) {
    std::vector<Bytes> computed(graph.values.size());
    const std::vector<NodeId> last = last_readers(graph);
    const auto source = [&](ValueId id) {
        const Value& value = graph.value(id);
        if (value.kind == ValueKind::Constant) return Source{value, value.data->data()};
        if (value.kind == ValueKind::Computed) return Source{value, computed[static_cast<size_t>(id)].data()};
        return Source{value, static_cast<const std::byte*>(memory.at(id))};
    };
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph.node(id);
        Sources inputs;
        for (const ValueId input : node.inputs) inputs.push_back(source(input));
        std::vector<Bytes> results;
        TENON_TRY(evaluate_op(graph, node, inputs, results));
        for (size_t i = 0; i < results.size(); ++i)
            computed[static_cast<size_t>(node.outputs[i])] = std::move(results[i]);
        for (const ValueId input : node.inputs) {
            const bool done = !keep_all && last[static_cast<size_t>(input)] == id && !graph.is_output(input);
            if (done) computed[static_cast<size_t>(input)] = Bytes();
        }
    }
    return computed;
}

/// The reference follows every index without further checks, so what `validate` does not say is said here.
Status check_graph(const GraphData& graph) {
    TENON_TRY(validate(graph));
    for (const Value& value : graph.values) {
        if (value.kind != ValueKind::Constant) continue;
        const size_t needed = bytes_spanned(value);
        if (value.data != nullptr && value.data->size() >= needed) continue;
        return refuse("constant '" + value.name + "' has " + std::to_string(value.data ? value.data->size() : 0) +
                      " bytes, needs " + std::to_string(needed));
    }
    return {};
}

}  // namespace

Status run_reference(const GraphData& graph, const std::map<ValueId, void*>& bindings) {
    TENON_TRY(check_graph(graph));
    TENON_TRY(check_bindings(graph, bindings, true));
    TENON_ASSIGN(const std::vector<Bytes> computed, evaluate_nodes(graph, bindings, false));
    for (const ValueId id : graph.outputs) {
        const Value& value = graph.value(id);
        const Source source{value, computed[static_cast<size_t>(id)].data()};
        const Sink sink{value, static_cast<std::byte*>(bindings.at(id))};
        walk<1>(value.dims, {value.strides}, [&](const auto& at) { copy_element(source, at[0], sink, at[0]); });
    }
    return {};
}

Result<std::vector<Bytes>> evaluate_values(const GraphData& graph, const std::map<ValueId, void*>& bindings) {
    TENON_TRY(check_graph(graph));
    TENON_TRY(check_bindings(graph, bindings, false));
    return evaluate_nodes(graph, bindings, true);
}

Result<std::vector<Bytes>> evaluate_node(const GraphData& graph, NodeId node, const std::vector<const void*>& inputs) {
    if (node < 0 || node >= static_cast<NodeId>(graph.nodes.size())) {
        return refuse("node " + std::to_string(node) + " does not exist; the graph has " +
                      std::to_string(graph.nodes.size()));
    }
    const Node& wanted = graph.node(node);
    if (inputs.size() != wanted.inputs.size()) {
        return refuse("node '" + wanted.name + "' got " + std::to_string(inputs.size()) + " inputs, needs " +
                      std::to_string(wanted.inputs.size()));
    }
    Sources sources;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Value& value = graph.value(wanted.inputs[i]);
        if (inputs[i] == nullptr && element_count(value.dims) > 0) return refuse("'" + value.name + "' has no memory");
        sources.push_back({value, static_cast<const std::byte*>(inputs[i])});
    }
    std::vector<Bytes> results;
    TENON_TRY(evaluate_op(graph, wanted, sources, results));
    return results;
}

}  // namespace tenon::engine
