// Operand fragments of tensor-core products, from tiles in shared memory. A step is 32 bytes of depth: 16 halves, 8 floats or 32
// bytes; matrices of 8 lines times 16 bytes hold the fragments of all of them, because ldmatrix moves bytes.
#pragma once

#include <tenon/arch/matrix.cuh>
#include <tenon/tile.cuh>

namespace tenon {

/// A: 16 rows times one step, from row `first` of the tile on.
template <int kPitch, bool kOuterMajor>
__device__ inline void load_row_fragment(uint32 (&fragment)[4], const uint8* tile, int first, int step) {
    const int lane = int(lane_index()), line = lane % 8, upper = lane / 8 % 2, right = lane / 16;
    if constexpr (kOuterMajor) {
        load_matrices_transposed(fragment, tile + piece_offset<kPitch>(step * 16 + line + right * 8, first / 8 + upper));
    } else {
        load_matrices(fragment, tile + piece_offset<kPitch>(first + line + upper * 8, step * 2 + right));
    }
}

/// B: one step times 16 columns, as two fragments of 8 columns.
template <int kPitch, bool kOuterMajor>
__device__ inline void load_column_fragments(uint32 (&fragments)[4], const uint8* tile, int first, int step) {
    const int lane = int(lane_index()), line = lane % 8, right = lane / 8 % 2, second = lane / 16;
    if constexpr (kOuterMajor) {
        load_matrices_transposed(fragments, tile + piece_offset<kPitch>(step * 16 + line + right * 8, first / 8 + second));
    } else {
        load_matrices(fragments, tile + piece_offset<kPitch>(first + line + second * 8, step * 2 + right));
    }
}

/// A float as sum of two tf32 numbers, each rounded to nearest. `cross` is `large` for the products with the small parts of
/// the other operand: an infinity must not meet a small part that is zero.
struct SplitFloat {
    uint32 large, cross, small;
};

inline constexpr uint32 kTf32Bits = 0xffffe000u;  // sign, exponent and 10 bits of mantissa

__device__ inline SplitFloat split_float(uint32 bits) {
    const float value = bit_cast<float>(bits);
    const uint32 magnitude = bits & 0x7fffffffu;
    // From 0x7f7ff000 on, rounding up would give infinity; there both parts are cut off instead.
    const bool is_near_top = magnitude >= 0x7f7ff000u;
    const uint32 large = is_near_top ? bits & kTf32Bits : float_to_tf32_bits(value);
    if (magnitude >= 0x7f800000u) return {magnitude > 0x7f800000u ? 0x7fffe000u : bits, 0, 0};
    const float rest = value - bit_cast<float>(large);
    return {large, large, is_near_top ? bit_cast<uint32>(rest) & kTf32Bits : float_to_tf32_bits(rest)};
}

struct SplitFragment {
    uint32 large[4], cross[4], small[4];
};

__device__ inline SplitFragment split_fragment(const uint32 (&fragment)[4]) {
    SplitFragment result;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const SplitFloat split = split_float(fragment[e]);
        result.large[e] = split.large;
        result.cross[e] = split.cross;
        result.small[e] = split.small;
    }
    return result;
}

}  // namespace tenon
