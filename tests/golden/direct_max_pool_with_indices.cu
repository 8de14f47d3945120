// pool_09e551ce
//
//     y = pool(x)
//
//     x      f32   2x8x6x10  packed
//     y      f32   2x8x3x5  packed
//     extra  i64   2x8x3x5  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 8, 3}, .columns = {5}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr PoolShape kAnchor{
    .kind = Pooling::Max,
    .x = {.rank = 4, .dims = {2, 8, 6, 10}, .strides = {480, 60, 10, 1}},
    .window = {3, 3},
    .stride = {2, 2},
    .dilation = {1, 1},
    .pad = {1, 1},
    .pad_after = {1, 1},
    .count_padding = false,
};
constexpr Strides kExtra{.row = {120, 15, 5}, .column = {1}};

extern "C" __global__ __launch_bounds__(kTile.threads) void pool_09e551ce(
    const float* x, float* y, int64* extra) {
    elementwise<kOutput, kTile>([=](auto at) {
        const auto found = pool_with_position<kAnchor>(x, point_of(at));
        auto value = one_lane(found.value);
        store_strided<kExtra>(extra, at, found.position);
        store(y, at, value);
    });
}
