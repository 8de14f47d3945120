// Normalisations. Those without an operation of their own are written out in reductions and pointwise functions.

#include <algorithm>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

/// x - mean and the mean of its square, over `axes`.
struct Moments {
    Operand mean, centred, variance;
};

Result<Moments> moments(Builder& build, const Operand& x, const Dims& axes) {
    TENON_ASSIGN(Operand mean, build.reduce(x, ReduceKind::Mean, axes));
    TENON_ASSIGN(Operand centred, build.pointwise(PointwiseKind::Subtract, {x, mean}));
    TENON_ASSIGN(const Operand squares, build.pointwise(PointwiseKind::Square, {centred}));
    TENON_ASSIGN(Operand variance, build.reduce(squares, ReduceKind::Mean, axes));
    return Moments{std::move(mean), std::move(centred), std::move(variance)};
}

/// A list of channels as it lies in an image of `rank` axes.
Result<Operand> per_channel(Builder& build, const Operand& list, size_t rank) {
    if (list.rank() != 1 || rank < 2) return NodeImport::invalid(to_text(list.dims) + " is no list of channels");
    Dims dims(rank - 1, 1);
    dims[0] = list.dims[0];
    return build.reshape(list, dims);
}

/// new = old * momentum + batch * (1 - momentum), with the biased variance: not what BatchNorm's training gives, so it
/// is written out.
Result<Operand> running(NodeImport& node, const Operand& old, const Operand& batch, double momentum) {
    Builder& build = node.build;
    TENON_ASSIGN(const Operand list, build.reshape(batch, old.dims));
    TENON_ASSIGN(const Operand kept, build.pointwise(PointwiseKind::Multiply, {old, build.number(momentum, old.type)}));
    TENON_ASSIGN(const Operand added,
                 build.pointwise(PointwiseKind::Multiply, {list, build.number(1.0 - momentum, old.type)}));
    return build.pointwise(PointwiseKind::Add, {kept, added});
}

Result<Operands> batch_norm_training(NodeImport& node, double epsilon, double momentum) {
    Builder& build = node.build;
    const Operand& x = node[0];
    Dims axes;
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        if (axis != 1) axes.push_back(static_cast<int64_t>(axis));
    }
    TENON_ASSIGN(const Moments batch, moments(build, x, axes));
    TENON_ASSIGN(const Operand safe,
                 build.pointwise(PointwiseKind::Add, {batch.variance, build.number(epsilon, x.type)}));
    TENON_ASSIGN(const Operand inverse, build.pointwise(PointwiseKind::Rsqrt, {safe}));
    TENON_ASSIGN(const Operand unit, build.pointwise(PointwiseKind::Multiply, {batch.centred, inverse}));
    TENON_ASSIGN(const Operand scale, per_channel(build, node[1], x.rank()));
    TENON_ASSIGN(const Operand bias, per_channel(build, node[2], x.rank()));
    TENON_ASSIGN(const Operand scaled, build.pointwise(PointwiseKind::Multiply, {unit, scale}));
    TENON_ASSIGN(Operand y, build.pointwise(PointwiseKind::Add, {scaled, bias}));
    TENON_ASSIGN(Operand mean, running(node, node[3], batch.mean, momentum));
    TENON_ASSIGN(Operand variance, running(node, node[4], batch.variance, momentum));
    return Operands{std::move(y), std::move(mean), std::move(variance)};
}

Result<Operands> batch_norm(NodeImport& node) {
    const double epsilon = node.number("epsilon", 1e-5f), momentum = node.number("momentum", 0.9f);
    const bool trains = node.integer("training_mode", 0) != 0;
    node.ignore("is_test");
    if (node.integer("spatial", 1) == 0) return node.unsupported("spatial = 0 is not supported");
    if (trains) return batch_norm_training(node, epsilon, momentum);
    return single(node.build.apply(BatchNorm{.epsilon = epsilon}, node.all_inputs()));
}

Result<Operands> layer_norm(NodeImport& node) {
    const double epsilon = node.number("epsilon", 1e-5f);
    const int64_t axis = node.integer("axis", -1);
    if (node.integer("stash_type", 1) != 1) return node.unsupported("stash_type must be 1 (f32)");
    const bool statistics = node.wants(1) || node.wants(2);
    // The graph wants scale and bias in the normalised extents; the model may leave them to broadcasting.
    Operands inputs = node.all_inputs();
    TENON_ASSIGN(const size_t from, node.axis(axis, node[0].rank()));
    const Dims rows(node[0].dims.begin() + static_cast<std::ptrdiff_t>(from), node[0].dims.end());
    for (size_t i = 1; i < inputs.size(); ++i) {
        TENON_ASSIGN(inputs[i], node.build.expand(inputs[i], rows));
    }
    return node.build.apply_all(Norm{NormKind::Layer, axis, 1, epsilon, statistics}, inputs);
}

Result<Operands> rms_norm(NodeImport& node) {
    const double epsilon = node.number("epsilon", 1e-5f);
    const int64_t axis = node.integer("axis", -1);
    if (node.integer("stash_type", 1) != 1) return node.unsupported("stash_type must be 1 (f32)");
    return single(node.build.apply(Norm{NormKind::Rms, axis, 1, epsilon}, {node[0], node[1]}));
}

Result<Operands> instance_norm(NodeImport& node) {
    const double epsilon = node.number("epsilon", 1e-5f);
    return single(node.build.apply(Norm{NormKind::Instance, -1, 1, epsilon}, node.all_inputs()));
}

/// Before operator set 21 scale and bias had one value per group.
Result<Operand> group_vector(NodeImport& node, const Operand& list, int64_t groups) {
    const Operand& x = node[0];
    if (node.opset() >= 21 || list.rank() != 1 || list.dims[0] != groups || x.rank() < 2) return list;
    if (groups < 1 || x.dims[1] % groups != 0)
        return NodeImport::invalid(std::to_string(x.dims[1]) + " channels do not divide into " +
                                   std::to_string(groups) + " groups");
    TENON_ASSIGN(const Operand column, node.build.reshape(list, {groups, 1}));
    TENON_ASSIGN(const Operand table, node.build.expand(column, {groups, x.dims[1] / groups}));
    return node.build.reshape(table, {x.dims[1]});
}

Result<Operands> group_norm(NodeImport& node) {
    const double epsilon = node.number("epsilon", 1e-5f);
    const int64_t groups = node.integer("num_groups", 1);
    if (node.integer("stash_type", 1) != 1) return node.unsupported("stash_type must be 1 (f32)");
    TENON_ASSIGN(const Operand scale, group_vector(node, node[1], groups));
    TENON_ASSIGN(const Operand bias, group_vector(node, node[2], groups));
    return single(node.build.apply(Norm{NormKind::Group, -1, groups, epsilon}, {node[0], scale, bias}));
}

/// (x - mean) / (deviation + 1e-9).
Result<Operands> mean_variance_norm(NodeImport& node) {
    Builder& build = node.build;
    const Operand& x = node[0];
    TENON_ASSIGN(const Moments all, moments(build, x, node.integers("axes", {0, 2, 3})));
    TENON_ASSIGN(const Operand deviation, build.pointwise(PointwiseKind::Sqrt, {all.variance}));
    TENON_ASSIGN(const Operand safe, build.pointwise(PointwiseKind::Add, {deviation, build.number(1e-9, x.type)}));
    return single(build.pointwise(PointwiseKind::Divide, {all.centred, safe}));
}

Result<Operands> lp_norm(NodeImport& node) {
    const int64_t axis = node.integer("axis", -1), p = node.integer("p", 2);
    if (p != 1 && p != 2) return node.unsupported("p is " + std::to_string(p) + ", needs 1 or 2");
    TENON_ASSIGN(const Operand length,
                 node.build.reduce(node[0], p == 1 ? ReduceKind::Norm1 : ReduceKind::Norm2, {axis}));
    return single(node.build.pointwise(PointwiseKind::Divide, {node[0], length}));
}

/// x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta. The mean with counted padding
/// over a window along the channels is that sum / size.
Result<Operands> local_response_norm(NodeImport& node) {
    Builder& build = node.build;
    const Operand& x = node[0];
    const int64_t size = node.integer("size", 0);
    const double alpha = node.number("alpha", 1e-4f), beta = node.number("beta", 0.75), bias = node.number("bias", 1.0);
    if (size < 1 || size > INT32_MAX || x.rank() < 3)
        return node.invalid("needs a size of at least 1 and an image, found " + to_text(x.dims));
    const int64_t pixels = x.dims[0] * x.dims[1] == 0 ? 0 : x.count() / (x.dims[0] * x.dims[1]);
    TENON_ASSIGN(const Operand squares, build.pointwise(PointwiseKind::Square, {x}));
    TENON_ASSIGN(const Operand plane, build.reshape(squares, {x.dims[0], 1, x.dims[1], pixels}));
    Pool window{.kind = PoolKind::Average, .window = {size, 1}, .count_padding = true};
    window.pad = {(size - 1) / 2, 0, size / 2, 0};
    TENON_ASSIGN(const Operand means, build.apply(window, {plane}));
    TENON_ASSIGN(const Operand image, build.reshape(means, x.dims));
    TENON_ASSIGN(const Operand scaled, build.pointwise(PointwiseKind::Multiply, {image, build.number(alpha, x.type)}));
    TENON_ASSIGN(const Operand shifted, build.pointwise(PointwiseKind::Add, {scaled, build.number(bias, x.type)}));
    TENON_ASSIGN(const Operand divisor, build.pointwise(PointwiseKind::Power, {shifted, build.number(beta, x.type)}));
    return single(build.pointwise(PointwiseKind::Divide, {x, divisor}));
}

constexpr RuleRow kRows[] = {
    {"BatchNormalization", 5, 5, batch_norm},
    {"GroupNormalization", 3, 3, group_norm},
    {"InstanceNormalization", 3, 3, instance_norm},
    {"LRN", 1, 1, local_response_norm},
    {"LayerNormalization", 2, 3, layer_norm},
    {"LpNormalization", 1, 1, lp_norm},
    {"MeanVarianceNormalization", 1, 1, mean_variance_norm},
    {"RMSNormalization", 2, 2, rms_norm},
};

}  // namespace

std::span<const RuleRow> norm_rules() { return kRows; }

}  // namespace tenon::onnx
