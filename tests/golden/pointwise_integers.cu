// add_cast_multiply_066b3b98
//
//     y = f32(x + bias) * scale
//
//     x      i8    5x7  packed
//     bias   i8    5x1  packed
//     scale  f32   scalar  packed
//     y      f32   5x7  packed
//
// Written by tenon 0.1.0 for sm_90a.

#include <tenon/elementwise.cuh>

using namespace tenon;

constexpr Domain kOutput{.rows = {5}, .columns = {7}};
constexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = 256};

extern "C" __global__ __launch_bounds__(kTile.threads) void add_cast_multiply_066b3b98(
    const int8* x, const int8* bias, float scale, float* y) {
    elementwise<kOutput, kTile>([=](auto at) {
        auto value = wrapped<int8>(per_element(x, at) + per_row(bias, at));
        auto branch = cast<float>(value);
        branch = branch * widened(scale);
        store(y, at, branch);
    });
}
