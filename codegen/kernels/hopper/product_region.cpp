#include "codegen/kernels/hopper/product_region.h"

#include "frontend/ops/conv_geometry.h"

namespace tenon::codegen {
namespace {

constexpr int64_t kLineBytes = 16;  ///< Grain of the copy engine's addresses and strides.

bool is_grain(int64_t elements, DataType type) { return elements * bytes_of(type) % kLineBytes == 0; }

Verdict no_grain(const Operand& operand, const std::string& what) {
    return Verdict::no("NOT_16_BYTE_ALIGNED", what + " of '" + operand.role + "' is no multiple of 16 bytes, strides " +
                                                  tenon::to_text(operand.strides));
}

/// Stride of an axis, or what it would be if the axis had more than one entry.
int64_t stride_or(const Operand& operand, const Dims& dims, size_t axis, int64_t packed) {
    return dims[axis] == 1 ? packed : operand.strides[axis];
}

uint64_t bytes(int64_t elements, DataType type) { return static_cast<uint64_t>(elements * bytes_of(type)); }

/// Channels-last image [N, C, H, W] as a tensor map.
Verdict read_image(const Operand& x, const Dims& dims, ProductRegion& product, const WindowGeometry& window) {
    if (dims[1] > 1 && x.strides[1] != 1)
        return Verdict::no("CHANNELS_NOT_INNERMOST",
                           "channels are " + std::to_string(x.strides[1]) + " elements apart");
    const int64_t column = stride_or(x, dims, 3, dims[1]), row = stride_or(x, dims, 2, column * dims[3]);
    const int64_t image = stride_or(x, dims, 0, row * dims[2]);
    if (column <= 0 || row <= 0 || image <= 0)
        return Verdict::no("BROADCAST_FACTOR", "an axis of the image does not move in memory");
    for (const int64_t stride : {column, row, image}) {
        if (!is_grain(stride, x.type)) return no_grain(x, "a stride");
    }
    if (!is_grain(x.offset, x.type)) return no_grain(x, "the offset");
    const bool is_plain = product.taps == Dims{1, 1} && window.stride == Dims{1, 1} &&
                          window.pad_before == Dims{0, 0} && window.pad_after == Dims{0, 0} &&
                          row == column * dims[3] && image == row * dims[2];
    if (is_plain) {
        product.row_map = {.dims = {static_cast<uint64_t>(dims[1]), static_cast<uint64_t>(product.rows)},
                           .strides = {bytes(column, x.type)},
                           .box = {},
                           .steps = {1, 1},
                           .swizzle_bytes = 128};
        return Verdict::yes();
    }
    product.is_windowed = true;
    product.row_map = {
        .dims = {static_cast<uint64_t>(dims[1]), static_cast<uint64_t>(dims[3]), static_cast<uint64_t>(dims[2]),
                 static_cast<uint64_t>(dims[0])},
        .strides = {bytes(column, x.type), bytes(row, x.type), bytes(image, x.type)},
        .box = {},
        .steps = {1, static_cast<uint32_t>(window.stride[1]), static_cast<uint32_t>(window.stride[0]), 1},
        .swizzle_bytes = 128,
        .rounds_to_tf32 = false,
        .is_im2col = true};
    for (size_t i = 0; i < 2; ++i) {  // spatial axis: 0 rows, 1 columns; corners hold columns first
        const int64_t reach = (window.window[i] - 1) * window.dilation[i];
        // The last window origin that has an output; behind it padding may go unused.
        const int64_t last = (product.image[i] - 1) * window.stride[i] - window.pad_before[i];
        const int64_t lower = -window.pad_before[i], upper = last - (dims[2 + i] - 1);
        constexpr int64_t kLowest = -128, kHighest = 127, kMostReach = 255, kMostStride = 8;
        if (lower < kLowest || upper < kLowest || upper > kHighest || reach > kMostReach ||
            window.stride[i] > kMostStride)
            return Verdict::no("WINDOW_BEYOND_COPY_ENGINE",
                               "padding " + std::to_string(window.pad_before[i]) + ", reach " + std::to_string(reach) +
                                   " or stride " + std::to_string(window.stride[i]) + " is too large for im2col");
        product.row_map.lower_corner[1 - i] = static_cast<int32_t>(lower);
        product.row_map.upper_corner[1 - i] = static_cast<int32_t>(upper);
    }
    return Verdict::yes();
}

/// Filter [K, C, R, S] as (C, taps, K).
Verdict read_filter(const Operand& w, const Dims& dims, ProductRegion& product) {
    if (dims[1] > 1 && w.strides[1] != 1)
        return Verdict::no("FILTER_NOT_CHANNELS_LAST",
                           "input channels of the filter are " + std::to_string(w.strides[1]) + " elements apart");
    const int64_t tap = dims[3] > 1 ? w.strides[3] : stride_or(w, dims, 2, dims[1]);
    const int64_t filter = stride_or(w, dims, 0, tap * dims[2] * dims[3]);
    if (dims[2] > 1 && dims[3] > 1 && w.strides[2] != tap * dims[3])
        return Verdict::no("FILTER_NOT_CHANNELS_LAST", "the taps of the filter are not evenly apart");
    if (tap <= 0 || filter <= 0)
        return Verdict::no("BROADCAST_FACTOR", "an axis of the filter does not move in memory");
    if (!is_grain(tap, w.type) || !is_grain(filter, w.type)) return no_grain(w, "a stride");
    if (!is_grain(w.offset, w.type)) return no_grain(w, "the offset");
    product.column_map = {.dims = {static_cast<uint64_t>(dims[1]), static_cast<uint64_t>(dims[2] * dims[3]),
                                   static_cast<uint64_t>(dims[0])},
                          .strides = {bytes(tap, w.type), bytes(filter, w.type)},
                          .box = {},
                          .steps = {1, 1, 1},
                          .swizzle_bytes = 128};
    return Verdict::yes();
}

Verdict read_conv(const Conv& op, const Region& region, ProductRegion& product) {
    const Dims &x = region.inputs[0].dims, &w = region.inputs[1].dims;
    if (x.size() != 4) return Verdict::no("NOT_TWO_SPATIAL_AXES", std::to_string(x.size() - 2) + " spatial axes");
    if (op.groups != 1) return Verdict::no("GROUPED", std::to_string(op.groups) + " groups share no depth");
    const WindowGeometry window = *window_geometry({w[2], w[3]}, op.stride, op.dilation, op.pad);
    const Dims& y = region.epilogue.dims;
    product.function = "conv";
    product.roles = {"x", "w"};
    product.rows = y[0] * y[2] * y[3];
    product.columns = y[1];
    product.depth = x[1];
    product.taps = {w[2], w[3]};
    product.image = {y[2], y[3]};
    product.stride = window.stride;
    product.dilation = window.dilation;
    product.pad = window.pad_before;
    const Verdict image = read_image(*region.plain_input(0), x, product, window);
    return image ? read_filter(*region.plain_input(1), w, product) : image;
}

Verdict read_matmul(const Region& region, ProductRegion& product) {
    const Dims &a_dims = region.inputs[0].dims, &b_dims = region.inputs[1].dims;
    const Operand &a = *region.plain_input(0), &b = *region.plain_input(1);
    const size_t rank = a_dims.size(), b_rank = b_dims.size();
    for (size_t i = 0; i + 2 < b_rank; ++i) {
        if (b_dims[i] != 1)
            return Verdict::no("BATCHED", "the second factor has a batch of " + std::to_string(b_dims[i]));
    }
    const int64_t depth = a_dims[rank - 1], columns = b_dims[b_rank - 1];
    int64_t rows = 1, pitch = 0;
    for (size_t i = rank - 1; i-- > 0;) {  // all axes but the last must lie evenly
        if (a_dims[i] == 1) continue;
        if (pitch == 0) pitch = a.strides[i];
        if (a.strides[i] != pitch * rows)
            return Verdict::no("BATCHED", "the rows of the first factor are not evenly apart");
        rows *= a_dims[i];
    }
    if (pitch == 0) pitch = (depth + kLineBytes - 1) / kLineBytes * kLineBytes;
    if (depth > 1 && a.strides[rank - 1] != 1)
        return Verdict::no("DEPTH_NOT_INNERMOST", "the first factor's depth is not innermost in memory");
    if (pitch <= 0 || !is_grain(pitch, a.type) || !is_grain(a.offset, a.type)) return no_grain(a, "the pitch");
    const int64_t b_depth = stride_or(b, b_dims, b_rank - 2, columns), b_column = stride_or(b, b_dims, b_rank - 1, 1);
    product.columns_innermost = b_column == 1 && columns > 1;
    const int64_t b_pitch = product.columns_innermost ? b_depth : b_column;
    if (!product.columns_innermost && b_depth != 1)
        return Verdict::no("DEPTH_NOT_INNERMOST", "neither axis of the second factor is innermost in memory");
    if (product.columns_innermost && product.type == DataType::F32)
        return Verdict::no("DEPTH_NOT_INNERMOST", "tf32 needs the second factor's depth innermost in memory");
    if (b_pitch <= 0 || !is_grain(b_pitch, b.type) || !is_grain(b.offset, b.type)) return no_grain(b, "the pitch");
    product.function = "matmul";
    product.roles = {"a", "b"};
    product.rows = rows;
    product.columns = columns;
    product.depth = depth;
    product.row_map = {.dims = {static_cast<uint64_t>(depth), static_cast<uint64_t>(rows)},
                       .strides = {bytes(pitch, a.type)},
                       .box = {},
                       .steps = {1, 1},
                       .swizzle_bytes = 128};
    if (product.columns_innermost) {
        product.column_map = {.dims = {static_cast<uint64_t>(columns), static_cast<uint64_t>(depth)},
                              .strides = {bytes(b_pitch, b.type)},
                              .box = {},
                              .steps = {1, 1},
                              .swizzle_bytes = 128};
    } else {
        product.column_map = {.dims = {static_cast<uint64_t>(depth), 1, static_cast<uint64_t>(columns)},
                              .strides = {bytes(b_pitch, b.type), bytes(b_pitch, b.type)},
                              .box = {},
                              .steps = {1, 1, 1},
                              .swizzle_bytes = 128};
    }
    return Verdict::yes();
}

}  // namespace

Verdict read_product(const Region& region, const EmitContext& context, ProductRegion& product) {
    if (context.target.compute_capability != 90)
        return Verdict::no("NOT_SM_90", "the target is " + context.target.architecture());
    if (region.anchor == kNone) return Verdict::no("NO_PRODUCT", "there is no convolution or matrix product");
    const Op& op = context.graph.node(region.anchor).op;
    if (!std::holds_alternative<Conv>(op) && !std::holds_alternative<Matmul>(op))
        return Verdict::no("NO_PRODUCT", "the anchor is no convolution or matrix product");
    if (region.plain_input(0) == nullptr || region.plain_input(1) == nullptr)
        return Verdict::no("PROLOGUE", "a factor is computed on the way in");
    product.type = region.plain_input(0)->type;
    const bool is_half = product.type == DataType::F16 || product.type == DataType::BF16;
    const bool is_tf32 = product.type == DataType::F32 && context.graph.numerics.tf32;
    if (!is_half && !is_tf32)
        return Verdict::no("NO_TENSOR_CORE_TYPE",
                           std::string(to_string(product.type)) +
                               (product.type == DataType::F32 ? " and the graph does not allow tf32" : ""));
    if (region.plain_input(1)->type != product.type) return Verdict::no("MIXED_TYPES", "the factors differ in type");
    const DataType result = region.epilogue.terms[0].type;
    if (result != DataType::F16 && result != DataType::BF16 && result != DataType::F32)
        return Verdict::no("NO_TENSOR_CORE_TYPE", "the result is " + std::string(to_string(result)));
    const Conv* conv = std::get_if<Conv>(&op);
    const Verdict verdict = conv != nullptr ? read_conv(*conv, region, product) : read_matmul(region, product);
    if (verdict && is_tf32) product.row_map.rounds_to_tf32 = product.column_map.rounds_to_tf32 = true;
    constexpr int64_t kMostRows = int64_t{1} << 30;
    if (verdict && (product.rows > kMostRows || product.columns > kMostRows))
        return Verdict::no("TOO_LARGE", std::to_string(product.rows) + " rows pass 32-bit numbers");
    return verdict;
}

}  // namespace tenon::codegen
