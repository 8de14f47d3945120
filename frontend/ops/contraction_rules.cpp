#include "frontend/ops/conv_geometry.h"
#include "frontend/ops/infer.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

/// Types whose products can be summed, and the type of the sum.
Result<DataType> product_type(const Value& x, const Value& w) {
    const bool bytes = (x.type == DataType::I8 || x.type == DataType::U8) && w.type == DataType::I8;
    if (bytes) return DataType::I32;
    if (x.type == w.type && is_floating(x.type)) return x.type;
    return invalid(shown(x) + " and " + shown(w) + " must have one floating type, or be i8 or u8 with i8");
}

Dims window_of(const Value& w) { return Dims(w.dims.begin() + 2, w.dims.end()); }

Status check_groups(int64_t groups, int64_t channels, const char* what, const Value& value) {
    if (groups >= 1 && groups <= INT32_MAX && channels % groups == 0) return {};
    return invalid(shown(value) + ": " + std::to_string(channels) + " " + what + " do not divide into " +
                   std::to_string(groups) + " groups");
}

/// Channels of one group times groups, at most the largest number.
int64_t all_channels(int64_t of_group, int64_t groups) {
    int64_t channels = 0;
    return __builtin_mul_overflow(of_group, groups, &channels) ? INT64_MAX : channels;
}

/// (in - 1) * stride - pads + dilation * (window - 1) + 1 + extra, or a refusal if there is no such extent. Every term
/// but the first is below 2^62 + 2^34, since the attributes fit 31 bits.
Result<int64_t> transposed_extent(const Value& x, const WindowGeometry& g, size_t axis, int64_t extra) {
    const int64_t rest = g.dilation[axis] * (g.window[axis] - 1) + 1 + extra - g.pad_before[axis] - g.pad_after[axis];
    int64_t extent = 0;
    if (__builtin_mul_overflow(x.dims[axis + 2] - 1, g.stride[axis], &extent) ||
        __builtin_add_overflow(extent, rest, &extent)) {
        return invalid("axis " + std::to_string(axis + 2) + " of " + shown(x) + " is too large for stride " +
                       std::to_string(g.stride[axis]));
    }
    if (extent >= 1) return extent;
    return invalid("axis " + std::to_string(axis + 2) + " of the output would have extent " + std::to_string(extent));
}

}  // namespace

Result<std::vector<Value>> infer_op(const Conv& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 2, 2));
    const Value& x = *inputs[0];
    const Value& w = *inputs[1];
    TENON_TRY(need_rank(x, 3, 5));
    TENON_TRY(need_rank(w, x.dims.size(), x.dims.size()));
    TENON_TRY(check_groups(op.groups, x.dims[1], "channels", x));
    TENON_TRY(check_groups(op.groups, w.dims[0], "filters", w));
    const int64_t channels = all_channels(w.dims[1], op.groups);
    if (channels != x.dims[1]) {
        return invalid("image '" + x.name + "' has " + std::to_string(x.dims[1]) + " channels, filter '" + w.name +
                       "' reads " + std::to_string(channels) + " (groups = " + std::to_string(op.groups) + ")");
    }
    TENON_ASSIGN(const DataType type, product_type(x, w));
    TENON_ASSIGN(const WindowGeometry geometry, window_geometry(window_of(w), op.stride, op.dilation, op.pad));
    Dims dims{x.dims[0], w.dims[0]};
    for (size_t axis = 0; axis + 2 < x.dims.size(); ++axis) {
        const int64_t positions = window_positions(geometry, axis, x.dims[axis + 2]);
        if (positions < 1) {
            return invalid("axis " + std::to_string(axis + 2) + " of image '" + x.name + "' is " +
                           std::to_string(x.dims[axis + 2]) + ", too small for filter '" + w.name +
                           "': the output extent would be " + std::to_string(positions));
        }
        dims.push_back(positions);
    }
    return std::vector<Value>{result_like(inputs, type, dims)};
}

Result<std::vector<Value>> infer_op(const ConvTranspose& op, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 2, 2));
    const Value& x = *inputs[0];
    const Value& w = *inputs[1];
    TENON_TRY(need_rank(x, 3, 5));
    TENON_TRY(need_rank(w, x.dims.size(), x.dims.size()));
    TENON_TRY(check_groups(op.groups, x.dims[1], "channels", x));
    if (w.dims[0] != x.dims[1]) {
        return invalid("image '" + x.name + "' has " + std::to_string(x.dims[1]) + " channels, filter '" + w.name +
                       "' reads " + std::to_string(w.dims[0]));
    }
    TENON_ASSIGN(const DataType type, product_type(x, w));
    TENON_ASSIGN(const WindowGeometry g, window_geometry(window_of(w), op.stride, op.dilation, op.pad));
    Dims extra = op.output_padding.empty() ? Dims(g.window.size(), 0) : op.output_padding;
    if (extra.size() != g.window.size())
        return invalid("output_padding has " + std::to_string(extra.size()) + " entries, needs " +
                       std::to_string(g.window.size()));
    Dims dims{x.dims[0], all_channels(w.dims[1], op.groups)};
    for (size_t axis = 0; axis < g.window.size(); ++axis) {
        if (extra[axis] < 0 || extra[axis] > INT32_MAX)
            return invalid("output_padding is " + std::to_string(extra[axis]) + ", needs 0 to " +
                           std::to_string(INT32_MAX));
        TENON_ASSIGN(const int64_t extent, transposed_extent(x, g, axis, extra[axis]));
        dims.push_back(extent);
    }
    return std::vector<Value>{result_like(inputs, type, dims)};
}

Result<std::vector<Value>> infer_op(const Matmul&, const Inputs& inputs) {
    TENON_TRY(need_inputs(inputs, 2, 2));
    const Value& a = *inputs[0];
    const Value& b = *inputs[1];
    TENON_TRY(need_rank(a, 2));
    TENON_TRY(need_rank(b, 2));
    TENON_ASSIGN(const DataType type, product_type(a, b));
    const int64_t depth = a.dims.back(), rows = b.dims[b.dims.size() - 2];
    if (depth != rows)
        return invalid(shown(a) + " has " + std::to_string(depth) + " columns, " + shown(b) + " has " +
                       std::to_string(rows) + " rows");
    Value a_batch = a, b_batch = b;
    a_batch.dims.resize(a.dims.size() - 2);
    b_batch.dims.resize(b.dims.size() - 2);
    TENON_ASSIGN(Dims dims, broadcast({&a_batch, &b_batch}));
    dims.push_back(a.dims[a.dims.size() - 2]);
    dims.push_back(b.dims.back());
    return std::vector<Value>{result_like({}, type, dims)};
}

}  // namespace tenon
