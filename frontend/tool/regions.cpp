#include "frontend/tool/regions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

namespace tenon::tool {
namespace {

/// Sets of nodes that grow together.
class Groups {
  public:
    explicit Groups(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
    size_t root(size_t node) {
        while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
        return node;
    }
    void join(size_t a, size_t b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

  private:
    std::vector<size_t> parent_;
};

/// Names of planned nodes are the user's; a node that was written out gives "name.step".
bool is_part_of(const std::string& planned, const std::string& node) {
    return planned == node || (planned.starts_with(node) && planned[node.size()] == '.');
}

}  // namespace

Result<std::vector<RegionNodes>> regions_of(const Plan& plan) {
    const GraphData& graph = plan.graph().data();
    const nlohmann::json explained = nlohmann::json::parse(plan.explain_json(), nullptr, false);
    if (!explained.is_object() || !explained.contains("kernels"))
        return Status(ErrorCode::Unsupported, "the plan does not say which nodes its kernels compute");
    Groups groups(graph.nodes.size());
    std::vector<std::pair<std::string, size_t>> kernels;
    for (const auto& kernel : explained["kernels"]) {
        std::vector<size_t> members;
        for (const auto& planned : kernel["nodes"]) {
            for (size_t n = 0; n < graph.nodes.size(); ++n) {
                if (is_part_of(planned.get<std::string>(), graph.nodes[n].name)) members.push_back(n);
            }
        }
        for (const size_t member : members) groups.join(members.front(), member);
        if (!members.empty()) kernels.emplace_back(kernel["name"].get<std::string>(), members.front());
    }
    std::map<size_t, RegionNodes> regions;
    for (size_t n = 0; n < graph.nodes.size(); ++n) regions[groups.root(n)].nodes.push_back(static_cast<NodeId>(n));
    for (const auto& [name, node] : kernels) regions[groups.root(node)].kernels.push_back(name);
    std::vector<RegionNodes> list;
    for (auto& [root, region] : regions) list.push_back(std::move(region));
    return list;
}

RegionGraph graph_of(const GraphData& graph, const std::vector<NodeId>& nodes) {
    RegionGraph region;
    region.graph.set_numerics(graph.numerics);
    std::set<std::string> names;
    const auto unique = [&](const Value& value, ValueId id) {
        return names.insert(value.name).second ? value.name : value.name + "#" + std::to_string(id);
    };
    std::map<ValueId, Tensor> own;
    const auto tensor_of = [&](ValueId id) {
        const auto found = own.find(id);
        if (found != own.end()) return found->second;
        const Value& value = graph.value(id);
        const TensorSpec spec{unique(value, id), value.dims, value.type, Layout::NCHW, value.strides};
        if (value.kind == ValueKind::Constant)
            return own[id] = region.graph.constant(spec, value.data->data(), value.data->size());
        const Tensor input = value.kind == ValueKind::HostScalar ? region.graph.host_scalar(spec.name, value.type)
                                                                 : region.graph.input(spec);
        region.inputs.emplace_back(input, id);
        return own[id] = input;
    };
    for (const NodeId n : nodes) {
        const Node& node = graph.node(n);
        std::vector<Tensor> inputs;
        for (const ValueId id : node.inputs) inputs.push_back(tensor_of(id));
        const std::vector<Tensor> results = region.graph.apply(node.op, inputs, {.name = node.name});
        for (size_t i = 0; i < results.size() && results[i].id >= 0; ++i) {
            const Value& value = graph.value(node.outputs[i]);
            Value& result = region.graph.data().values[static_cast<size_t>(results[i].id)];
            result.name = unique(value, node.outputs[i]);
            result.type = value.type;
            result.strides = value.strides;
            own[node.outputs[i]] = results[i];
        }
    }
    const std::set<NodeId> inside(nodes.begin(), nodes.end());
    for (const NodeId n : nodes) {
        for (const ValueId id : graph.node(n).outputs) {
            bool leaves = graph.is_output(id), is_read = false;
            for (size_t reader = 0; reader < graph.nodes.size(); ++reader) {
                const auto& reads = graph.nodes[reader].inputs;
                if (std::find(reads.begin(), reads.end(), id) == reads.end()) continue;
                is_read = true;
                leaves = leaves || !inside.contains(static_cast<NodeId>(reader));
            }
            if (!leaves && is_read) continue;
            region.graph.output(own[id]);
            region.outputs.emplace_back(own[id], id);
        }
    }
    return region;
}

Graph with_all_kept(const Graph& graph) {
    Graph kept = graph;
    GraphData& data = kept.data();
    data.outputs.clear();
    for (size_t id = 0; id < data.values.size(); ++id) {
        Value& value = data.values[id];
        if (value.kind != ValueKind::Computed) continue;
        value.name = "value " + std::to_string(id);
        data.outputs.push_back(static_cast<ValueId>(id));
    }
    return kept;
}

}  // namespace tenon::tool
