#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "codegen/planner/constants.h"
#include "codegen/planner/rewrites.h"
#include "frontend/graph/graph_view.h"

namespace tenon::codegen {
namespace {

using Numbers = std::vector<double>;

/// Axis of the result along which the filters of a product run.
std::optional<size_t> channel_axis(const GraphData& graph, const Node& product) {
    if (std::holds_alternative<Conv>(product.op) || std::holds_alternative<ConvTranspose>(product.op)) return 1;
    if (std::holds_alternative<Matmul>(product.op)) return graph.value(product.outputs[0]).dims.size() - 1;
    return std::nullopt;
}

/// Numbers of a constant that broadcasts over `dims` along `axis` only, one per channel.
std::optional<Numbers> per_channel(const Value& value, const Dims& dims, size_t axis) {
    if (!is_floating(value.type)) return std::nullopt;
    const std::optional<Numbers> numbers = read_constant(value);
    if (!numbers || value.dims.size() > dims.size()) return std::nullopt;
    const size_t missing = dims.size() - value.dims.size();
    for (size_t i = 0; i < value.dims.size(); ++i) {
        if (value.dims[i] != 1 && missing + i != axis) return std::nullopt;
    }
    if (numbers->size() == 1) return Numbers(static_cast<size_t>(dims[axis]), numbers->front());
    return static_cast<int64_t>(numbers->size()) == dims[axis] ? numbers : std::nullopt;
}

/// What a node does to its data operand: x * scale + shift per channel.
struct Affine {
    ValueId x = kNone;
    Numbers scale, shift;
};

std::optional<Affine> affine_of(const GraphData& graph, const Node& node, size_t axis) {
    const Dims& dims = graph.value(node.outputs[0]).dims;
    const size_t channels = static_cast<size_t>(dims[axis]);
    if (const auto* norm = std::get_if<BatchNorm>(&node.op)) {
        if (norm->training || axis != 1) return std::nullopt;
        Numbers parameters[4];
        for (size_t i = 0; i < 4; ++i) {
            const std::optional<Numbers> numbers = read_constant(graph.value(node.inputs[i + 1]));
            if (!numbers) return std::nullopt;
            parameters[i] = *numbers;
        }
        Affine affine{node.inputs[0], Numbers(channels), Numbers(channels)};
        for (size_t c = 0; c < channels; ++c) {
            affine.scale[c] = parameters[0][c] / std::sqrt(parameters[3][c] + norm->epsilon);
            affine.shift[c] = parameters[1][c] - parameters[2][c] * affine.scale[c];
        }
        return affine;
    }
    const auto* pointwise = std::get_if<Pointwise>(&node.op);
    if (pointwise == nullptr || node.inputs.size() != 2) return std::nullopt;
    const bool swapped = graph.value(node.inputs[0]).kind == ValueKind::Constant;
    const ValueId x = node.inputs[swapped ? 1 : 0];
    const std::optional<Numbers> constant = per_channel(graph.value(node.inputs[swapped ? 0 : 1]), dims, axis);
    if (!constant || graph.value(x).dims != dims) return std::nullopt;
    Affine affine{x, Numbers(channels, 1.0), Numbers(channels, 0.0)};
    for (size_t c = 0; c < channels; ++c) {
        const double number = (*constant)[c];
        if (pointwise->kind == PointwiseKind::Multiply)
            affine.scale[c] = number;
        else if (pointwise->kind == PointwiseKind::Divide && !swapped)
            affine.scale[c] = 1.0 / number;
        else if (pointwise->kind == PointwiseKind::Add)
            affine.shift[c] = number;
        else if (pointwise->kind == PointwiseKind::Subtract && !swapped)
            affine.shift[c] = -number;
        else
            return std::nullopt;
    }
    return affine;
}

/// Constant filters, each times the scale of its channel.
Numbers scaled_filters(const GraphData& graph, const Node& product, const Numbers& filters, const Numbers& scale) {
    const Dims& dims = graph.value(product.inputs[1]).dims;
    const auto* transposed = std::get_if<ConvTranspose>(&product.op);
    const bool matmul = std::holds_alternative<Matmul>(product.op);
    const int64_t inner = matmul ? 1 : element_count(dims) / std::max<int64_t>(dims[0], 1);
    Numbers scaled = filters;
    for (size_t i = 0; i < scaled.size(); ++i) {
        const int64_t number = static_cast<int64_t>(i);
        int64_t channel = matmul ? number % dims.back() : number / inner;
        if (transposed != nullptr) {
            // Filter [c][j] makes channel (c div (C / G)) * (K / G) + j.
            const int64_t window = inner / dims[1];
            const int64_t from = number / inner, j = number / window % dims[1];
            channel = from / (dims[0] / transposed->groups) * dims[1] + j;
        }
        scaled[i] *= scale[static_cast<size_t>(channel)];
    }
    return scaled;
}

/// A run of nodes, each the only reader of the one before, that end in `last` and begin behind a product with constant
/// filters.
struct Run {
    NodeId product = kNone;
    std::vector<NodeId> nodes;  // from the product on
    Numbers scale, shift;       // of all together
    bool scales = false;
};

/// The one input of an affine node that is no constant.
std::optional<ValueId> data_operand(const GraphData& graph, const Node& node) {
    if (std::holds_alternative<BatchNorm>(node.op)) return node.inputs[0];
    if (!std::holds_alternative<Pointwise>(node.op) || node.inputs.size() != 2) return std::nullopt;
    const bool first = graph.value(node.inputs[0]).kind == ValueKind::Constant;
    const bool second = graph.value(node.inputs[1]).kind == ValueKind::Constant;
    if (first == second) return std::nullopt;
    return node.inputs[first ? 1 : 0];
}

std::optional<Run> run_that_ends_in(const GraphData& graph, const GraphView& view, NodeId last) {
    Run run{.product = last};
    while (!channel_axis(graph, graph.node(run.product))) {
        const Node& node = graph.node(run.product);
        const std::optional<ValueId> x = data_operand(graph, node);
        if (!x || view.sole_reader(*x) != run.product || node.fusion == Fusion::Forbidden) return std::nullopt;
        if (graph.value(*x).dims != graph.value(node.outputs[0]).dims) return std::nullopt;
        run.nodes.insert(run.nodes.begin(), run.product);
        run.product = graph.value(*x).producer;
        if (run.product == kNone) return std::nullopt;
    }
    const Node& product = graph.node(run.product);
    const Value& filters = graph.value(product.inputs[1]);
    if (run.nodes.empty() || filters.kind != ValueKind::Constant || !is_floating(filters.type)) return std::nullopt;
    const size_t axis = *channel_axis(graph, product);
    const size_t channels = static_cast<size_t>(graph.value(product.outputs[0]).dims[axis]);
    run.scale.assign(channels, 1.0);
    run.shift.assign(channels, 0.0);
    for (const NodeId id : run.nodes) {
        const std::optional<Affine> affine = affine_of(graph, graph.node(id), axis);
        if (!affine) return std::nullopt;
        for (size_t c = 0; c < channels; ++c) {
            run.scale[c] *= affine->scale[c];
            run.shift[c] = run.shift[c] * affine->scale[c] + affine->shift[c];
            run.scales |= affine->scale[c] != 1.0;
            if (!std::isfinite(run.scale[c]) || !std::isfinite(run.shift[c])) return std::nullopt;
        }
    }
    return run;
}

/// The first value in front of the run's end that rounds to 16 bits; kNone if none does, or if the graph lets values
/// that stay inside a kernel keep their digits.
ValueId rounds_between(const GraphData& graph, const Run& run) {
    if (graph.numerics.relaxed) return kNone;
    std::vector<NodeId> inner{run.product};
    inner.insert(inner.end(), run.nodes.begin(), run.nodes.end() - 1);
    for (const NodeId id : inner) {
        const ValueId result = graph.node(id).outputs[0];
        const DataType type = graph.value(result).type;
        if (type == DataType::F16 || type == DataType::BF16) return result;
    }
    return kNone;
}

/// Whether rounding the scaled filters to their type loses no more than rounding any numbers to it: small factors make
/// denormal halves, large ones infinities.
bool keep_their_digits(const Value& rounded, const Numbers& exact) {
    const double allowed = rounded.type == DataType::BF16 ? 0x1p-7 : rounded.type == DataType::F16 ? 0x1p-10 : 0x1p-20;
    const Numbers numbers = *read_constant(rounded);
    double error = 0.0, norm = 0.0;
    for (size_t i = 0; i < exact.size(); ++i) {
        error += std::fabs(numbers[i] - exact[i]);
        norm += std::fabs(exact[i]);
    }
    return error <= allowed * norm;
}

/// False, and nothing changed, if the filters cannot hold the scale.
bool fold(GraphData& graph, const Run& run) {
    Node& product = graph.nodes[static_cast<size_t>(run.product)];
    const Value filters = graph.value(product.inputs[1]);
    const Numbers scaled = scaled_filters(graph, product, *read_constant(filters), run.scale);
    const size_t axis = *channel_axis(graph, product);
    const ValueId folded = add_constant(graph, filters.name, filters.type, filters.dims, scaled, filters.strides);
    if (!keep_their_digits(graph.value(folded), scaled)) return false;
    product.inputs[1] = folded;

    // The sums keep the precision they are made in until the shift is added.
    Value& sums = graph.values[static_cast<size_t>(product.outputs[0])];
    const DataType inner = filters.type == DataType::F64 ? DataType::F64 : DataType::F32;
    sums.type = inner;
    Dims dims(sums.dims.size() - axis, 1);
    dims[0] = sums.dims[axis];
    const ValueId from = product.outputs[0];
    const ValueId shift = add_constant(graph, graph.node(run.nodes.back()).name + ".shift", inner, dims, run.shift);
    Node& last = graph.nodes[static_cast<size_t>(run.nodes.back())];
    last.op = Pointwise{PointwiseKind::Add, {}};
    last.inputs = {from, shift};
    return true;
}

}  // namespace

// batch_norm(conv(x, w)) -> conv(x, w * s) + b, with s = scale / sqrt(variance + epsilon), b = bias - mean * s
// conv(x, w) * s         -> conv(x, w * s) + 0, and any run of such nodes
// Only for constant w, s and b, if nobody else reads what lies between and it does not round to 16 bits; computed in
// double, rounded once.
void fold_channel_scale(GraphData& graph, std::vector<std::string>& done) {
    const GraphView view(graph);
    std::set<NodeId> folded;  // products whose readers `view` no longer knows
    // Longest runs first: their last node comes last.
    for (size_t n = graph.nodes.size(); n-- > 0;) {
        const std::optional<Run> run = run_that_ends_in(graph, view, static_cast<NodeId>(n));
        if (!run || !run->scales || folded.contains(run->product)) continue;
        std::string names;
        for (const NodeId id : run->nodes) names += (names.empty() ? "" : ", ") + graph.node(id).name;
        folded.insert(run->product);
        const ValueId rounding = rounds_between(graph, *run);
        if (rounding != kNone) {
            const Value& value = graph.value(rounding);
            done.push_back("fold_channel_scale: not " + names + ": '" + value.name + "' rounds to " +
                           std::string(to_string(value.type)) + ", and the graph is not relaxed");
            continue;
        }
        if (!fold(graph, *run)) continue;
        done.push_back("fold_channel_scale: " + names + " into " + graph.node(run->product).name);
    }
}

}  // namespace tenon::codegen
