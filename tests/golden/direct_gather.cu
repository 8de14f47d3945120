// gather_85ddf5fd
//
//     y = gather(x, indices)
//
//     x        f16   100x16  packed
//     indices  i64   3x4  packed
//     y        f16   3x4x16  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/direct.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {3, 4}, .columns = {16}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};
constexpr GatherShape kAnchor{
    .x = {.rank = 2, .dims = {100, 16}, .strides = {16, 1}},
    .indices = {.rank = 2, .dims = {3, 4}, .strides = {4, 1}},
    .axis = 0,
};

extern "C" __global__ __launch_bounds__(kTile.threads) void gather_85ddf5fd(
    const half* x, const int64* indices, half* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = one_lane(gather<kAnchor>(x, indices, point_of(at)));
        store(y, at, value);
    });
}
