// tanh_5ea8b2ed
//
//     y = tanh(x)
//
//     x  f32   12x30  packed
//     y  f32   12x30  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/elementwise.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {30}, .columns = {12}};
constexpr VectorTile kTile{.lanes = 4, .pieces = 1, .threads = 256};
constexpr Strides kX{.row = {1}, .column = {30}};

extern "C" __global__ __launch_bounds__(kTile.threads) void tanh_5ea8b2ed(
    const float* x, float* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = tanh(strided<kX>(x, at));
        store(y, at, value);
    });
}
