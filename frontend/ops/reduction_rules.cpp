#include <algorithm>
#include <cmath>

#include "frontend/ops/conv_geometry.h"
#include "frontend/ops/infer.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

Status need_floating(const Value& value) {
    if (is_floating(value.type)) return {};
    return invalid(shown(value) + " must be floating");
}

Status need_vector(const Value& value, const Dims& dims) {
    TENON_TRY(need_floating(value));
    if (value.dims == dims) return {};
    return invalid(shown(value) + " must be " + to_text(dims));
}

/// The number added to a variance: more would be a mistake, less gives NaN.
Status need_epsilon(double epsilon) {
    if (std::isfinite(epsilon) && epsilon >= 0.0) return {};
    return invalid("epsilon is " + std::to_string(epsilon) + ", needs a finite number of at least 0");
}

Value packed(DataType type, Dims dims) { return result_like({}, type, std::move(dims)); }

}  // namespace

Result<std::vector<Value>> infer_op(const Norm& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 3));
    const Value& x = *inputs[0];
    TENON_TRY(need_floating(x));
    TENON_TRY(need_epsilon(op.epsilon));
    const bool channels = op.kind == NormKind::Instance || op.kind == NormKind::Group;
    TENON_TRY(need_rank(x, channels ? 2 : 1, op.kind == NormKind::Group ? 7 : 8));
    Dims vector, statistics = x.dims;
    if (channels) {
        vector = {x.dims[1]};
        statistics = op.kind == NormKind::Instance ? Dims{x.dims[0], x.dims[1]} : Dims{x.dims[0], op.groups};
        if (op.kind == NormKind::Group && (op.groups < 1 || x.dims[1] % op.groups != 0)) {
            return invalid(shown(x) + ": " + std::to_string(x.dims[1]) + " channels do not divide into " +
                           std::to_string(op.groups) + " groups");
        }
    } else {
        TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, x.dims.size()));
        vector.assign(x.dims.begin() + static_cast<int64_t>(axis), x.dims.end());
        std::fill(statistics.begin() + static_cast<int64_t>(axis), statistics.end(), 1);
    }
    for (size_t i = 1; i < inputs.size(); ++i) TENON_TRY(need_vector(*inputs[i], vector));
    std::vector<Value> results{result_like(inputs, x.type, x.dims)};
    if (op.save_statistics)
        results.insert(results.end(), op.kind == NormKind::Rms ? 1 : 2, packed(DataType::F32, statistics));
    return results;
}

Result<std::vector<Value>> infer_op(const BatchNorm& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 5, op.training ? 6 : 5));
    const Value& x = *inputs[0];
    TENON_TRY(need_floating(x));
    TENON_TRY(need_rank(x, 2));
    TENON_TRY(need_epsilon(op.epsilon));
    if (!(op.momentum >= 0.0 && op.momentum <= 1.0))
        return invalid("momentum is " + std::to_string(op.momentum) + ", needs 0 to 1");
    for (size_t i = 1; i < 5; ++i) TENON_TRY(need_vector(*inputs[i], {x.dims[1]}));
    std::vector<Value> results{result_like(inputs, x.type, x.dims)};
    if (!op.training) return results;
    if (inputs.size() == 6) TENON_TRY(need_vector(*inputs[5], {}));
    const int64_t count = x.dims[1] == 0 ? 0 : element_count(x.dims) / x.dims[1];
    if (count < 2)
        return invalid(shown(x) + " has " + std::to_string(count) +
                       " value per channel (N*H*W); training needs at least 2");
    results.push_back(packed(inputs[3]->type, {x.dims[1]}));
    results.push_back(packed(inputs[4]->type, {x.dims[1]}));
    results.insert(results.end(), 2, packed(DataType::F32, {x.dims[1]}));
    return results;
}

Result<std::vector<Value>> infer_op(const Reduce& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    if (x.type == DataType::Bool) return invalid(shown(x) + " cannot be reduced; cast it first");
    std::vector<bool> reduced(x.dims.size(), op.axes.empty());
    for (const int64_t named : op.axes) {
        TENON_ASSIGN(const size_t axis, normalized_axis(named, x.dims.size()));
        if (reduced[axis]) return invalid("axis " + std::to_string(named) + " is named twice");
        reduced[axis] = true;
    }
    const bool positions = op.kind == ReduceKind::Argmax || op.kind == ReduceKind::Argmin;
    const auto axes = std::count(reduced.begin(), reduced.end(), true);
    if (positions && axes != 1) return invalid("reduces " + std::to_string(axes) + " axes to a position, needs 1");
    Dims dims;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        if (reduced[axis] && positions && x.dims[axis] == 0)
            return invalid(shown(x) + ": axis " + std::to_string(axis) + " is empty");
        if (!reduced[axis]) dims.push_back(x.dims[axis]);
        if (reduced[axis] && op.keep_dims) dims.push_back(1);
    }
    return std::vector<Value>{result_like(inputs, positions ? DataType::I64 : x.type, dims)};
}

Result<std::vector<Value>> infer_op(const Softmax& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    TENON_TRY(need_floating(*inputs[0]));
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, inputs[0]->dims.size()));
    (void)axis;
    return std::vector<Value>{result_like(inputs, inputs[0]->type, inputs[0]->dims)};
}

Result<std::vector<Value>> infer_op(const Pool& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_rank(x, 3, 5));
    if (op.kind == PoolKind::Average) TENON_TRY(need_floating(x));
    if (x.type == DataType::Bool) return invalid(shown(x) + " cannot be pooled; cast it first");
    const Dims image(x.dims.begin() + 2, x.dims.end());
    TENON_ASSIGN(const WindowGeometry g,
                 window_geometry(op.window.empty() ? image : op.window, op.stride, op.dilation, op.pad));
    if (g.window.size() != image.size())
        return invalid("window has " + std::to_string(g.window.size()) + " entries, needs " +
                       std::to_string(image.size()));
    Dims dims{x.dims[0], x.dims[1]};
    for (size_t axis = 0; axis < image.size(); ++axis) {
        int64_t positions = window_positions(g, axis, image[axis]);
        if (op.ceil_mode) {
            const int64_t room =
                image[axis] + g.pad_before[axis] + g.pad_after[axis] - g.dilation[axis] * (g.window[axis] - 1) - 1;
            const bool hangs_over = room >= 0 && room % g.stride[axis] != 0;
            if (hangs_over && positions * g.stride[axis] < image[axis] + g.pad_before[axis]) ++positions;
        }
        if (positions < 1)
            return invalid("axis " + std::to_string(axis + 2) + " of " + shown(x) + " is too small for a window of " +
                           std::to_string(g.window[axis]));
        dims.push_back(positions);
    }
    std::vector<Value> results{result_like(inputs, x.type, dims)};
    if (op.with_indices) {
        if (op.kind != PoolKind::Max) return invalid("only max pooling has indices");
        results.push_back(result_like(inputs, DataType::I64, dims));
    }
    return results;
}

Result<std::vector<Value>> infer_op(const AdaptivePool& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_rank(x, 3, 5));
    TENON_TRY(need_floating(x));
    if (op.output.size() + 2 != x.dims.size())
        return invalid("output has " + std::to_string(op.output.size()) + " entries, needs " +
                       std::to_string(x.dims.size() - 2));
    Dims dims{x.dims[0], x.dims[1]};
    for (size_t axis = 0; axis < op.output.size(); ++axis) {
        if (op.output[axis] < 1 || x.dims[axis + 2] < 1)
            return invalid("axis " + std::to_string(axis + 2) + ": cannot pool " + std::to_string(x.dims[axis + 2]) +
                           " to " + std::to_string(op.output[axis]));
        dims.push_back(op.output[axis]);
    }
    return std::vector<Value>{result_like(inputs, x.type, dims)};
}

}  // namespace tenon
