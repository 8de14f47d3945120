// The size of a block's work in a contraction, and tiles in shared memory.
#pragma once

#include <tenon/arch/block.cuh>
#include <tenon/memory.cuh>

namespace tenon {

/// How products are formed.
enum class Products {
    Matrix,       ///< Tensor cores, on half, bfloat16, int8 or uint8.
    MatrixTf32,   ///< Tensor cores, on floats rounded to tf32.
    MatrixSplit,  ///< Tensor cores, on floats split into two tf32 parts each: as accurate as float arithmetic.
    Scalar,       ///< Fused multiply-adds of single values, any type.
};

/// What one block computes, and with which of its threads.
struct ContractionTile {
    int rows, columns;            ///< Of the result, per block.
    int depth;                    ///< Per stage, in elements; 32, 64 or 128 bytes.
    int stages;                   ///< Tiles in flight.
    int warp_rows, warp_columns;  ///< Of the result, per warp.
    int split;                    ///< Warps that share the depth of one warp tile; their sums are added in order.
    int parts;                    ///< Blocks that share the depth of one tile; each writes sums of its own.
    int threads;                  ///< 32 * split per warp tile.
    int lanes;                    ///< Neighbouring columns the epilogue takes at a time.
    int band;                     ///< Row tiles that blocks in a row work through before the next column tile.
    bool asynchronous;            ///< Copies run beside the program (sm_80).
    Products products;
};

/// Byte offset of a 16-byte piece in a tile whose lines are kPitch bytes: pieces are permuted within 128 bytes so that
/// the same piece of eight neighbouring lines, and eight pieces of one line, lie in different banks.
template <int kPitch>
__device__ inline int piece_offset(int line, int piece) {
    constexpr int kLinesPerRow = kPitch >= 128 ? 1 : 128 / kPitch;
    constexpr int kMask = (kPitch >= 128 ? 128 : kPitch) / 16 - 1;
    static_assert(kPitch % 128 == 0 || kPitch == 64 || kPitch == 32);
    return line * kPitch + (piece ^ (line / kLinesPerRow & kMask)) * 16;
}

/// N neighbouring elements in shared memory in accesses of at most 16 bytes.
template <int N, typename T>
__device__ inline Lanes<T, N> load_shared_vector(const T* from) {
    constexpr int kBytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
    constexpr int kAccesses = N * sizeof(T) / kBytes;
    using Raw = typename Word<kBytes>::type;
    struct Pieces {
        Raw piece[kAccesses];
    } pieces;
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) pieces.piece[i] = load_shared(reinterpret_cast<const Raw*>(from) + i);
    return bit_cast<Lanes<T, N>>(pieces);
}

}  // namespace tenon
