// Reductions over axes.

#include <numeric>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

/// Axes (an attribute, newer: an input) and whether they stay with extent 1.
struct ReductionAxes {
    Dims axes;
    bool keep_dims = true;
    bool does_nothing = false;
};

Result<ReductionAxes> reduction_axes(NodeImport& node) {
    ReductionAxes found;
    found.axes = node.integers("axes");
    found.keep_dims = node.integer("keepdims", 1) != 0;
    if (node.has(1)) {
        TENON_ASSIGN(found.axes, node.known_integers(1));
    }
    found.does_nothing = node.integer("noop_with_empty_axes", 0) != 0 && found.axes.empty();
    return found;
}

template <ReduceKind kind>
Result<Operands> reduce(NodeImport& node) {
    TENON_ASSIGN(const ReductionAxes over, reduction_axes(node));
    if (over.does_nothing) return Operands{node[0]};
    return single(node.build.reduce(node[0], kind, over.axes, over.keep_dims));
}

Result<Operands> sum_square(NodeImport& node) {
    TENON_ASSIGN(const ReductionAxes over, reduction_axes(node));
    TENON_ASSIGN(const Operand squares, node.build.pointwise(PointwiseKind::Square, {node[0]}));
    if (over.does_nothing) return Operands{squares};
    return single(node.build.reduce(squares, ReduceKind::Sum, over.axes, over.keep_dims));
}

Result<Operands> log_sum(NodeImport& node) {
    TENON_ASSIGN(Operands sum, reduce<ReduceKind::Sum>(node));
    return single(node.build.pointwise(PointwiseKind::Log, {sum[0]}));
}

/// max + log(sum(exp(x - max))), which neither overflows nor loses small terms.
Result<Operands> log_sum_exp(NodeImport& node) {
    TENON_ASSIGN(const ReductionAxes over, reduction_axes(node));
    const Operand& x = node[0];
    if (over.does_nothing) return Operands{x};
    Builder& build = node.build;
    TENON_ASSIGN(const Operand largest, build.reduce(x, ReduceKind::Max, over.axes));
    TENON_ASSIGN(const Operand shifted, build.pointwise(PointwiseKind::Subtract, {x, largest}));
    TENON_ASSIGN(const Operand powers, build.pointwise(PointwiseKind::Exp, {shifted}));
    TENON_ASSIGN(const Operand sum, build.reduce(powers, ReduceKind::Sum, over.axes, over.keep_dims));
    TENON_ASSIGN(const Operand logarithm, build.pointwise(PointwiseKind::Log, {sum}));
    TENON_ASSIGN(const Operand offset, build.reshape(largest, logarithm.dims));
    return single(build.pointwise(PointwiseKind::Add, {logarithm, offset}));
}

/// The first position, or with select_last_index the last: the first one of the axis read backwards.
template <ReduceKind kind>
Result<Operands> position(NodeImport& node) {
    Builder& build = node.build;
    TENON_ASSIGN(const size_t axis, node.axis(node.integer("axis", 0), node[0].rank()));
    const bool keep_dims = node.integer("keepdims", 1) != 0, last = node.integer("select_last_index", 0) != 0;
    const int64_t extent = node[0].dims[axis];
    Operand x = node[0];
    if (last && extent > 0) {
        Slice backwards{Dims(x.rank(), 0), x.dims, Dims(x.rank(), 1)};
        backwards.start[axis] = extent - 1;
        backwards.step[axis] = -1;
        TENON_ASSIGN(x, build.apply(backwards, {x}));
    }
    TENON_ASSIGN(const Operand found, build.reduce(x, kind, {static_cast<int64_t>(axis)}, keep_dims));
    if (!last) return Operands{found};
    const Operand end = build.number(static_cast<double>(extent - 1), DataType::I64);
    return single(build.pointwise(PointwiseKind::Subtract, {end, found}));
}

constexpr RuleRow kRows[] = {
    {"ArgMax", 1, 1, position<ReduceKind::Argmax>},
    {"ArgMin", 1, 1, position<ReduceKind::Argmin>},
    {"ReduceL1", 1, 2, reduce<ReduceKind::Norm1>},
    {"ReduceL2", 1, 2, reduce<ReduceKind::Norm2>},
    {"ReduceLogSum", 1, 2, log_sum},
    {"ReduceLogSumExp", 1, 2, log_sum_exp},
    {"ReduceMax", 1, 2, reduce<ReduceKind::Max>},
    {"ReduceMean", 1, 2, reduce<ReduceKind::Mean>},
    {"ReduceMin", 1, 2, reduce<ReduceKind::Min>},
    {"ReduceProd", 1, 2, reduce<ReduceKind::Prod>},
    {"ReduceSum", 1, 2, reduce<ReduceKind::Sum>},
    {"ReduceSumSquare", 1, 2, sum_square},
};

}  // namespace

std::span<const RuleRow> reduction_rules() { return kRows; }

}  // namespace tenon::onnx
