// resize_8d7ac7e0
//
//     y = resize(x)
//
//     x  f32   2x8x6x10  packed
//     y  f32   2x8x12x5  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 8, 12}, .columns = {5}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr ResizeShape kAnchor{
    .mode = Interpolation::Linear,
    .coordinates = Coordinates::HalfPixel,
    .rounding = Rounding::PreferFloor,
    .x = {.rank = 4, .dims = {2, 8, 6, 10}, .strides = {480, 60, 10, 1}},
    .output = {12, 5},
    .scale = {2.0, 0.5},
};

extern "C" __global__ __launch_bounds__(kTile.threads) void resize_8d7ac7e0(
    const float* x, float* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(resize<kAnchor>(x, point_of(at)));
        store(y, at, value);
    });
}
