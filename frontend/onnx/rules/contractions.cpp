// Convolutions and matrix products.

#include <algorithm>

#include "frontend/onnx/rules/padding.h"
#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

/// Adds a bias [K] to an image [N, K, spatial…].
Result<Operand> biased(NodeImport& node, const Operand& y, const Operand& bias) {
    if (bias.rank() != 1 || y.rank() < 2)
        return node.invalid("the bias is " + to_text(bias.dims) + ", needs one value per channel");
    Dims dims(y.rank() - 1, 1);
    dims[0] = bias.dims[0];
    TENON_ASSIGN(const Operand per_channel, node.build.reshape(bias, dims));
    return node.build.pointwise(PointwiseKind::Add, {y, per_channel});
}

/// kernel_shape only repeats what the filter says; a contradiction is refused.
Status check_kernel_shape(NodeImport& node, const Dims& window) {
    const Dims said = node.integers("kernel_shape", window);
    if (said == window) return {};
    return node.invalid("kernel_shape is " + to_text(said) + ", the filter has " + to_text(window));
}

Result<Dims> window_of(NodeImport& node) {
    const Operand& x = node[0];
    const Operand& w = node[1];
    if (x.rank() < 3 || w.rank() != x.rank())
        return node.invalid("image " + to_text(x.dims) + " and filter " + to_text(w.dims) +
                            " must have one rank, at least 3");
    TENON_TRY(check_window_list(Dims(x.dims.begin() + 2, x.dims.end()), x.rank() - 2));
    return Dims(w.dims.begin() + 2, w.dims.end());
}

Result<Operands> conv(NodeImport& node) {
    TENON_ASSIGN(const Dims window, window_of(node));
    TENON_TRY(check_kernel_shape(node, window));
    TENON_ASSIGN(const WindowAttributes attributes, window_attributes(node, node[0].dims, window));
    const Conv op{attributes.stride, attributes.dilation, attributes.pad, node.integer("group", 1)};
    TENON_ASSIGN(const Operand y, node.build.apply(op, {node[0], node[1]}));
    return node.has(2) ? single(biased(node, y, node[2])) : Operands{y};
}

/// Turns the wish for an output extent into padding: total = stride * (in - 1) + output_padding + reach - wanted, split
/// in two; what is missing to the wanted extent becomes output padding.
Status fit_output(NodeImport& node, const Dims& wanted, const Dims& window, bool is_upper, ConvTranspose& op) {
    const size_t axes = window.size();
    if (wanted.size() != axes) return node.invalid("output_shape must have one extent per spatial axis");
    op.pad.assign(2 * axes, 0);
    for (size_t axis = 0; axis < axes; ++axis) {
        const int64_t in = node[0].dims[axis + 2];
        const int64_t reach = op.dilation[axis] * (window[axis] - 1) + 1;
        const int64_t total = op.stride[axis] * (in - 1) + op.output_padding[axis] + reach - wanted[axis];
        if (total < 0) op.output_padding[axis] -= total;
        const int64_t padding = std::max<int64_t>(total, 0);
        op.pad[axis] = is_upper ? padding / 2 : padding - padding / 2;
        op.pad[axes + axis] = padding - op.pad[axis];
    }
    return {};
}

Result<Operands> conv_transpose(NodeImport& node) {
    TENON_ASSIGN(const Dims window, window_of(node));
    TENON_TRY(check_kernel_shape(node, window));
    const size_t axes = window.size();
    const std::string mode = node.text("auto_pad", "NOTSET");
    ConvTranspose op;
    op.stride = node.integers("strides", Dims(axes, 1));
    op.dilation = node.integers("dilations", Dims(axes, 1));
    op.pad = node.integers("pads", Dims(2 * axes, 0));
    op.output_padding = node.integers("output_padding", Dims(axes, 0));
    op.groups = node.integer("group", 1);
    Dims wanted = node.integers("output_shape");
    for (const Dims& list : {op.stride, op.dilation, op.output_padding}) TENON_TRY(check_window_list(list, axes));
    if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        if (wanted.empty()) {
            for (size_t axis = 0; axis < axes; ++axis) wanted.push_back(node[0].dims[axis + 2] * op.stride[axis]);
        }
    } else if (mode == "VALID") {
        op.pad.assign(2 * axes, 0);
    } else if (mode != "NOTSET") {
        return node.unsupported("auto_pad is '" + mode + "'");
    }
    if (!wanted.empty()) TENON_TRY(fit_output(node, wanted, window, mode != "SAME_LOWER", op));
    TENON_ASSIGN(const Operand y, node.build.apply(op, {node[0], node[1]}));
    return node.has(2) ? single(biased(node, y, node[2])) : Operands{y};
}

/// Rank-1 operands are a row on the left, a column on the right, and their axis leaves the result.
Result<Operand> product(Builder& build, const Operand& a, const Operand& b) {
    if (a.rank() == 0 || b.rank() == 0) return NodeImport::invalid("a scalar cannot be multiplied as a matrix");
    Operand left = a, right = b;
    if (a.rank() == 1) {
        TENON_ASSIGN(left, build.reshape(a, {1, a.dims[0]}));
    }
    if (b.rank() == 1) {
        TENON_ASSIGN(right, build.reshape(b, {b.dims[0], 1}));
    }
    TENON_ASSIGN(const Operand y, build.apply(Matmul{}, {left, right}));
    Dims dims = y.dims;
    if (b.rank() == 1) dims.pop_back();
    if (a.rank() == 1) dims.erase(dims.end() - (b.rank() == 1 ? 1 : 2));
    return build.reshape(y, dims);
}

Result<Operands> matmul(NodeImport& node) { return single(product(node.build, node[0], node[1])); }

Result<Operand> scaled(Builder& build, const Operand& x, double factor) {
    if (factor == 1.0) return x;
    return build.pointwise(PointwiseKind::Multiply, {x, build.number(factor, x.type)});
}

Result<Operands> gemm(NodeImport& node) {
    Builder& build = node.build;
    const double alpha = node.number("alpha", 1.0), beta = node.number("beta", 1.0);
    const bool flip_a = node.integer("transA", 0) != 0, flip_b = node.integer("transB", 0) != 0;
    node.ignore("broadcast");  // of operator sets before 7: what broadcasts anyway
    if (node[0].rank() != 2 || node[1].rank() != 2)
        return node.invalid("the factors are " + to_text(node[0].dims) + " and " + to_text(node[1].dims) +
                            ", needs matrices");
    Operand a = node[0], b = node[1];
    if (flip_a) {
        TENON_ASSIGN(a, build.transpose(a, {1, 0}));
    }
    if (flip_b) {
        TENON_ASSIGN(b, build.transpose(b, {1, 0}));
    }
    TENON_ASSIGN(const Operand ab, build.apply(Matmul{}, {a, b}));
    TENON_ASSIGN(const Operand y, scaled(build, ab, alpha));
    if (!node.has(2) || beta == 0.0) return Operands{y};
    TENON_ASSIGN(const Operand c, scaled(build, node[2], beta));
    TENON_ASSIGN(Operand sum, build.pointwise(PointwiseKind::Add, {y, c}));
    if (sum.dims != y.dims) return node.invalid("C " + to_text(c.dims) + " does not broadcast to " + to_text(y.dims));
    return Operands{std::move(sum)};
}

constexpr RuleRow kRows[] = {
    {"Conv", 2, 3, conv},
    {"ConvTranspose", 2, 3, conv_transpose},
    {"Gemm", 2, 3, gemm},
    {"MatMul", 2, 2, matmul},
};

}  // namespace

std::span<const RuleRow> contraction_rules() { return kRows; }

}  // namespace tenon::onnx
