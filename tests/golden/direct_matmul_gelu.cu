// matmul_add_gelu_887fc716
//
//     y = gelu(matmul(a, b) + bias)
//
//     a     f64   4x5x7  packed
//     b     f64   7x9  packed
//     bias  f32   9  packed
//     y     f64   4x5x9  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {4, 5}, .columns = {9}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr MatmulShape kAnchor{
    .a = {.rank = 3, .dims = {4, 5, 7}, .strides = {35, 7, 1}},
    .b = {.rank = 2, .dims = {7, 9}, .strides = {9, 1}},
    .rank = 3,
};

extern "C" __global__ __launch_bounds__(kTile.threads) void matmul_add_gelu_887fc716(
    const double* a, const double* b, const float* bias, double* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(matmul<kAnchor>(a, b, point_of(at)));
        value = cast<double>(value + per_column(bias, at));
        value = cast<double>(gelu(value));
        store(y, at, value);
    });
}
