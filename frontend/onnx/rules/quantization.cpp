// Linear quantisation: y = saturate(round(x / scale) + zero_point) and back.

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

/// A list of scales or zero points as it lies along the axis of an image; scalars stay.
Result<Operand> along_axis(NodeImport& node, const Operand& list, int64_t named) {
    if (list.rank() == 0 || (list.rank() == 1 && list.dims[0] == 1 && node[0].rank() == 0))
        return node.build.reshape(list, {});
    TENON_ASSIGN(const size_t axis, node.axis(named, node[0].rank()));
    if (list.rank() != 1) return NodeImport::unsupported("blocks of scales are not supported");
    Dims dims(node[0].rank() - axis, 1);
    dims[0] = list.dims[0];
    return node.build.reshape(list, dims);
}

Status check_plain(NodeImport& node) {
    node.ignore("saturate");
    if (node.integer("block_size", 0) != 0) return NodeImport::unsupported("blocks of scales are not supported");
    if (node.integer("output_dtype", 0) != 0) return NodeImport::unsupported("output_dtype is not supported");
    return {};
}

Result<Operands> dequantize(NodeImport& node) {
    TENON_TRY(check_plain(node));
    Builder& build = node.build;
    const int64_t axis = node.integer("axis", 1);
    TENON_ASSIGN(const Operand scale, along_axis(node, node[1], axis));
    TENON_ASSIGN(Operand x, build.cast(node[0], scale.type));
    if (node.has(2)) {
        TENON_ASSIGN(const Operand zero, along_axis(node, node[2], axis));
        TENON_ASSIGN(const Operand zero_point, build.cast(zero, scale.type));
        TENON_ASSIGN(x, build.pointwise(PointwiseKind::Subtract, {x, zero_point}));
    }
    return single(build.pointwise(PointwiseKind::Multiply, {x, scale}));
}

Result<Operands> quantize(NodeImport& node) {
    TENON_TRY(check_plain(node));
    Builder& build = node.build;
    const int64_t axis = node.integer("axis", 1);
    TENON_ASSIGN(const Operand scale, along_axis(node, node[1], axis));
    TENON_ASSIGN(const Operand quotient, build.pointwise(PointwiseKind::Divide, {node[0], scale}));
    TENON_ASSIGN(Operand steps, build.pointwise(PointwiseKind::Round, {quotient}));
    DataType type = DataType::U8;
    if (node.has(2)) {
        type = node[2].type;
        TENON_ASSIGN(const Operand zero, along_axis(node, node[2], axis));
        TENON_ASSIGN(const Operand zero_point, build.cast(zero, steps.type));
        TENON_ASSIGN(steps, build.pointwise(PointwiseKind::Add, {steps, zero_point}));
    }
    return single(build.apply(Cast{type}, {steps}));
}

/// An operand minus its zero point, in f64, where sums of products of bytes are exact.
Result<Operand> centred(NodeImport& node, size_t at, size_t zero_at, bool is_left) {
    Builder& build = node.build;
    TENON_ASSIGN(const Operand x, build.cast(node[at], DataType::F64));
    if (!node.has(zero_at)) return x;
    TENON_ASSIGN(Operand zero, build.cast(node[zero_at], DataType::F64));
    // One zero point per row of the left factor, per column of the right one.
    if (is_left && zero.rank() == 1 && zero.dims[0] != 1) {
        TENON_ASSIGN(zero, build.reshape(zero, {zero.dims[0], 1}));
    }
    return build.pointwise(PointwiseKind::Subtract, {x, zero});
}

Result<Operands> matmul_integer(NodeImport& node) {
    TENON_ASSIGN(const Operand a, centred(node, 0, 2, true));
    TENON_ASSIGN(const Operand b, centred(node, 1, 3, false));
    TENON_ASSIGN(const Operand y, node.build.apply(Matmul{}, {a, b}));
    return single(node.build.apply(Cast{DataType::I32}, {y}));
}

constexpr RuleRow kRows[] = {
    {"DequantizeLinear", 2, 3, dequantize},
    {"MatMulInteger", 2, 4, matmul_integer},
    {"QuantizeLinear", 2, 3, quantize},
};

}  // namespace

std::span<const RuleRow> quantization_rules() { return kRows; }

}  // namespace tenon::onnx
