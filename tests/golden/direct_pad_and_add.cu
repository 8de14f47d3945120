// pad_add_4abcaa02
//
//     y = pad(x) + 1.0
//
//     x  f32   2x8x6x10  packed
//     y  f32   2x8x7x13  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 8, 7}, .columns = {13}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr PadShape kAnchor{
    .mode = Padding::Reflect,
    .x = {.rank = 4, .dims = {2, 8, 6, 10}, .strides = {480, 60, 10, 1}},
    .before = {0, 0, 1, 2},
    .value = 0.0,
};

extern "C" __global__ __launch_bounds__(kTile.threads) void pad_add_4abcaa02(
    const float* x, float* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(pad<kAnchor>(x, point_of(at)));
        value = value + 1.0f;
        store(y, at, value);
    });
}
