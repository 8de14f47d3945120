// Arithmetic, comparisons, logic, casts and selection.

#include <algorithm>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

template <PointwiseKind kind>
Result<Operands> unary(NodeImport& node) {
    return single(node.build.pointwise(kind, {node[0]}));
}

/// The second operand of two. Before operator set 7 it broadcast only on request, from the axis given.
Result<Operand> second(NodeImport& node) {
    const int64_t broadcasts = node.integer("broadcast", 0), axis = node.integer("axis", -1);
    const Operand& a = node[0];
    const Operand& b = node[1];
    if (node.opset() >= 7 || broadcasts == 0 || axis < 0) return b;
    if (axis + static_cast<int64_t>(b.rank()) > static_cast<int64_t>(a.rank()))
        return node.invalid("axis " + std::to_string(axis) + " does not place " + to_text(b.dims) + " in " +
                            to_text(a.dims));
    Dims dims = b.dims;
    dims.resize(a.rank() - static_cast<size_t>(axis), 1);
    return node.build.reshape(b, dims);
}

template <PointwiseKind kind>
Result<Operands> binary(NodeImport& node) {
    TENON_ASSIGN(const Operand b, second(node));
    return single(node.build.pointwise(kind, {node[0], b}));
}

/// Any number of operands, two at a time.
Result<Operand> folded(NodeImport& node, PointwiseKind kind) {
    Operand total = node[0];
    for (size_t i = 1; i < node.input_count(); ++i) {
        TENON_ASSIGN(total, node.build.pointwise(kind, {total, node[i]}));
    }
    return total;
}

template <PointwiseKind kind>
Result<Operands> variadic(NodeImport& node) {
    return single(folded(node, kind));
}

Result<Operands> mean(NodeImport& node) {
    TENON_ASSIGN(const Operand total, folded(node, PointwiseKind::Add));
    const Operand count = node.build.number(static_cast<double>(node.input_count()), total.type);
    return single(node.build.pointwise(PointwiseKind::Divide, {total, count}));
}

/// The exponent may have a type of its own; the result has the type of the base. Whole bases go through f64.
Result<Operands> power(NodeImport& node) {
    TENON_ASSIGN(const Operand exponent, second(node));
    const DataType type = is_floating(node[0].type) ? node[0].type : DataType::F64;
    TENON_ASSIGN(const Operand base, node.build.cast(node[0], type));
    TENON_ASSIGN(const Operand raised_to, node.build.cast(exponent, type));
    TENON_ASSIGN(const Operand result, node.build.pointwise(PointwiseKind::Power, {base, raised_to}));
    return single(node.build.cast(result, node[0].type));
}

/// fmod = 1: the sign of the dividend, like C. fmod = 0, integers only: the sign of the divisor, which adds the
/// divisor once where the two signs differ.
Result<Operands> modulo(NodeImport& node) {
    const bool like_c = node.integer("fmod", 0) != 0;
    TENON_ASSIGN(const Operand rest, node.build.pointwise(PointwiseKind::Modulo, {node[0], node[1]}));
    if (like_c) return Operands{rest};
    if (is_floating(node[0].type)) return node.invalid("floating operands need fmod = 1");
    if (node[0].type == DataType::U8) return Operands{rest};
    TENON_ASSIGN(const Operand moved, node.build.pointwise(PointwiseKind::Add, {rest, node[1]}));
    return single(node.build.pointwise(PointwiseKind::Modulo, {moved, node[1]}));
}

Result<Operands> shift(NodeImport& node) {
    const std::string direction = node.text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT") return node.invalid("direction is '" + direction + "'");
    const PointwiseKind kind = direction == "LEFT" ? PointwiseKind::ShiftLeft : PointwiseKind::ShiftRight;
    return single(node.build.pointwise(kind, {node[0], node[1]}));
}

Result<Operands> cast(NodeImport& node) {
    node.ignore("saturate");  // of fp8 only
    TENON_ASSIGN(const DataType type, data_type(node.integer("to", 0)));
    return single(node.build.cast(node[0], type));
}

Result<Operands> cast_like(NodeImport& node) {
    node.ignore("saturate");
    return single(node.build.cast(node[0], node[1].type));
}

Result<Operands> is_infinite(NodeImport& node) {
    const bool negative = node.integer("detect_negative", 1) != 0, positive = node.integer("detect_positive", 1) != 0;
    if (negative && positive) return single(node.build.pointwise(PointwiseKind::IsInf, {node[0]}));
    const double wanted = positive ? kInfinity : negative ? -kInfinity : 0.0;
    if (wanted == 0.0) return node.unsupported("detects no infinity at all");
    return single(node.build.pointwise(PointwiseKind::Equal, {node[0], node.build.number(wanted, node[0].type)}));
}

Result<Operands> where(NodeImport& node) {
    return single(node.build.pointwise(PointwiseKind::Select, {node[0], node[1], node[2]}));
}

Result<Operands> identity(NodeImport& node) { return Operands{node[0]}; }

constexpr RuleRow kRows[] = {
    {"Abs", 1, 1, unary<PointwiseKind::Abs>},
    {"Acos", 1, 1, unary<PointwiseKind::Acos>},
    {"Acosh", 1, 1, unary<PointwiseKind::Acosh>},
    {"Add", 2, 2, binary<PointwiseKind::Add>},
    {"And", 2, 2, binary<PointwiseKind::LogicalAnd>},
    {"Asin", 1, 1, unary<PointwiseKind::Asin>},
    {"Asinh", 1, 1, unary<PointwiseKind::Asinh>},
    {"Atan", 1, 1, unary<PointwiseKind::Atan>},
    {"Atanh", 1, 1, unary<PointwiseKind::Atanh>},
    {"BitShift", 2, 2, shift},
    {"BitwiseAnd", 2, 2, binary<PointwiseKind::BitwiseAnd>},
    {"BitwiseNot", 1, 1, unary<PointwiseKind::BitwiseNot>},
    {"BitwiseOr", 2, 2, binary<PointwiseKind::BitwiseOr>},
    {"BitwiseXor", 2, 2, binary<PointwiseKind::BitwiseXor>},
    {"Cast", 1, 1, cast},
    {"CastLike", 2, 2, cast_like},
    {"Ceil", 1, 1, unary<PointwiseKind::Ceil>},
    {"Cos", 1, 1, unary<PointwiseKind::Cos>},
    {"Cosh", 1, 1, unary<PointwiseKind::Cosh>},
    {"Div", 2, 2, binary<PointwiseKind::Divide>},
    {"Equal", 2, 2, binary<PointwiseKind::Equal>},
    {"Erf", 1, 1, unary<PointwiseKind::Erf>},
    {"Exp", 1, 1, unary<PointwiseKind::Exp>},
    {"Floor", 1, 1, unary<PointwiseKind::Floor>},
    {"Greater", 2, 2, binary<PointwiseKind::Greater>},
    {"GreaterOrEqual", 2, 2, binary<PointwiseKind::GreaterEqual>},
    {"Identity", 1, 1, identity},
    {"IsInf", 1, 1, is_infinite},
    {"IsNaN", 1, 1, unary<PointwiseKind::IsNan>},
    {"Less", 2, 2, binary<PointwiseKind::Less>},
    {"LessOrEqual", 2, 2, binary<PointwiseKind::LessEqual>},
    {"Log", 1, 1, unary<PointwiseKind::Log>},
    {"Max", 1, kAnyNumber, variadic<PointwiseKind::Maximum>},
    {"Mean", 1, kAnyNumber, mean},
    {"Min", 1, kAnyNumber, variadic<PointwiseKind::Minimum>},
    {"Mod", 2, 2, modulo},
    {"Mul", 2, 2, binary<PointwiseKind::Multiply>},
    {"Neg", 1, 1, unary<PointwiseKind::Negate>},
    {"Not", 1, 1, unary<PointwiseKind::LogicalNot>},
    {"Or", 2, 2, binary<PointwiseKind::LogicalOr>},
    {"Pow", 2, 2, power},
    {"Reciprocal", 1, 1, unary<PointwiseKind::Reciprocal>},
    {"Round", 1, 1, unary<PointwiseKind::Round>},
    {"Sign", 1, 1, unary<PointwiseKind::Sign>},
    {"Sin", 1, 1, unary<PointwiseKind::Sin>},
    {"Sinh", 1, 1, unary<PointwiseKind::Sinh>},
    {"Sqrt", 1, 1, unary<PointwiseKind::Sqrt>},
    {"Sub", 2, 2, binary<PointwiseKind::Subtract>},
    {"Sum", 1, kAnyNumber, variadic<PointwiseKind::Add>},
    {"Tan", 1, 1, unary<PointwiseKind::Tan>},
    {"Where", 3, 3, where},
    {"Xor", 2, 2, binary<PointwiseKind::LogicalXor>},
};

}  // namespace

std::span<const RuleRow> pointwise_rules() { return kRows; }

}  // namespace tenon::onnx
