#include <algorithm>
#include <cmath>

#include "frontend/ops/conv_geometry.h"
#include "frontend/ops/infer.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

Status need_entries(const char* what, size_t found, size_t needed) {
    if (found == needed) return {};
    return invalid(std::string(what) + " has " + std::to_string(found) + " entries, needs " + std::to_string(needed));
}

}  // namespace

Result<std::vector<Value>> infer_op(const Resize& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_rank(x, 3, 5));
    if (op.mode == ResizeMode::Linear && !is_floating(x.type))
        return invalid(shown(x) + " must be floating to be interpolated");
    TENON_TRY(need_entries("output", op.output.size(), x.dims.size() - 2));
    if (!op.scale.empty()) TENON_TRY(need_entries("scale", op.scale.size(), x.dims.size() - 2));
    Dims dims{x.dims[0], x.dims[1]};
    for (size_t axis = 0; axis < op.output.size(); ++axis) {
        if (op.output[axis] < 1 || x.dims[axis + 2] < 1)
            return invalid("axis " + std::to_string(axis + 2) + ": cannot resize " + std::to_string(x.dims[axis + 2]) +
                           " to " + std::to_string(op.output[axis]));
        if (!op.scale.empty() && !(op.scale[axis] > 0.0 && std::isfinite(op.scale[axis])))
            return invalid("scale of axis " + std::to_string(axis + 2) + " is " + std::to_string(op.scale[axis]) +
                           ", needs a finite number above 0");
        dims.push_back(op.output[axis]);
    }
    return std::vector<Value>{result_like(inputs, x.type, dims)};
}

Result<std::vector<Value>> infer_op(const Reshape& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    Dims dims = op.dims;
    const int64_t count = element_count(x.dims);
    int64_t known = 1;
    int open = 0;
    for (const int64_t extent : dims) {
        if (extent < -1 || extent > INT32_MAX * int64_t{1024})
            return invalid("extent " + std::to_string(extent) + " is out of range");
        if (extent == -1) ++open;
        if (extent != -1 && __builtin_mul_overflow(known, extent, &known)) return invalid("the extents overflow");
    }
    if (dims.size() > kMaxRank)
        return invalid("rank " + std::to_string(dims.size()) + " is above " + std::to_string(kMaxRank));
    if (open > 1 || (open == 1 && (known == 0 || count % known != 0)))
        return invalid("cannot infer -1 in " + to_text(dims) + " for " + shown(x));
    for (int64_t& extent : dims) {
        if (extent == -1) extent = count / known;
    }
    if (element_count(dims) != count)
        return invalid(shown(x) + " has " + std::to_string(count) + " elements, " + to_text(dims) + " has " +
                       std::to_string(element_count(dims)));
    return std::vector<Value>{result_like({}, x.type, dims)};
}

Result<std::vector<Value>> infer_op(const Transpose& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_entries("permutation", op.permutation.size(), x.dims.size()));
    Dims dims;
    std::vector<bool> seen(x.dims.size(), false);
    for (const int64_t axis : op.permutation) {
        if (axis < 0 || axis >= static_cast<int64_t>(x.dims.size()) || seen[static_cast<size_t>(axis)])
            return invalid("permutation names axis " + std::to_string(axis) + " twice or outside the rank");
        seen[static_cast<size_t>(axis)] = true;
        dims.push_back(x.dims[static_cast<size_t>(axis)]);
    }
    return std::vector<Value>{result_like({}, x.type, dims)};
}

Result<std::vector<Value>> infer_op(const Expand& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    if (op.dims.size() > kMaxRank)
        return invalid("rank " + std::to_string(op.dims.size()) + " is above " + std::to_string(kMaxRank));
    for (const int64_t extent : op.dims) {
        if (extent < 0 || extent > INT32_MAX * int64_t{1024})
            return invalid("extent " + std::to_string(extent) + " is out of range");
    }
    Value wanted;
    wanted.name = "dims";
    wanted.dims = op.dims;
    TENON_ASSIGN(const Dims dims, broadcast({inputs[0], &wanted}));
    if (dims != op.dims) return invalid(shown(*inputs[0]) + " does not expand to " + to_text(op.dims));
    return std::vector<Value>{result_like({}, inputs[0]->type, dims)};
}

Result<std::vector<Value>> infer_op(const Slice& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_entries("start", op.start.size(), x.dims.size()));
    TENON_TRY(need_entries("length", op.length.size(), x.dims.size()));
    TENON_TRY(need_entries("step", op.step.size(), x.dims.size()));
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        const int64_t extent = x.dims[axis];
        const bool is_step = op.step[axis] != 0 && op.step[axis] >= -INT32_MAX && op.step[axis] <= INT32_MAX;
        if (!is_step || op.length[axis] < 0 || op.length[axis] > extent) {
            return invalid("axis " + std::to_string(axis) + ": step " + std::to_string(op.step[axis]) + " or length " +
                           std::to_string(op.length[axis]) + " is out of range");
        }
        if (op.length[axis] == 0) continue;
        int64_t last = 0;
        const bool overflows = __builtin_mul_overflow(op.length[axis] - 1, op.step[axis], &last) ||
                               __builtin_add_overflow(last, op.start[axis], &last);
        if (overflows || op.start[axis] < 0 || op.start[axis] >= extent || last < 0 || last >= extent) {
            return invalid("axis " + std::to_string(axis) + " of " + shown(x) + ": reads " +
                           std::to_string(op.start[axis]) + " to " + std::to_string(last) + ", has " +
                           std::to_string(extent));
        }
    }
    return std::vector<Value>{result_like(inputs, x.type, op.length)};
}

Result<std::vector<Value>> infer_op(const Concat& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 4096));
    const Value& first = *inputs[0];
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, first.dims.size()));
    Dims dims = first.dims;
    for (size_t i = 1; i < inputs.size(); ++i) {
        Dims others = inputs[i]->dims;
        if (others.size() != dims.size() || inputs[i]->type != first.type)
            return invalid(shown(*inputs[i]) + " does not join " + shown(first));
        const int64_t extent = others[axis];
        others[axis] = dims[axis];
        if (others != dims)
            return invalid(shown(*inputs[i]) + " does not join " + shown(first) + " along axis " +
                           std::to_string(axis));
        dims[axis] += extent;
    }
    return std::vector<Value>{result_like(inputs, first.type, dims)};
}

Result<std::vector<Value>> infer_op(const Pad& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    const Value& x = *inputs[0];
    TENON_TRY(need_entries("before", op.before.size(), x.dims.size()));
    TENON_TRY(need_entries("after", op.after.size(), x.dims.size()));
    Dims dims = x.dims;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        const int64_t most = std::max(op.before[axis], op.after[axis]);
        if (most > INT32_MAX || std::min(op.before[axis], op.after[axis]) < -INT32_MAX)
            return invalid("axis " + std::to_string(axis) + ": padding is out of range");
        if (op.mode == PadMode::Reflect && most >= std::max<int64_t>(dims[axis], 1))
            return invalid("axis " + std::to_string(axis) + " of " + shown(x) + ": reflects " + std::to_string(most) +
                           " cells, has " + std::to_string(dims[axis]));
        if (op.mode == PadMode::Edge && most > 0 && dims[axis] == 0)
            return invalid("axis " + std::to_string(axis) + " of " + shown(x) + " has no edge");
        dims[axis] += op.before[axis] + op.after[axis];
        if (dims[axis] < 0)
            return invalid("axis " + std::to_string(axis) + " of the output would have extent " +
                           std::to_string(dims[axis]));
    }
    return std::vector<Value>{result_like(inputs, x.type, dims)};
}

Result<std::vector<Value>> infer_op(const Gather& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 2, 2));
    const Value& x = *inputs[0];
    const Value& indices = *inputs[1];
    if (indices.type != DataType::I32 && indices.type != DataType::I64)
        return invalid("indices " + shown(indices) + " must be i32 or i64");
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, x.dims.size()));
    if (x.dims[axis] == 0) return invalid("axis " + std::to_string(axis) + " of " + shown(x) + " is empty");
    Dims dims(x.dims.begin(), x.dims.begin() + static_cast<int64_t>(axis));
    dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
    dims.insert(dims.end(), x.dims.begin() + static_cast<int64_t>(axis) + 1, x.dims.end());
    if (dims.size() > kMaxRank) return invalid("the result would have rank " + std::to_string(dims.size()));
    return std::vector<Value>{result_like({}, x.type, dims)};
}

Result<std::vector<Value>> infer_op(const IndexAlong& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 1, 1));
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, inputs[0]->dims.size()));
    (void)axis;
    if (op.type == DataType::Bool) return invalid("an index cannot be bool");
    return std::vector<Value>{result_like(inputs, op.type, inputs[0]->dims)};
}

}  // namespace tenon
