#include "frontend/graph/validate.h"

#include <algorithm>
#include <set>

#include "frontend/ops/op_rules.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 46;

Status refuse(std::string text) { return Status(ErrorCode::InvalidGraph, std::move(text)); }

/// Distinct coordinates must fall on distinct elements: sorted by stride, each axis steps over the ones inside it.
bool overlaps(const Value& value) {
    if (element_count(value.dims) == 0) return false;
    std::vector<std::pair<int64_t, int64_t>> axes;
    for (size_t axis = 0; axis < value.dims.size(); ++axis) {
        if (value.dims[axis] == 0) return false;  // there are no elements
        if (value.dims[axis] > 1) axes.emplace_back(value.strides[axis], value.dims[axis]);
    }
    std::sort(axes.begin(), axes.end());
    int64_t inside = 1;
    for (const auto& [stride, extent] : axes) {
        if (stride < inside) return true;
        inside = stride * (extent - 1) + inside;
    }
    return false;
}

/// References stay inside the graph, nodes read only what stands before them, and every computed value has its writer.
Status check_references(const GraphData& graph) {
    const auto exists = [&](ValueId id) { return id >= 0 && id < static_cast<ValueId>(graph.values.size()); };
    std::vector<bool> written(graph.values.size());
    for (size_t id = 0; id < graph.values.size(); ++id) written[id] = graph.values[id].kind != ValueKind::Computed;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const Node& node = graph.nodes[n];
        for (const ValueId id : node.inputs) {
            if (!exists(id))
                return refuse("'" + node.name + "' reads tensor " + std::to_string(id) + ", which does not exist");
            if (!written[static_cast<size_t>(id)])
                return refuse("'" + node.name + "' reads '" + graph.value(id).name + "' before any node writes it");
        }
        for (const ValueId id : node.outputs) {
            if (!exists(id))
                return refuse("'" + node.name + "' writes tensor " + std::to_string(id) + ", which does not exist");
            if (written[static_cast<size_t>(id)] || graph.value(id).producer != static_cast<NodeId>(n))
                return refuse("'" + node.name + "' writes '" + graph.value(id).name +
                              "', which another node or the caller gives");
            written[static_cast<size_t>(id)] = true;
        }
    }
    for (const ValueId id : graph.outputs) {
        if (!exists(id) || !written[static_cast<size_t>(id)] || graph.value(id).kind != ValueKind::Computed)
            return refuse("output " + std::to_string(id) + " is computed by no node");
    }
    return {};
}

/// A constant brings all its bytes.
Status check_data(const Value& value) {
    if (value.kind != ValueKind::Constant) return {};
    const int64_t needed = span_of(value.dims, value.strides) * bytes_of(value.type);
    const int64_t found = value.data ? static_cast<int64_t>(value.data->size()) : 0;
    if (found == needed) return {};
    return refuse("constant '" + value.name + "' has " + std::to_string(found) + " bytes, needs " +
                  std::to_string(needed));
}

/// Whether a result the operation gives as `from` may be declared `to` without a cast.
bool may_be_declared(const Op& op, DataType from, DataType to) {
    const bool sums = std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) ||
                      std::holds_alternative<Matmul>(op);
    return from == to || (is_floating(from) && is_floating(to)) || (sums && is_integer(from) && to != DataType::Bool);
}

Status check_results(const GraphData& graph, const Node& node) {
    std::vector<const Value*> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(&graph.value(id));
    TENON_ASSIGN(const std::vector<Value> results, infer(node.op, inputs));
    if (results.size() != node.outputs.size())
        return refuse("has " + std::to_string(node.outputs.size()) + " results, needs " +
                      std::to_string(results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
        const Value& value = graph.value(node.outputs[i]);
        if (!may_be_declared(node.op, results[i].type, value.type))
            return refuse("result '" + value.name + "' is declared " + std::string(to_string(value.type)) +
                          ", the operation gives " + std::string(to_string(results[i].type)));
        if (value.dims == results[i].dims) continue;
        return refuse("result '" + value.name + "' is " + to_text(value.dims) + ", needs " + to_text(results[i].dims));
    }
    return {};
}

}  // namespace

Status check_extents(const Value& value) {
    if (value.dims.size() > kMaxRank)
        return refuse("'" + value.name + "' has rank " + std::to_string(value.dims.size()) + ", at most " +
                      std::to_string(kMaxRank) + " is possible");
    int64_t bytes = bytes_of(value.type);
    for (const int64_t extent : value.dims) {
        if (extent < 0) return refuse("'" + value.name + "' has the extent " + std::to_string(extent));
        if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) || bytes > kMostBytes)
            return refuse("'" + value.name + "' is too large: " + to_text(value.dims));
    }
    return {};
}

Status check_strides(const Value& value) {
    if (value.strides.size() != value.dims.size()) {
        return refuse("'" + value.name + "' has " + std::to_string(value.strides.size()) + " strides for rank " +
                      std::to_string(value.dims.size()));
    }
    int64_t span = 1;
    for (size_t axis = 0; axis < value.dims.size(); ++axis) {
        int64_t reach = 0;
        if (value.dims[axis] > 1 && value.strides[axis] < 0)
            return refuse("'" + value.name + "' has a negative stride on axis " + std::to_string(axis));
        if (value.dims[axis] <= 1) continue;
        if (__builtin_mul_overflow(value.dims[axis] - 1, value.strides[axis], &reach) ||
            __builtin_add_overflow(span, reach, &span) || span > kMostBytes) {
            return refuse("'" + value.name + "' spans too much memory");
        }
    }
    if (value.kind == ValueKind::Computed && overlaps(value))
        return refuse("result '" + value.name + "' overlaps itself: two elements share an address");
    return {};
}

Status apply_wishes(const As& as, const Op& op, Value& result) {
    if (as.type && !may_be_declared(op, result.type, *as.type)) {
        return refuse("gives " + std::string(to_string(result.type)) + ", which cannot be declared " +
                      std::string(to_string(*as.type)) + "; cast it");
    }
    if (as.type) result.type = *as.type;
    if (as.layout) result.strides = packed_strides(result.dims, *as.layout);
    if (!as.strides.empty()) result.strides = as.strides;
    TENON_TRY(check_extents(result));
    return check_strides(result);
}

Status about_node(const Node& node, const Status& status) {
    if (status.is_ok()) return status;
    return Status(status.code(), std::string(name_of(node.op)) + " '" + node.name + "': " + status.message());
}

Status check_node(const GraphData& graph, const Node& node) { return about_node(node, check_results(graph, node)); }

Status validate(const GraphData& graph) {
    TENON_TRY(graph.first_mistake);
    TENON_TRY(check_references(graph));
    std::set<std::string> names;
    for (size_t id = 0; id < graph.values.size(); ++id) {
        const Value& value = graph.values[id];
        TENON_TRY(check_extents(value));
        TENON_TRY(check_strides(value));
        TENON_TRY(check_data(value));
        if (value.kind == ValueKind::HostScalar && !value.dims.empty())
            return refuse("host scalar '" + value.name + "' is " + to_text(value.dims) + ", needs rank 0");
        const bool bound = value.kind == ValueKind::Input || value.kind == ValueKind::HostScalar ||
                           graph.is_output(static_cast<ValueId>(id));
        if (bound && !names.insert(value.name).second)
            return refuse("two inputs or outputs are called '" + value.name + "'");
    }
    for (const Node& node : graph.nodes) TENON_TRY(check_node(graph, node));
    if (graph.outputs.empty()) return refuse("the graph has no output");
    return {};
}

}  // namespace tenon
