// Pooling.

#include <numeric>

#include "frontend/onnx/rules/padding.h"
#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

Result<Pool> pool_of(NodeImport& node, PoolKind kind) {
    Pool pool{.kind = kind, .window = node.integers("kernel_shape")};
    if (pool.window.empty()) return node.invalid("has no kernel_shape");
    TENON_ASSIGN(const WindowAttributes attributes, window_attributes(node, node[0].dims, pool.window));
    pool.stride = attributes.stride;
    pool.dilation = attributes.dilation;
    pool.pad = attributes.pad;
    pool.ceil_mode = node.integer("ceil_mode", 0) != 0;
    return pool;
}

/// Positions in the image of (n, c) become positions in the whole tensor.
Result<Operand> positions_in_tensor(NodeImport& node, const Operand& positions) {
    const Dims& dims = node[0].dims;
    const int64_t planes = dims[0] * dims[1], cells = planes == 0 ? 0 : node[0].count() / planes;
    if (planes > (int64_t{1} << 20)) return node.unsupported("indices for " + std::to_string(planes) + " images");
    std::vector<int64_t> starts(static_cast<size_t>(planes));
    for (size_t plane = 0; plane < starts.size(); ++plane) starts[plane] = static_cast<int64_t>(plane) * cells;
    Dims column(dims.size(), 1);
    column[0] = dims[0];
    column[1] = dims[1];
    const Operand first = Builder::of(known_integers(DataType::I64, column, starts));
    return node.build.pointwise(PointwiseKind::Add, {positions, first});
}

Result<Operands> max_pool(NodeImport& node) {
    TENON_ASSIGN(Pool pool, pool_of(node, PoolKind::Max));
    if (node.integer("storage_order", 0) != 0 && node.wants(1))
        return node.unsupported("indices in column-major order are not supported");
    pool.with_indices = node.wants(1);
    TENON_ASSIGN(Operands results, node.build.apply_all(pool, {node[0]}));
    if (pool.with_indices) {
        TENON_ASSIGN(results[1], positions_in_tensor(node, results[1]));
    }
    return results;
}

Result<Operands> average_pool(NodeImport& node) {
    TENON_ASSIGN(Pool pool, pool_of(node, PoolKind::Average));
    pool.count_padding = node.integer("count_include_pad", 0) != 0;
    return single(node.build.apply(pool, {node[0]}));
}

/// (sum of |x|^p in the window)^(1/p): the mean with counted padding, times the window.
Result<Operands> lp_pool(NodeImport& node) {
    TENON_ASSIGN(Pool pool, pool_of(node, PoolKind::Average));
    const int64_t p = node.integer("p", 2);
    if (p != 1 && p != 2) return node.unsupported("p is " + std::to_string(p) + ", needs 1 or 2");
    if (pool.ceil_mode) return node.unsupported("ceil_mode is not supported");
    pool.count_padding = true;
    Builder& build = node.build;
    TENON_ASSIGN(const Operand powers, build.pointwise(p == 1 ? PointwiseKind::Abs : PointwiseKind::Square, {node[0]}));
    TENON_ASSIGN(const Operand means, build.apply(pool, {powers}));
    const double cells = std::accumulate(pool.window.begin(), pool.window.end(), 1.0, std::multiplies<>());
    TENON_ASSIGN(const Operand sum, build.pointwise(PointwiseKind::Multiply, {means, build.number(cells, means.type)}));
    return p == 1 ? Operands{sum} : single(build.pointwise(PointwiseKind::Sqrt, {sum}));
}

/// Over all spatial axes, which stay with extent 1.
template <ReduceKind kind>
Result<Operands> global_pool(NodeImport& node) {
    const Operand& x = node[0];
    if (x.rank() < 3) return node.invalid(to_text(x.dims) + " is no image");
    Dims axes(x.rank() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return single(node.build.reduce(x, kind, axes));
}

Result<Operands> global_lp_pool(NodeImport& node) {
    const int64_t p = node.integer("p", 2);
    if (p == 1) return global_pool<ReduceKind::Norm1>(node);
    if (p == 2) return global_pool<ReduceKind::Norm2>(node);
    return node.unsupported("p is " + std::to_string(p) + ", needs 1 or 2");
}

constexpr RuleRow kRows[] = {
    {"AveragePool", 1, 1, average_pool},
    {"GlobalAveragePool", 1, 1, global_pool<ReduceKind::Mean>},
    {"GlobalLpPool", 1, 1, global_lp_pool},
    {"GlobalMaxPool", 1, 1, global_pool<ReduceKind::Max>},
    {"LpPool", 1, 1, lp_pool},
    {"MaxPool", 1, 1, max_pool},
};

}  // namespace

std::span<const RuleRow> window_rules() { return kRows; }

}  // namespace tenon::onnx
