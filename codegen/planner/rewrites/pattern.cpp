#include "codegen/planner/rewrites/pattern.h"

#include <algorithm>
#include <cmath>

#include "codegen/planner/constants.h"

namespace tenon::codegen {

const Node* Pattern::node_behind(ValueId value) const {
    const NodeId producer = graph_.value(value).producer;
    return producer == kNone ? nullptr : &graph_.node(producer);
}

std::optional<ValueId> Pattern::unary(ValueId value, PointwiseKind kind) {
    const Node* node = node_behind(value);
    const auto* pointwise = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
    if (pointwise == nullptr || pointwise->kind != kind) return std::nullopt;
    take(value);
    return node->inputs[0];
}

std::optional<Pattern::Pair> Pattern::binary(ValueId value, PointwiseKind kind) {
    const std::optional<ValueId> first = unary(value, kind);
    if (!first) return std::nullopt;
    return Pair(*first, node_behind(value)->inputs[1]);
}

std::optional<ValueId> Pattern::reduction(ValueId value, ReduceKind kind, int64_t& axis) {
    const Node* node = node_behind(value);
    const auto* reduce = node == nullptr ? nullptr : std::get_if<Reduce>(&node->op);
    if (reduce == nullptr || reduce->kind != kind || !reduce->keep_dims) return std::nullopt;
    const int64_t rank = static_cast<int64_t>(graph_.value(node->inputs[0]).dims.size());
    std::vector<bool> reduced(static_cast<size_t>(rank), reduce->axes.empty());
    for (const int64_t named : reduce->axes) reduced[static_cast<size_t>(named < 0 ? named + rank : named)] = true;
    const auto first = std::find(reduced.begin(), reduced.end(), true);
    if (!std::all_of(first, reduced.end(), [](bool r) { return r; })) return std::nullopt;
    axis = first - reduced.begin();
    take(value);
    return node->inputs[0];
}

std::optional<double> Pattern::number_of(ValueId value) const {
    const Value& constant = graph_.value(value);
    if (constant.kind != ValueKind::Constant || element_count(constant.dims) != 1) return std::nullopt;
    const std::optional<std::vector<double>> numbers = read_constant(constant);
    return numbers ? std::optional(numbers->front()) : std::nullopt;
}

bool Pattern::is_number(ValueId value, double number) const {
    const std::optional<double> found = number_of(value);
    if (!found) return false;
    // As near as the constant's type can say it.
    const DataType type = graph_.value(value).type;
    const double precision = type == DataType::BF16 ? 0x1p-7 : type == DataType::F16 ? 0x1p-10 : 1e-6;
    return std::fabs(*found - number) <= precision * std::fabs(number);
}

std::optional<std::pair<ValueId, double>> Pattern::with_any_number(ValueId value, PointwiseKind kind) {
    const std::optional<Pair> operands = binary(value, kind);
    if (!operands) return std::nullopt;
    if (const std::optional<double> second = number_of(operands->second)) return std::pair(operands->first, *second);
    const bool commutes = kind == PointwiseKind::Add || kind == PointwiseKind::Multiply ||
                          kind == PointwiseKind::Maximum || kind == PointwiseKind::Minimum;
    const std::optional<double> first = number_of(operands->first);
    if (!commutes || !first) return std::nullopt;
    return std::pair(operands->second, *first);
}

std::optional<ValueId> Pattern::with_number(ValueId value, PointwiseKind kind, double number) {
    const std::optional<Pair> operands = binary(value, kind);
    if (!operands) return std::nullopt;
    if (is_number(operands->second, number)) return operands->first;
    if (is_number(operands->first, number)) return operands->second;
    return std::nullopt;
}

std::optional<ValueId> Pattern::squared(ValueId value) {
    if (const std::optional<ValueId> x = unary(value, PointwiseKind::Square)) return x;
    if (const std::optional<Pair> factors = binary(value, PointwiseKind::Multiply))
        return factors->first == factors->second ? std::optional(factors->first) : std::nullopt;
    const std::optional<Pair> power = binary(value, PointwiseKind::Power);
    return power && is_number(power->second, 2.0) ? std::optional(power->first) : std::nullopt;
}

bool Pattern::product(ValueId value, std::vector<ValueId>& factors, double& number) {
    if (const std::optional<double> constant = number_of(value)) {
        number *= *constant;
        return true;
    }
    if (const std::optional<Pair> both = binary(value, PointwiseKind::Multiply))
        return product(both->first, factors, number) && product(both->second, factors, number);
    const Node* node = node_behind(value);
    const auto* division = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
    if (division != nullptr && division->kind == PointwiseKind::Divide && number_of(node->inputs[1])) {
        take(value);
        number /= *number_of(node->inputs[1]);
        return product(node->inputs[0], factors, number);
    }
    factors.push_back(value);
    return factors.size() <= 4;
}

std::string Pattern::refusal() const {
    for (const NodeId id : nodes_) {
        const Node& node = graph_.node(id);
        if (node.fusion == Fusion::Forbidden) return "'" + node.name + "' forbids fusion";
        if (id == last_) continue;
        const ValueId result = node.outputs[0];
        const std::vector<NodeId>& readers = view_.readers(result);
        const bool inside = std::all_of(readers.begin(), readers.end(), [&](NodeId r) { return nodes_.contains(r); });
        if (!inside || graph_.is_output(result)) return "'" + graph_.value(result).name + "' is wanted by others";
        const DataType type = graph_.value(result).type;
        const bool rounds = (type == DataType::F16 || type == DataType::BF16) && !graph_.numerics.relaxed;
        if (rounds)
            return "'" + graph_.value(result).name + "' rounds to " + std::string(to_string(type)) +
                   ", and the graph is not relaxed";
    }
    return {};
}

}  // namespace tenon::codegen
