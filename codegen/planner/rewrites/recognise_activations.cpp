#include <cmath>
#include <functional>

#include "codegen/planner/rewrites.h"
#include "codegen/planner/rewrites/pattern.h"

namespace tenon::codegen {
namespace {

/// An activation that was found, and what it is a function of.
struct Found {
    Pointwise function;
    ValueId x = kNone;
};

bool near(double a, double b) { return std::fabs(a - b) <= 2e-3 * std::fabs(b); }

/// x of clip(x, 0, 6), also as min(max(x, 0), 6) and min(relu(x), 6).
std::optional<ValueId> clipped_to_six(Pattern& pattern, ValueId value) {
    const Node* node = pattern.node_behind(value);
    const auto* clip = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
    if (clip != nullptr && clip->kind == PointwiseKind::Clip && clip->parameters[0] == 0.0 &&
        clip->parameters[1] == 6.0)
        return pattern.unary(value, PointwiseKind::Clip);
    const std::optional<ValueId> inner = pattern.with_number(value, PointwiseKind::Minimum, 6.0);
    if (!inner) return std::nullopt;
    if (const std::optional<ValueId> x = pattern.with_number(*inner, PointwiseKind::Maximum, 0.0)) return x;
    const Node* relu = pattern.node_behind(*inner);
    const auto* function = relu == nullptr ? nullptr : std::get_if<Pointwise>(&relu->op);
    const bool plain = function != nullptr && function->kind == PointwiseKind::Relu && function->parameters[0] == 0.0;
    return plain ? pattern.unary(*inner, PointwiseKind::Relu) : std::nullopt;
}

// x * sigmoid(b x) -> swish(x, b)
std::optional<Found> swish(Pattern& pattern, ValueId x, ValueId factor, double number) {
    if (!near(number, 1.0)) return std::nullopt;
    const std::optional<ValueId> inner = pattern.unary(factor, PointwiseKind::Sigmoid);
    if (!inner) return std::nullopt;
    if (*inner == x) return Found{{PointwiseKind::Swish, {1.0}}, x};
    const auto scaled = pattern.with_any_number(*inner, PointwiseKind::Multiply);
    if (!scaled || scaled->first != x) return std::nullopt;
    return Found{{PointwiseKind::Swish, {scaled->second}}, x};
}

// x * clip(x + 3, 0, 6) / 6 -> hard_swish(x), and x * hard_sigmoid(x)
std::optional<Found> hard_swish(Pattern& pattern, ValueId x, ValueId factor, double number) {
    if (near(number, 1.0)) {
        const Node* node = pattern.node_behind(factor);
        const auto* gate = node == nullptr ? nullptr : std::get_if<Pointwise>(&node->op);
        const bool fits = gate != nullptr && gate->kind == PointwiseKind::HardSigmoid &&
                          near(gate->parameters[0], 1.0 / 6.0) && gate->parameters[1] == 0.5;
        if (fits && pattern.unary(factor, PointwiseKind::HardSigmoid) == x)
            return Found{{PointwiseKind::HardSwish, {}}, x};
    }
    if (!near(number, 1.0 / 6.0)) return std::nullopt;
    const std::optional<ValueId> shifted = clipped_to_six(pattern, factor);
    if (!shifted || pattern.with_number(*shifted, PointwiseKind::Add, 3.0) != x) return std::nullopt;
    return Found{{PointwiseKind::HardSwish, {}}, x};
}

// x / 2 * (1 + erf(x / sqrt 2)) -> gelu(x)
std::optional<Found> gelu(Pattern& pattern, ValueId x, ValueId factor, double number) {
    if (!near(number, 0.5)) return std::nullopt;
    const std::optional<ValueId> erf = pattern.with_number(factor, PointwiseKind::Add, 1.0);
    const std::optional<ValueId> inner = erf ? pattern.unary(*erf, PointwiseKind::Erf) : std::nullopt;
    if (!inner) return std::nullopt;
    std::vector<ValueId> factors;
    double scale = 1.0;
    if (!pattern.product(*inner, factors, scale) || factors != std::vector<ValueId>{x} || !near(scale, std::sqrt(0.5)))
        return std::nullopt;
    return Found{{PointwiseKind::Gelu, {}}, x};
}

/// Whether `value` is 0.044715 x^n.
bool is_small_power(Pattern& pattern, ValueId value, ValueId x, size_t n) {
    std::vector<ValueId> factors, plain;
    double number = 1.0;
    if (!pattern.product(value, factors, number) || !near(number, 0.044715)) return false;
    for (const ValueId factor : factors) {
        const auto power = factor == x ? std::nullopt : pattern.binary(factor, PointwiseKind::Power);
        const std::optional<double> exponent = power ? pattern.number_of(power->second) : std::nullopt;
        if (exponent && power->first == x && (*exponent == 2.0 || *exponent == 3.0)) {
            plain.insert(plain.end(), static_cast<size_t>(*exponent), x);
        } else if (factor != x && pattern.unary(factor, PointwiseKind::Square) == x) {
            plain.insert(plain.end(), 2, x);
        } else {
            plain.push_back(factor);
        }
    }
    return plain == std::vector<ValueId>(n, x);
}

// x / 2 * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) -> gelu_tanh(x), also with x taken out of the sum
std::optional<Found> gelu_tanh(Pattern& pattern, ValueId x, ValueId factor, double number) {
    if (!near(number, 0.5)) return std::nullopt;
    const std::optional<ValueId> tanh = pattern.with_number(factor, PointwiseKind::Add, 1.0);
    const std::optional<ValueId> inner = tanh ? pattern.unary(*tanh, PointwiseKind::Tanh) : std::nullopt;
    if (!inner) return std::nullopt;
    std::vector<ValueId> factors;
    double scale = 1.0;
    if (!pattern.product(*inner, factors, scale) || !near(scale, std::sqrt(2.0 / std::acos(-1.0)))) return std::nullopt;
    const bool taken_out = factors.size() == 2 && (factors[0] == x || factors[1] == x);
    if (!taken_out && factors.size() != 1) return std::nullopt;
    const ValueId rest = factors[0] == x && taken_out ? factors[1] : factors[0];
    const std::optional<Pattern::Pair> sum = pattern.binary(rest, PointwiseKind::Add);
    if (!sum) return std::nullopt;
    for (const auto& [plain, power] : {*sum, Pattern::Pair(sum->second, sum->first)}) {
        const bool first = taken_out ? pattern.is_number(plain, 1.0) : plain == x;
        if (first && is_small_power(pattern, power, x, taken_out ? 2 : 3))
            return Found{{PointwiseKind::GeluTanh, {}}, x};
    }
    return std::nullopt;
}

using Matcher = std::optional<Found> (*)(Pattern&, ValueId x, ValueId factor, double number);

bool is_product(const Node& node) {
    const auto* pointwise = std::get_if<Pointwise>(&node.op);
    return pointwise != nullptr &&
           (pointwise->kind == PointwiseKind::Multiply || pointwise->kind == PointwiseKind::Divide);
}

/// Tries each matcher on the product that ends in node `last`, with either factor as x.
std::optional<Found> find(const GraphData& graph, const GraphView& view, NodeId last, std::string& refusal) {
    for (const Matcher matcher : {swish, hard_swish, gelu, gelu_tanh}) {
        for (const bool swapped : {false, true}) {
            Pattern pattern(graph, view, last);
            std::vector<ValueId> factors;
            double number = 1.0;
            if (!pattern.product(graph.node(last).outputs[0], factors, number) || factors.size() != 2)
                return std::nullopt;
            const std::optional<Found> found =
                matcher(pattern, factors[swapped ? 1 : 0], factors[swapped ? 0 : 1], number);
            if (!found || graph.value(found->x).dims != graph.value(graph.node(last).outputs[0]).dims) continue;
            refusal = pattern.refusal();
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace

// Products written out by hand or by an exporter become the one function they are. At minus infinity, where the written
// form is inf * 0, the function has its limit.
void recognise_activations(GraphData& graph, std::vector<std::string>& done) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        if (!is_product(graph.nodes[n])) continue;
        const GraphView view(graph);
        std::string refusal;
        const std::optional<Found> found = find(graph, view, static_cast<NodeId>(n), refusal);
        if (!found) continue;
        const std::string what(info(found->function.kind).name);
        Node& node = graph.nodes[n];
        if (!refusal.empty()) {
            done.push_back("recognise_activations: not " + what + " at " + node.name + ": " + refusal);
            continue;
        }
        node.op = found->function;
        node.inputs = {found->x};
        done.push_back("recognise_activations: " + what + " at " + node.name);
    }
}

}  // namespace tenon::codegen
