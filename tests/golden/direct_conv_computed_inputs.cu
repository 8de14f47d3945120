// conv_b1193d6d
//
//     y = conv(relu(x + bias), f64(w))
//
//     x     f64   2x8x6x10  packed
//     bias  f32   8x1x1  packed
//     w     i8    4x8x1x1  packed
//     y     f64   2x4x6x10  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 4, 6}, .columns = {10}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr ConvShape kAnchor{
    .x = {.rank = 4, .dims = {2, 8, 6, 10}},
    .w = {.rank = 4, .dims = {4, 8, 1, 1}},
    .stride = {1, 1},
    .dilation = {1, 1},
    .pad = {0, 0},
    .groups = 1,
};
constexpr Domain kXAxes{.rows = {2, 8, 6}, .columns = {10}};
constexpr Strides kBias{.row = {0, 1, 0}, .column = {0}};
constexpr Domain kWAxes{.rows = {4, 8, 1}, .columns = {1}};

extern "C" __global__ __launch_bounds__(kTile.threads) void conv_b1193d6d(
    const double* x, const float* bias, const int8* w, double* y) {
    const auto x_element = computed<double, kXAxes>([=](auto at) {
        auto value = cast<double>(per_element(x, at) + strided<kBias>(bias, at));
        return cast<double>(relu(value));
    });
    const auto w_element = computed<double, kWAxes>([=](auto at) {
        return cast<double>(per_element(w, at));
    });
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(conv<kAnchor>(x_element, w_element, point_of(at)));
        store(y, at, value);
    });
}
