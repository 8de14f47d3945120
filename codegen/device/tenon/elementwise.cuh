// Pointwise kernels: every thread takes a few neighbouring points of the domain at a time.
#pragma once

#include <tenon/epilogue.cuh>

namespace tenon {

/// `lanes` neighbouring points a thread handles at once, `pieces` of them per thread, a block's width apart.
struct VectorTile {
    int lanes;
    int pieces;
    int threads;
};

/// Calls `body(at)` for every point of D. Grid: one block per threads * pieces * lanes points along x.
template <Domain D, VectorTile T, typename Body>
__device__ inline void elementwise(Body body) {
    using Place = At<D, T.lanes>;
    using Index = typename Place::Index;
    constexpr Index kColumnPieces = Index(points_of(D.columns) / T.lanes);
    constexpr Index kPieces = Index(points_of(D.rows)) * kColumnPieces;
    const Index first = Index(block_index_x()) * (T.threads * T.pieces) + Index(thread_index());
#pragma unroll
    for (int i = 0; i < T.pieces; ++i) {
        const Index piece = first + i * T.threads;
        if (piece < kPieces) body(Place{piece / kColumnPieces, piece % kColumnPieces * T.lanes});
    }
}

}  // namespace tenon
