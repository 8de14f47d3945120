// conv_add_add_relu_10262292
//
//     y = relu(conv(x, w) + bias + residual)
//
//     x         f64   2x8x6x10  channels last
//     w         f64   16x8x3x3  channels last
//     bias      f32   16x1x1  packed
//     residual  f64   2x16x6x10  channels last
//     y         f64   2x16x6x10  channels last
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 16, 6}, .columns = {10}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr ConvShape kAnchor{
    .x = {.rank = 4, .dims = {2, 8, 6, 10}, .strides = {480, 1, 80, 8}},
    .w = {.rank = 4, .dims = {16, 8, 3, 3}, .strides = {72, 1, 24, 8}},
    .stride = {1, 1},
    .dilation = {1, 1},
    .pad = {1, 1},
    .groups = 1,
};
constexpr Strides kBias{.row = {0, 1, 0}, .column = {0}};
constexpr Strides kResidual{.row = {960, 1, 160}, .column = {16}};
constexpr Strides kY{.row = {960, 1, 160}, .column = {16}};

extern "C" __global__ __launch_bounds__(kTile.threads) void conv_add_add_relu_10262292(
    const double* x, const double* w, const float* bias, const double* residual, double* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(conv<kAnchor>(x, w, point_of(at)));
        value = cast<double>(value + strided<kBias>(bias, at));
        value = cast<double>(value + strided<kResidual>(residual, at));
        value = cast<double>(relu(value));
        store_strided<kY>(y, at, value);
    });
}
