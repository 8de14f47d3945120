#include "frontend/ops/infer.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "frontend/status_macros.h"

namespace tenon {
namespace {

/// Whether the axes lie in this order, outermost first, with or without gaps. Axes of extent 1 and broadcast ones
/// (stride 0) may stand anywhere.
bool lies_in(Layout layout, const Value& value) {
    std::vector<int64_t> strides;
    for (size_t axis = 0; axis < value.dims.size(); ++axis) {
        if (value.dims[axis] > 1 && value.strides[axis] != 0 && !(layout == Layout::NHWC && axis == 1))
            strides.push_back(value.strides[axis]);
    }
    if (layout == Layout::NHWC && value.dims[1] > 1 && value.strides[1] != 0) strides.push_back(value.strides[1]);
    return std::adjacent_find(strides.begin(), strides.end(), std::less_equal<int64_t>()) == strides.end();
}

/// The layout that the strides show, or nothing if they fit both or neither.
std::optional<Layout> evident_layout(const Value& value) {
    if (value.dims.size() < 3) return std::nullopt;
    const bool row_major = lies_in(Layout::NCHW, value), channels_last = lies_in(Layout::NHWC, value);
    if (row_major == channels_last) return std::nullopt;
    return channels_last ? Layout::NHWC : Layout::NCHW;
}

constexpr std::string_view kNames[] = {"conv",          "conv_transpose", "matmul",  "pointwise", "cast",
                                       "norm",          "batch_norm",     "reduce",  "softmax",   "pool",
                                       "adaptive_pool", "resize",         "reshape", "transpose", "expand",
                                       "slice",         "concat",         "pad",     "gather",    "index_along"};
static_assert(std::size(kNames) == std::variant_size_v<Op>);

}  // namespace

std::string_view op_name(size_t index) { return kNames[index]; }

std::string_view name_of(const Op& op) {
    if (const auto* pointwise = std::get_if<Pointwise>(&op)) return info(pointwise->kind).name;
    return kNames[op.index()];
}

Value result_like(const Inputs& inputs, DataType type, Dims dims) {
    std::optional<Layout> layout;
    for (const Value* input : inputs) {
        if (!layout && input->dims.size() == dims.size()) layout = evident_layout(*input);
    }
    Value value;
    value.type = type;
    value.strides = packed_strides(dims, layout.value_or(Layout::NCHW));
    value.dims = std::move(dims);
    return value;
}

Status invalid(std::string text) { return Status(ErrorCode::InvalidGraph, std::move(text)); }

std::string shown(const Value& value) {
    return "'" + value.name + "' (" + std::string(to_string(value.type)) + " " + to_text(value.dims) + ")";
}

Status need_inputs(const Inputs& inputs, size_t least, size_t most) {
    if (inputs.size() >= least && inputs.size() <= most) return {};
    const std::string needed =
        least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
    return invalid("has " + std::to_string(inputs.size()) + " inputs, needs " + needed);
}

Status need_rank(const Value& value, size_t least, size_t most) {
    const size_t rank = value.dims.size();
    if (rank >= least && rank <= most) return {};
    return invalid(shown(value) + " has rank " + std::to_string(rank) + ", needs " + std::to_string(least) + " to " +
                   std::to_string(most));
}

Result<Dims> broadcast(const Inputs& inputs) {
    Dims dims;
    for (const Value* input : inputs) {
        if (input->dims.size() > dims.size()) dims.insert(dims.begin(), input->dims.size() - dims.size(), 1);
    }
    for (const Value* input : inputs) {
        const size_t missing = dims.size() - input->dims.size();
        for (size_t axis = 0; axis < input->dims.size(); ++axis) {
            int64_t& extent = dims[missing + axis];
            const int64_t own = input->dims[axis];
            if (own == extent || own == 1) continue;
            if (extent != 1)
                return invalid(shown(*input) + " does not broadcast: axis " + std::to_string(axis) + " is " +
                               std::to_string(own) + ", others have " + std::to_string(extent));
            extent = own;
        }
    }
    return dims;
}

size_t result_count(const Op& op) {
    if (const auto* norm = std::get_if<Norm>(&op))
        return norm->save_statistics ? (norm->kind == NormKind::Rms ? 2 : 3) : 1;
    if (const auto* batch_norm = std::get_if<BatchNorm>(&op)) return batch_norm->training ? 5 : 1;
    if (const auto* pool = std::get_if<Pool>(&op)) return pool->with_indices ? 2 : 1;
    return 1;
}

Result<std::vector<Value>> infer(const Op& op, const std::vector<const Value*>& inputs) {
    return std::visit([&](const auto& rule) { return infer_op(rule, inputs); }, op);
}

}  // namespace tenon
