// multiply_add_swish_832aa42e
//
//     y = swish(x * gate + residual)
//     y_2 = x * gate + residual
//
//     x         f16   2x8x6x10  channels last
//     gate      f16   2x8x1x1  packed
//     residual  f16   2x8x6x10  packed
//     y         f16   2x8x6x10  channels last
//     y_2       f16   2x8x6x10  channels last
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/elementwise.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {2, 60}, .columns = {8}};
constexpr VectorTile kTile{.lanes = 8, .pieces = 1, .threads = 256};
constexpr Strides kGate{.row = {8, 0}, .column = {1}};
constexpr Strides kResidual{.row = {480, 1}, .column = {60}};

extern "C" __global__ __launch_bounds__(kTile.threads) void multiply_add_swish_832aa42e(
    const half* x, const half* gate, const half* residual, half* y, half* y_2) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = rounded<half>(per_element(x, at) * strided<kGate>(gate, at));
        value = rounded<half>(value + strided<kResidual>(residual, at));
        store(y_2, at, value);
        value = swish(value);
        store(y, at, value);
    });
}
