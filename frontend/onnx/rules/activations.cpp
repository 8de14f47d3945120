// Activation functions, with their parameters as attributes (or, for newer Clip, as inputs).

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

template <PointwiseKind kind>
Result<Operands> plain(NodeImport& node) {
    return single(node.build.pointwise(kind, {node[0]}));
}

/// One parameter, called alpha.
template <PointwiseKind kind>
Result<Operands> with_alpha(NodeImport& node, double initial) {
    return single(node.build.pointwise(kind, {node[0]}, {node.number("alpha", initial), 0.0, 0.0}));
}

Result<Operands> celu(NodeImport& node) { return with_alpha<PointwiseKind::Celu>(node, 1.0); }
Result<Operands> elu(NodeImport& node) { return with_alpha<PointwiseKind::Elu>(node, 1.0); }
Result<Operands> leaky_relu(NodeImport& node) { return with_alpha<PointwiseKind::Relu>(node, 0.01f); }
Result<Operands> swish(NodeImport& node) { return with_alpha<PointwiseKind::Swish>(node, 1.0); }
Result<Operands> thresholded_relu(NodeImport& node) { return with_alpha<PointwiseKind::Threshold>(node, 1.0); }

Result<Operands> hard_sigmoid(NodeImport& node) {
    const double alpha = node.number("alpha", 0.2f), beta = node.number("beta", 0.5);
    return single(node.build.pointwise(PointwiseKind::HardSigmoid, {node[0]}, {alpha, beta, 0.0}));
}

Result<Operands> selu(NodeImport& node) {
    const bool is_old = node.opset() < 6;
    const double alpha = node.number("alpha", is_old ? 1.6732 : 1.67326319217681884765625);
    const double gamma = node.number("gamma", is_old ? 1.0507 : 1.05070102214813232421875);
    return single(node.build.pointwise(PointwiseKind::Selu, {node[0]}, {alpha, gamma, 0.0}));
}

Result<Operands> gelu(NodeImport& node) {
    const std::string way = node.text("approximate", "none");
    if (way != "none" && way != "tanh") return node.unsupported("approximate is '" + way + "'");
    return single(node.build.pointwise(way == "tanh" ? PointwiseKind::GeluTanh : PointwiseKind::Gelu, {node[0]}));
}

/// The slope broadcasts to the image from the right; a bare list of channels, as old files have it, from axis 1.
Result<Operands> prelu(NodeImport& node) {
    Operand slope = node[1];
    const Operand& x = node[0];
    const bool is_channels = slope.rank() == 1 && x.rank() > 2 && slope.dims[0] == x.dims[1];
    if (is_channels && (node.opset() < 7 || slope.dims[0] != x.dims.back())) {
        Dims dims(x.rank() - 1, 1);
        dims[0] = slope.dims[0];
        TENON_ASSIGN(slope, node.build.reshape(slope, dims));
    }
    return single(node.build.pointwise(PointwiseKind::Prelu, {x, slope}));
}

/// Bounds that are known become parameters; others are operands.
Result<Operand> bounded(NodeImport& node, const Operand& x, size_t input, PointwiseKind kind) {
    if (!node.has(input)) return x;
    return node.build.pointwise(kind, {x, node[input]});
}

Result<Operands> clip(NodeImport& node) {
    double lower = node.number("min", -kInfinity), upper = node.number("max", kInfinity);
    const auto known = [&](size_t input) {
        return !node.has(input) || (node[input].known && node[input].known->count() == 1);
    };
    if (!known(1) || !known(2)) {
        TENON_ASSIGN(const Operand above, bounded(node, node[0], 1, PointwiseKind::Maximum));
        return single(bounded(node, above, 2, PointwiseKind::Minimum));
    }
    if (node.has(1)) lower = numbers_of(*node[1].known).front();
    if (node.has(2)) upper = numbers_of(*node[2].known).front();
    if (lower > upper) lower = upper;  // the upper bound is applied last
    return single(node.build.pointwise(PointwiseKind::Clip, {node[0]}, {lower, upper, 0.0}));
}

/// x + bias below -lambd, x - bias above lambd, 0 between.
Result<Operands> shrink(NodeImport& node) {
    const double bias = node.number("bias", 0.0), lambd = node.number("lambd", 0.5);
    const Operand& x = node[0];
    Builder& build = node.build;
    if (is_floating(x.type) && (bias == 0.0 || bias == lambd)) {
        const PointwiseKind kind = bias == 0.0 ? PointwiseKind::Hardshrink : PointwiseKind::Softshrink;
        return single(build.pointwise(kind, {x}, {lambd, 0.0, 0.0}));
    }
    const Operand shift = build.number(bias, x.type), zero = build.number(0.0, x.type);
    TENON_ASSIGN(const Operand raised, build.pointwise(PointwiseKind::Add, {x, shift}));
    TENON_ASSIGN(const Operand lowered, build.pointwise(PointwiseKind::Subtract, {x, shift}));
    TENON_ASSIGN(const Operand is_low, build.pointwise(PointwiseKind::Less, {x, build.number(-lambd, x.type)}));
    TENON_ASSIGN(const Operand is_high, build.pointwise(PointwiseKind::Greater, {x, build.number(lambd, x.type)}));
    TENON_ASSIGN(const Operand upper, build.pointwise(PointwiseKind::Select, {is_high, lowered, zero}));
    return single(build.pointwise(PointwiseKind::Select, {is_low, raised, upper}));
}

/// Softmax with or without the logarithm. Before operator set 13 it ran over all axes from `axis` on, taken as one.
template <bool is_log>
Result<Operands> softmax(NodeImport& node) {
    const int64_t named = node.integer("axis", node.opset() < 13 ? 1 : -1);
    const Operand& x = node[0];
    if (node.opset() >= 13) return single(node.build.apply(Softmax{named, is_log}, {x}));
    const auto rank = static_cast<int64_t>(x.rank());
    const int64_t from = named < 0 ? named + rank : named;
    if (from < 0 || from > rank)
        return node.invalid("axis " + std::to_string(named) + " is outside rank " + std::to_string(rank));
    if (from == rank - 1) return single(node.build.apply(Softmax{from, is_log}, {x}));
    const int64_t rows = element_count(Dims(x.dims.begin(), x.dims.begin() + from));
    TENON_ASSIGN(const Operand flat, node.build.reshape(x, {rows, rows == 0 ? 0 : x.count() / rows}));
    TENON_ASSIGN(const Operand soft, node.build.apply(Softmax{1, is_log}, {flat}));
    return single(node.build.reshape(soft, x.dims));
}

/// 1 at the first largest element along the axis, 0 elsewhere.
Result<Operands> hardmax(NodeImport& node) {
    const int64_t named = node.integer("axis", node.opset() < 13 ? 1 : -1);
    const Operand& x = node[0];
    TENON_ASSIGN(const size_t axis, node.axis(named, x.rank()));
    if (node.opset() < 13 && axis + 1 != x.rank())
        return node.unsupported("before operator set 13: axis must be the last one");
    const auto along = static_cast<int64_t>(axis);
    TENON_ASSIGN(const Operand best, node.build.reduce(x, ReduceKind::Argmax, {along}));
    TENON_ASSIGN(const Operand position, node.build.apply(IndexAlong{along, DataType::I64}, {x}));
    TENON_ASSIGN(const Operand is_best, node.build.pointwise(PointwiseKind::Equal, {position, best}));
    return single(node.build.apply(Cast{x.type}, {is_best}));
}

/// Inference: the input itself, and a mask of true.
Result<Operands> dropout(NodeImport& node) {
    node.ignore("ratio");
    node.ignore("seed");
    const bool is_test = node.integer("is_test", 1) != 0;
    if (node.opset() < 7 && !is_test) return node.unsupported("drops elements at random; only inference is supported");
    if (node.has(2)) {
        TENON_ASSIGN(const std::vector<double> training, node.known_numbers(2));
        const bool trains = training.size() != 1 || training[0] != 0.0;
        std::vector<double> ratio{0.5};
        if (trains && node.has(1)) {
            TENON_ASSIGN(ratio, node.known_numbers(1));
        }
        if (trains && ratio != std::vector<double>{0.0})
            return node.unsupported("drops elements at random; only inference is supported");
    }
    Operands results{node[0]};
    if (node.wants(1)) {
        const Operand kept = node.build.number(1.0, DataType::Bool);
        TENON_ASSIGN(Operand mask, node.build.expand(kept, node[0].dims));
        results.push_back(std::move(mask));
    }
    return results;
}

constexpr RuleRow kRows[] = {
    {"Celu", 1, 1, celu},
    {"Clip", 1, 3, clip},
    {"Dropout", 1, 3, dropout},
    {"Elu", 1, 1, elu},
    {"Gelu", 1, 1, gelu},
    {"HardSigmoid", 1, 1, hard_sigmoid},
    {"HardSwish", 1, 1, plain<PointwiseKind::HardSwish>},
    {"Hardmax", 1, 1, hardmax},
    {"LeakyRelu", 1, 1, leaky_relu},
    {"LogSoftmax", 1, 1, softmax<true>},
    {"Mish", 1, 1, plain<PointwiseKind::Mish>},
    {"PRelu", 2, 2, prelu},
    {"Relu", 1, 1, plain<PointwiseKind::Relu>},
    {"Selu", 1, 1, selu},
    {"Shrink", 1, 1, shrink},
    {"Sigmoid", 1, 1, plain<PointwiseKind::Sigmoid>},
    {"Softmax", 1, 1, softmax<false>},
    {"Softplus", 1, 1, plain<PointwiseKind::Softplus>},
    {"Softsign", 1, 1, plain<PointwiseKind::Softsign>},
    {"Swish", 1, 1, swish},
    {"Tanh", 1, 1, plain<PointwiseKind::Tanh>},
    {"ThresholdedRelu", 1, 1, thresholded_relu},
};

}  // namespace

std::span<const RuleRow> activation_rules() { return kRows; }

}  // namespace tenon::onnx
