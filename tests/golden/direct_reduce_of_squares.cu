// reduce_1b7cd2ca
//
//     y = reduce(square(x))
//
//     x  f32   2x8x6x10  packed
//     y  f32   2x8x1x1  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 8, 1}, .columns = {1}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr ReduceShape kAnchor{
    .kind = Reduction::Mean,
    .x = {.rank = 4, .dims = {2, 8, 6, 10}},
    .reduced = {false, false, true, true},
    .keep_dims = true,
};
constexpr Domain kXAxes{.rows = {2, 8, 6}, .columns = {10}};

extern "C" __global__ __launch_bounds__(kTile.threads) void reduce_1b7cd2ca(
    const float* x, float* y) {
    const auto x_element = computed<float, kXAxes>([=](auto at) {
        return square(per_element(x, at));
    });
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(reduce<kAnchor>(x_element, point_of(at)));
        store(y, at, value);
    });
}
