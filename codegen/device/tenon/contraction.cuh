// Convolutions and matrix products as one loop: tiles of both operands stream through shared memory, each block sums one tile
// of the result and hands it to the epilogue.
#pragma once

#include <tenon/epilogue.cuh>
#include <tenon/tile_matrix.cuh>
#include <tenon/tile_scalar.cuh>
#include <tenon/tile_stage.cuh>

namespace tenon {

/// result[row][column] = sum over depth of a(row, depth) * b(column, depth), `batch` times.
struct Contraction {
    int64 batch, rows, columns, depth;
    bool batch_along_columns;  ///< Batches lie side by side in the columns of the domain, not below each other in its rows.
};

__device__ constexpr int64 tiles_of(int64 extent, int tile) { return (extent + tile - 1) / tile; }

/// Which tile of the result a block has, and which part of its depth.
template <typename Index>
struct TilePosition {
    Index batch, row, column;  ///< First row and column within the batch.
    int part;
};

/// Blocks in a row work through T.band row tiles of one column tile, then of the next, so that both operands stay in L2.
template <Contraction S, ContractionTile T, typename Index>
__device__ inline TilePosition<Index> tile_position() {
    constexpr Index kRowTiles = Index(tiles_of(S.rows, T.rows)), kColumnTiles = Index(tiles_of(S.columns, T.columns));
    const Index block = Index(block_index_x()) / T.parts;
    const Index within = block % (kRowTiles * kColumnTiles);
    const Index band = within / (T.band * kColumnTiles);
    const Index height = kRowTiles - band * T.band < T.band ? kRowTiles - band * T.band : T.band;
    const Index inner = within - band * T.band * kColumnTiles;
    return {block / (kRowTiles * kColumnTiles), (band * T.band + inner % height) * T.rows, inner / height * T.columns,
            int(block_index_x()) % T.parts};
}

/// Adds the products of `steps` steps of T.depth from step `first` on. T.stages tiles of both operands are in flight; a slot is
/// filled again one barrier after its last reader.
template <ContractionTile T, typename Index, typename RowTile, typename ColumnTile, typename Sums>
__device__ inline void sum_tile(RowTile& rows, ColumnTile& columns, Sums& sums, int first, int steps, uint8* memory) {
    constexpr int kStageBytes = RowTile::kBytes + ColumnTile::kBytes;
    constexpr bool kAsynchronous = T.asynchronous && kComputeCapability >= 80;
    const auto slot = [&](int step) { return memory + step % T.stages * kStageBytes; };
    const auto fetch = [&](int step) {
        rows.fetch(Index(first + step) * T.depth, slot(step));
        columns.fetch(Index(first + step) * T.depth, slot(step) + RowTile::kBytes);
    };
    const auto put = [&](int step) {
        rows.put(slot(step));
        columns.put(slot(step) + RowTile::kBytes);
    };
#pragma unroll
    for (int step = 0; step < T.stages - 1; ++step) {
        if (step < steps) {
            fetch(step);
            put(step);
        }
        if constexpr (kAsynchronous) commit_copies();
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        if constexpr (kAsynchronous) wait_copies<T.stages - 2>();
        block_barrier();
        const int ahead = step + T.stages - 1;
        if (ahead < steps) fetch(ahead);
        if constexpr (kAsynchronous) commit_copies();
        sums.multiply(slot(step), slot(step) + RowTile::kBytes);
        if (ahead < steps) put(ahead);
    }
}

/// Hands the sums to the epilogue, 16 rows of each warp at a time through shared memory, so that it works on whole vectors of
/// neighbouring columns. Warps that share a tile by depth add their sums in order.
template <Contraction S, ContractionTile T, Domain D, typename Sum, typename Index, typename Sums, typename Epilogue>
__device__ inline void drain_tile(const Sums& sums, const TilePosition<Index>& tile, int first_row, int first_column, int part, uint8* memory,
                                  Epilogue epilogue) {
    constexpr int kPitch = T.warp_columns + 8;  // eight columns more: rows start in different banks
    constexpr int kWarpTiles = T.threads / 32 / T.split;
    constexpr int kPiecesPerRow = T.warp_columns / T.lanes;
    const int warp_tile = int(warp_index()) % kWarpTiles;
    const Index batch_rows = S.batch_along_columns ? Index(S.rows) : Index(S.batch * S.rows);
    const Index below = tile.part * batch_rows + (S.batch_along_columns ? 0 : tile.batch * Index(S.rows));
    const Index beside = S.batch_along_columns ? tile.batch * Index(S.columns) : 0;
    const auto part_of = [&](int p) { return reinterpret_cast<Sum*>(memory) + (warp_tile * T.split + p) * 16 * kPitch; };
    const auto meet = [] {
        if constexpr (T.split > 1) block_barrier();
        else warp_barrier();
    };
    block_barrier();  // the last stage has been read by all warps
#pragma unroll
    for (int row_tile = 0; row_tile < T.warp_rows / 16; ++row_tile) {
        if (row_tile > 0) meet();
        sums.template store_rows<kPitch>(row_tile, part_of(part));
        meet();
#pragma unroll 1
        for (int piece = int(lane_index()) + 32 * part; piece < 16 * kPiecesPerRow; piece += 32 * T.split) {
            const int line = piece / kPiecesPerRow, place = piece % kPiecesPerRow * T.lanes;
            const Index row = tile.row + first_row + row_tile * 16 + line, column = tile.column + first_column + place;
            if (row >= Index(S.rows) || column >= Index(S.columns)) continue;
            auto value = load_shared_vector<T.lanes>(part_of(0) + line * kPitch + place);
#pragma unroll
            for (int p = 1; p < T.split; ++p) value = value + load_shared_vector<T.lanes>(part_of(p) + line * kPitch + place);
            epilogue(At<D, T.lanes>{below + row, beside + column}, value);
        }
    }
}

template <Contraction S, ContractionTile T, typename RowTile, typename ColumnTile, TileOperand A, TileOperand B, typename X, typename W,
          typename Sum>
struct SumsOf {
    using type = MatrixProducts<T, RowTile, ColumnTile, A.outer_major, B.outer_major, X, W, Sum>;
};
template <Contraction S, ContractionTile T, typename RowTile, typename ColumnTile, TileOperand A, TileOperand B, typename X, typename W,
          typename Sum>
    requires(T.products == Products::Scalar)
struct SumsOf<S, T, RowTile, ColumnTile, A, B, X, W, Sum> {
    using type = ScalarProducts<T, RowTile, ColumnTile, X, W, Sum>;
};

/// Computes one tile of the contraction of a and b (pointers, or computed) per block; `epilogue(at, value)` gets every piece of it once, `value` in the type of
/// the sums (float, or int32 for integers) and `at` in the domain D. Where several blocks share the depth of a tile, the rows of
/// D are those of the first part, then of the second, and so on.
template <Domain D, Contraction S, TileOperand A, TileOperand B, ContractionTile T, typename X, typename W, typename Epilogue>
__device__ inline void contract(X a, W b, Epilogue epilogue) {
    using Index = typename IndexOf<D.wide>::type;
    using Left = typename ElementOf<X>::type;
    using Right = typename ElementOf<W>::type;
    using Sum = Compute<Left>;
    using RowTile = TileStage<A, T, T.rows, X, Index>;
    using ColumnTile = TileStage<B, T, T.columns, W, Index>;
    using Sums = typename SumsOf<S, T, RowTile, ColumnTile, A, B, Left, Right, Sum>::type;
    constexpr int kWarpsPerRow = T.columns / T.warp_columns;
    constexpr int kWarpTiles = T.threads / 32 / T.split;

    const TilePosition<Index> tile = tile_position<S, T, Index>();
    RowTile rows(a, Index(A.origin) + batch_offset<A, Index>(tile.batch), tile.row, Index(S.rows), Index(S.depth));
    ColumnTile columns(b, Index(B.origin) + batch_offset<B, Index>(tile.batch), tile.column, Index(S.columns), Index(S.depth));
    const int warp_tile = int(warp_index()) % kWarpTiles, part = int(warp_index()) / kWarpTiles;
    const int first_row = warp_tile / kWarpsPerRow * T.warp_rows, first_column = warp_tile % kWarpsPerRow * T.warp_columns;
    Sums sums(first_row, first_column, part);
    constexpr int kSteps = int(tiles_of(S.depth, T.depth)), kStepsPerPart = int(tiles_of(kSteps, T.parts));
    const int first_step = tile.part * kStepsPerPart;
    const int steps = kSteps - first_step < kStepsPerPart ? kSteps - first_step : kStepsPerPart;
    sum_tile<T, Index>(rows, columns, sums, first_step, steps, shared_memory());
    drain_tile<S, T, D, Sum>(sums, tile, first_row, first_column, part, shared_memory(), epilogue);
}

}  // namespace tenon
