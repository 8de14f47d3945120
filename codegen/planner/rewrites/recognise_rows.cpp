#include <algorithm>

#include "codegen/planner/rewrites.h"
#include "codegen/planner/rewrites/pattern.h"

namespace tenon::codegen {
namespace {

/// A norm or softmax that was found, and its inputs.
struct Found {
    Op op;
    std::vector<ValueId> inputs;
};

/// value = numerator / sqrt(variance + epsilon), however the root is written.
struct Quotient {
    ValueId numerator = kNone;
    ValueId variance = kNone;
    double epsilon = 0.0;
};

/// sqrt(v + epsilon) or its reciprocal behind `value`.
std::optional<std::pair<ValueId, double>> root(Pattern& pattern, ValueId value, bool inverse) {
    std::optional<ValueId> inside;
    if (inverse) {
        inside = pattern.unary(value, PointwiseKind::Rsqrt);
        const std::optional<ValueId> below = inside ? std::nullopt : pattern.unary(value, PointwiseKind::Reciprocal);
        if (below) inside = pattern.unary(*below, PointwiseKind::Sqrt);
        const auto one_over = inside || below ? std::nullopt : pattern.binary(value, PointwiseKind::Divide);
        if (one_over && pattern.is_number(one_over->first, 1.0))
            inside = pattern.unary(one_over->second, PointwiseKind::Sqrt);
    } else {
        inside = pattern.unary(value, PointwiseKind::Sqrt);
    }
    if (!inside) return std::nullopt;
    return pattern.with_any_number(*inside, PointwiseKind::Add);
}

std::vector<Quotient> quotients(Pattern& pattern, ValueId value) {
    std::vector<Quotient> found;
    if (const auto division = pattern.binary(value, PointwiseKind::Divide)) {
        const auto below = root(pattern, division->second, false);
        if (below) found.push_back({division->first, below->first, below->second});
    }
    if (const auto factors = pattern.binary(value, PointwiseKind::Multiply)) {
        for (const auto& [a, b] : {*factors, Pattern::Pair(factors->second, factors->first)}) {
            const auto inverse = root(pattern, b, true);
            if (inverse) found.push_back({a, inverse->first, inverse->second});
        }
    }
    return found;
}

// x / sqrt(mean(x^2) + epsilon) -> rms_norm(x); with x - mean(x) in the place of x -> layer_norm
std::optional<Found> norm(Pattern& pattern, ValueId value) {
    for (const Quotient& quotient : quotients(pattern, value)) {
        int64_t axis = 0, mean_axis = 0;
        const std::optional<ValueId> square = pattern.reduction(quotient.variance, ReduceKind::Mean, axis);
        if (!square || pattern.squared(*square) != quotient.numerator) continue;
        Norm norm{.kind = NormKind::Rms, .axis = axis, .epsilon = quotient.epsilon};
        const auto difference = pattern.binary(quotient.numerator, PointwiseKind::Subtract);
        const bool centred =
            difference && pattern.reduction(difference->second, ReduceKind::Mean, mean_axis) == difference->first;
        if (!centred || mean_axis != axis) {
            // What the root is taken of may itself be a difference; only its own nodes belong to the norm.
            return Found{norm, {quotient.numerator}};
        }
        norm.kind = NormKind::Layer;
        return Found{norm, {difference->first}};
    }
    return std::nullopt;
}

/// Whether scale or bias has the extents a norm over the last axes needs.
bool is_vector(const GraphData& graph, ValueId value, const Dims& dims, int64_t axis) {
    return is_floating(graph.value(value).type) && graph.value(value).dims == Dims(dims.begin() + axis, dims.end());
}

// norm(x) * scale -> norm(x, scale); norm(x, scale) + bias -> norm(x, scale, bias)
std::optional<Found> extended(Pattern& pattern, const GraphData& graph, ValueId value) {
    const Node* node = pattern.node_behind(value);
    const auto* pointwise = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
    if (pointwise == nullptr) return std::nullopt;
    const bool scales = pointwise->kind == PointwiseKind::Multiply, adds = pointwise->kind == PointwiseKind::Add;
    if (!scales && !adds) return std::nullopt;
    for (const auto& [inner, vector] :
         {Pattern::Pair(node->inputs[0], node->inputs[1]), Pattern::Pair(node->inputs[1], node->inputs[0])}) {
        const Node* norm = pattern.node_behind(inner);
        const auto* op = norm == nullptr ? nullptr : std::get_if<Norm>(&norm->op);
        const bool rows = op != nullptr && (op->kind == NormKind::Layer || op->kind == NormKind::Rms);
        if (!rows || op->save_statistics || norm->inputs.size() != (scales ? 1 : 2)) continue;
        const Dims& dims = graph.value(norm->inputs[0]).dims;
        const int64_t axis = op->axis < 0 ? op->axis + static_cast<int64_t>(dims.size()) : op->axis;
        if (!is_vector(graph, vector, dims, axis)) continue;
        pattern.take(inner);
        Found found{*op, norm->inputs};
        found.inputs.push_back(vector);
        return found;
    }
    return std::nullopt;
}

/// The one axis that max and sum of a softmax reduce.
std::optional<ValueId> reduced(Pattern& pattern, ValueId value, ReduceKind kind, int64_t& axis) {
    const Node* node = pattern.node_behind(value);
    const auto* reduce = node == nullptr ? nullptr : std::get_if<Reduce>(&node->op);
    if (reduce == nullptr || reduce->kind != kind || !reduce->keep_dims || reduce->axes.size() != 1)
        return std::nullopt;
    axis = reduce->axes.front();
    pattern.take(value);
    return node->inputs[0];
}

/// x of x - max(x) along `axis`; x itself if nothing is subtracted.
ValueId before_shift(Pattern& pattern, const GraphData& graph, ValueId value, int64_t axis) {
    const auto* node = pattern.node_behind(value);
    const auto* pointwise = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
    if (pointwise == nullptr || pointwise->kind != PointwiseKind::Subtract) return value;
    const Node* largest = pattern.node_behind(node->inputs[1]);
    const auto* reduce = largest == nullptr ? nullptr : std::get_if<Reduce>(&largest->op);
    const int64_t rank = static_cast<int64_t>(graph.value(value).dims.size());
    const bool fits = reduce != nullptr && reduce->kind == ReduceKind::Max && reduce->keep_dims &&
                      reduce->axes.size() == 1 && (reduce->axes[0] + rank) % rank == (axis + rank) % rank &&
                      largest->inputs[0] == node->inputs[0];
    if (!fits) return value;
    pattern.take(value);
    pattern.take(node->inputs[1]);
    return node->inputs[0];
}

// exp(x - max(x)) / sum(exp(x - max(x))) -> softmax(x), also without the maximum, which only prevents overflow
std::optional<Found> softmax(Pattern& pattern, const GraphData& graph, ValueId value) {
    const auto division = pattern.binary(value, PointwiseKind::Divide);
    int64_t axis = 0;
    if (!division || reduced(pattern, division->second, ReduceKind::Sum, axis) != division->first) return std::nullopt;
    const std::optional<ValueId> power = pattern.unary(division->first, PointwiseKind::Exp);
    if (!power) return std::nullopt;
    return Found{Softmax{axis}, {before_shift(pattern, graph, *power, axis)}};
}

// log(softmax(x)) -> log_softmax(x); s - log(sum(exp(s))) with s = x - max(x) -> log_softmax(x)
std::optional<Found> log_softmax(Pattern& pattern, const GraphData& graph, ValueId value) {
    if (const std::optional<ValueId> inner = pattern.unary(value, PointwiseKind::Log)) {
        const Node* node = pattern.node_behind(*inner);
        const auto* op = node == nullptr ? nullptr : std::get_if<Softmax>(&node->op);
        if (op == nullptr || op->log) return std::nullopt;
        pattern.take(*inner);
        return Found{Softmax{op->axis, true}, node->inputs};
    }
    const auto difference = pattern.binary(value, PointwiseKind::Subtract);
    const auto sum = difference ? pattern.unary(difference->second, PointwiseKind::Log) : std::nullopt;
    int64_t axis = 0;
    const auto power = sum ? reduced(pattern, *sum, ReduceKind::Sum, axis) : std::nullopt;
    if (!power || pattern.unary(*power, PointwiseKind::Exp) != difference->first) return std::nullopt;
    return Found{Softmax{axis, true}, {before_shift(pattern, graph, difference->first, axis)}};
}

std::string name_of_found(const Op& op) {
    if (const auto* norm = std::get_if<Norm>(&op)) return norm->kind == NormKind::Layer ? "layer_norm" : "rms_norm";
    return std::get<Softmax>(op).log ? "log_softmax" : "softmax";
}

std::optional<Found> find(const GraphData& graph, const GraphView& view, NodeId last, std::string& refusal) {
    const ValueId value = graph.node(last).outputs[0];
    const auto attempt = [&](auto matcher) -> std::optional<Found> {
        Pattern pattern(graph, view, last);
        std::optional<Found> found = matcher(pattern);
        if (!found || graph.value(found->inputs[0]).dims != graph.value(value).dims ||
            !is_floating(graph.value(found->inputs[0]).type))
            return std::nullopt;
        refusal = pattern.refusal();
        return found;
    };
    if (auto found = attempt([&](Pattern& p) { return norm(p, value); })) return found;
    if (auto found = attempt([&](Pattern& p) { return extended(p, graph, value); })) return found;
    if (auto found = attempt([&](Pattern& p) { return softmax(p, graph, value); })) return found;
    return attempt([&](Pattern& p) { return log_softmax(p, graph, value); });
}

}  // namespace

// Norms and softmax written out as reductions and pointwise functions become one node.
void recognise_rows(GraphData& graph, std::vector<std::string>& done) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        if (!std::holds_alternative<Pointwise>(graph.nodes[n].op)) continue;
        const GraphView view(graph);
        std::string refusal;
        const std::optional<Found> found = find(graph, view, static_cast<NodeId>(n), refusal);
        if (!found) continue;
        Node& node = graph.nodes[n];
        const std::string what = name_of_found(found->op) + " at " + node.name;
        if (!refusal.empty()) {
            done.push_back("recognise_rows: not " + what + ": " + refusal);
            continue;
        }
        node.op = found->op;
        node.inputs = found->inputs;
        done.push_back("recognise_rows: " + what);
    }
}

}  // namespace tenon::codegen
