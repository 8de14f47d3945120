#include "tests/fuzz/graph_edits.h"

#include <algorithm>
#include <set>

#include "engine/reference/axis_tables.h"
#include "frontend/graph/graph_data.h"
#include "frontend/ops/op_rules.h"

namespace tenon::testing {
namespace {

/// Without nodes that no output needs; values keep their ids, so they may become unused inputs.
void drop_unread(RandomGraph& random) {
    GraphData& graph = random.graph.data();
    std::set<ValueId> needed(graph.outputs.begin(), graph.outputs.end());
    std::vector<Node> kept;
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        const bool used =
            std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return needed.contains(id); });
        if (!used) continue;
        needed.insert(node.inputs.begin(), node.inputs.end());
        needed.insert(node.outputs.begin(), node.outputs.end());
        kept.push_back(node);
    }
    graph.nodes.assign(kept.rbegin(), kept.rend());
    std::vector<ValueId> renamed(graph.values.size(), kNone);
    std::vector<Value> values;
    for (size_t id = 0; id < graph.values.size(); ++id) {
        if (!needed.contains(static_cast<ValueId>(id))) {
            random.inputs.erase(graph.values[id].name);
            continue;
        }
        renamed[id] = static_cast<ValueId>(values.size());
        values.push_back(graph.values[id]);
    }
    graph.values = std::move(values);
    const auto rename = [&](std::vector<ValueId>& ids) {
        for (ValueId& id : ids) id = renamed[static_cast<size_t>(id)];
    };
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        rename(graph.nodes[n].inputs);
        rename(graph.nodes[n].outputs);
        for (const ValueId id : graph.nodes[n].outputs)
            graph.values[static_cast<size_t>(id)].producer = static_cast<NodeId>(n);
    }
    rename(graph.outputs);
}

std::optional<RandomGraph> without_output(const RandomGraph& random, size_t output) {
    if (random.graph.data().outputs.size() < 2) return std::nullopt;
    RandomGraph smaller = random;
    std::vector<ValueId>& outputs = smaller.graph.data().outputs;
    outputs.erase(outputs.begin() + static_cast<int64_t>(output));
    drop_unread(smaller);
    return smaller;
}

/// Node n becomes inputs with the values it had on the reference; if it made an output, what it read becomes one.
std::optional<RandomGraph> without_node(const RandomGraph& random, size_t n) {
    RandomGraph whole = random;
    GraphData& kept = whole.graph.data();
    const std::vector<ValueId> results = kept.nodes[n].outputs;
    kept.outputs = results;
    for (const ValueId id : results) kept.values[static_cast<size_t>(id)].name = "cut" + std::to_string(id);
    const Result<NamedTensors> values = run_on_reference(whole.graph, whole.inputs);
    if (!values.is_ok()) return std::nullopt;

    RandomGraph smaller = random;
    GraphData& graph = smaller.graph.data();
    const bool was_output =
        std::any_of(results.begin(), results.end(), [&](ValueId id) { return graph.is_output(id); });
    for (const ValueId id : results) {
        std::erase(graph.outputs, id);
        Value& value = graph.values[static_cast<size_t>(id)];
        value.kind = ValueKind::Input;
        value.producer = kNone;
        value.name = "cut" + std::to_string(id) + "_" + value.name;
        TensorSpec spec{value.name, value.dims, value.type, Layout::NCHW, value.strides};
        smaller.inputs.emplace(value.name, HostTensor(spec, values->at("cut" + std::to_string(id)).values()));
    }
    for (const ValueId id : was_output ? graph.nodes[n].inputs : std::vector<ValueId>{}) {
        if (graph.value(id).kind == ValueKind::Computed && !graph.is_output(id)) graph.outputs.push_back(id);
    }
    if (graph.outputs.empty()) return std::nullopt;
    graph.nodes.erase(graph.nodes.begin() + static_cast<int64_t>(n));
    drop_unread(smaller);
    return smaller;
}

/// The corner of `values` that `dims` covers.
std::vector<double> corner(const Dims& from, const std::vector<double>& values, const Dims& dims) {
    std::vector<double> kept;
    engine::walk<1>(dims, {packed_strides(from, Layout::NCHW)},
                    [&](const auto& at) { kept.push_back(values[static_cast<size_t>(at[0])]); });
    return kept;
}

Dims restrided(const Value& value, const Dims& dims) {
    const bool channels_last = dims.size() > 2 && value.strides == packed_strides(value.dims, Layout::NHWC);
    return packed_strides(dims, channels_last ? Layout::NHWC : Layout::NCHW);
}

/// Every extent `from` of inputs and constants becomes 1; empty if the graph is not valid then.
std::optional<RandomGraph> with_unit_extent(const RandomGraph& random, int64_t from) {
    RandomGraph smaller = random;
    GraphData& graph = smaller.graph.data();
    for (Value& value : graph.values) {
        if (value.kind == ValueKind::Computed) continue;
        Dims dims = value.dims;
        std::replace(dims.begin(), dims.end(), from, int64_t{1});
        if (dims == value.dims) continue;
        const TensorSpec spec{value.name, dims, value.type, Layout::NCHW, restrided(value, dims)};
        if (value.kind == ValueKind::Constant) return std::nullopt;  // their bytes would have to be cut too
        smaller.inputs[value.name] = HostTensor(spec, corner(value.dims, random.inputs.at(value.name).values(), dims));
        value.dims = dims;
        value.strides = spec.strides;
    }
    for (const Node& node : graph.nodes) {
        std::vector<const Value*> inputs;
        for (const ValueId id : node.inputs) inputs.push_back(&graph.value(id));
        const Result<std::vector<Value>> results = infer(node.op, inputs);
        if (!results.is_ok()) return std::nullopt;
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            Value& value = graph.values[static_cast<size_t>(node.outputs[i])];
            value.strides = restrided(value, (*results)[i].dims);
            value.dims = (*results)[i].dims;
        }
    }
    if (!smaller.graph.validate().is_ok()) return std::nullopt;
    return smaller;
}

std::vector<RandomGraph> smaller_graphs(const RandomGraph& random) {
    const GraphData& graph = random.graph.data();
    std::vector<std::optional<RandomGraph>> candidates;
    for (size_t i = 0; i < graph.outputs.size(); ++i) candidates.push_back(without_output(random, i));
    for (size_t n = 0; n < graph.nodes.size(); ++n) candidates.push_back(without_node(random, n));
    std::set<int64_t> extents;
    for (const Value& value : graph.values) extents.insert(value.dims.begin(), value.dims.end());
    extents.erase(1);
    for (const int64_t extent : extents) candidates.push_back(with_unit_extent(random, extent));
    std::vector<RandomGraph> valid;
    for (std::optional<RandomGraph>& candidate : candidates) {
        if (candidate && candidate->graph.validate().is_ok()) valid.push_back(std::move(*candidate));
    }
    return valid;
}

}  // namespace

RandomGraph side_by_side(const std::vector<RandomGraph>& graphs) {
    RandomGraph all;
    GraphData& whole = all.graph.data();
    for (size_t i = 0; i < graphs.size(); ++i) {
        const std::string prefix = "g" + std::to_string(i) + ".";
        const GraphData& part = graphs[i].graph.data();
        const int32_t values = static_cast<int32_t>(whole.values.size());
        const int32_t nodes = static_cast<int32_t>(whole.nodes.size());
        for (Value value : part.values) {
            value.name = prefix + value.name;
            if (value.producer != kNone) value.producer += nodes;
            whole.values.push_back(std::move(value));
        }
        for (Node node : part.nodes) {
            node.name = prefix + node.name;
            for (ValueId& id : node.inputs) id += values;
            for (ValueId& id : node.outputs) id += values;
            whole.nodes.push_back(std::move(node));
        }
        for (const ValueId id : part.outputs) whole.outputs.push_back(id + values);
        for (const auto& [name, tensor] : graphs[i].inputs) all.inputs.emplace(prefix + name, tensor);
    }
    return all;
}

RandomGraph shrunk(RandomGraph failing, const std::function<bool(const RandomGraph&)>& fails, int tries) {
    for (bool smaller = true; smaller && tries > 0;) {
        smaller = false;
        for (RandomGraph& candidate : smaller_graphs(failing)) {
            if (tries-- <= 0) break;
            if (!fails(candidate)) continue;
            failing = std::move(candidate);
            smaller = true;
            break;
        }
    }
    return failing;
}

}  // namespace tenon::testing
