// add_relu_5ae4651e
//
//     y = relu(x + bias)
//
//     x     f16   64x256  packed
//     bias  f32   256  packed
//     y     f16   64x256  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/elementwise.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {64}, .columns = {256}};
constexpr VectorTile kTile{.lanes = 8, .pieces = 1, .threads = 256};

extern "C" __global__ __launch_bounds__(kTile.threads) void add_relu_5ae4651e(
    const half* x, const float* bias, half* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = rounded<half>(per_element(x, at) + per_column(bias, at));
        value = relu(value);
        store(y, at, value);
    });
}
