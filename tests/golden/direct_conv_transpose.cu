// conv_transpose_2a6def40
//
//     y = conv_transpose(x, w)
//
//     x  f64   2x8x6x10  packed
//     w  f64   8x3x2x2  packed
//     y  f64   2x6x12x20  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 6, 12}, .columns = {20}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr ConvShape kAnchor{
    .x = {.rank = 4, .dims = {2, 8, 6, 10}, .strides = {480, 60, 10, 1}},
    .w = {.rank = 4, .dims = {8, 3, 2, 2}, .strides = {12, 4, 2, 1}},
    .stride = {2, 2},
    .dilation = {1, 1},
    .pad = {0, 0},
    .groups = 2,
};

extern "C" __global__ __launch_bounds__(kTile.threads) void conv_transpose_2a6def40(
    const double* x, const double* w, double* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(conv_transpose<kAnchor>(x, w, point_of(at)));
        store(y, at, value);
    });
}
