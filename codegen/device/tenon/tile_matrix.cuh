// Products of tiles on tensor cores.
#pragma once

#include <tenon/tile_fragments.cuh>

namespace tenon {

/// Sums of 16 rows times 8 columns: lane l holds columns 2 * (l % 4) and the next of rows l / 4 and l / 4 + 8.
template <typename Sum>
using MatrixSums = Sum[4];

/// sums += a * b over one step.
template <typename A, typename B, Products P>
struct MatrixStep {
    template <typename Sum>
    __device__ static void multiply(Sum (&sums)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
        if constexpr (sizeof(A) == 1) {
            multiply_m16n8k32<A, B>(sums, a, b);
        } else if constexpr (P == Products::MatrixTf32) {
            multiply_m16n8k8_tf32(sums, a, b);
        } else if constexpr (kComputeCapability >= 80) {
            multiply_m16n8k16<A>(sums, a, b);
        } else {
            multiply_m16n8k8_half(sums, {a[0], a[1]}, b[0]);
            multiply_m16n8k8_half(sums, {a[2], a[3]}, b[1]);
        }
    }
};

/// The sums of one warp over its part of a block's tile. RowTile and ColumnTile are the TileStage types of the operands.
template <ContractionTile T, typename RowTile, typename ColumnTile, bool kRowsOuterMajor, bool kColumnsOuterMajor, typename A, typename B,
          typename Sum>
class MatrixProducts {
    static constexpr int kRowTiles = T.warp_rows / 16;
    static constexpr int kColumnTiles = T.warp_columns / 8;
    static constexpr int kSteps = T.depth * int(sizeof(A)) / 32;
    static constexpr bool kRounds = T.products == Products::MatrixTf32;
    static constexpr bool kSplits = T.products == Products::MatrixSplit;
    static_assert(T.warp_rows % 16 == 0 && T.warp_columns % 16 == 0 && kSteps % T.split == 0);

    struct Fragments {
        uint32 rows[kRowTiles][4];
        uint32 columns[kColumnTiles / 2][4];
    };

  public:
    __device__ MatrixProducts(int first_row, int first_column, int part) : first_row_(first_row), first_column_(first_column), part_(part) {
        clear(sums_);
    }

    /// Adds the products of one stage. The fragments of the next step are loaded ahead of the products of this one.
    __device__ void multiply(const uint8* rows, const uint8* columns) {
        Fragments fragments[2];
        load(fragments[0], rows, columns, part_);
        if constexpr (kSplits) clear(stage_sums_);
#pragma unroll
        for (int step = 0; step < kSteps; step += T.split) {
            const int now = step / T.split % 2;
            if (step + T.split < kSteps) load(fragments[1 - now], rows, columns, step + T.split + part_);
            if constexpr (kSplits) add_split_products(fragments[now]);
            else add_products(fragments[now]);
        }
        if constexpr (kSplits) add_stage_sums();
    }

    /// Writes the sums of 16 rows to shared memory, `pitch` sums apart.
    template <int kPitch>
    __device__ void store_rows(int row_tile, Sum* to) const {
        const int lane = int(lane_index());
        Sum* upper = to + lane / 4 * kPitch + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
            if (i != row_tile) continue;
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
                store_shared(reinterpret_cast<Pair*>(upper + j * 8), Pair{sums_[i][j][0], sums_[i][j][1]});
                store_shared(reinterpret_cast<Pair*>(upper + 8 * kPitch + j * 8), Pair{sums_[i][j][2], sums_[i][j][3]});
            }
        }
    }

  private:
    struct alignas(8) Pair {
        Sum first, second;
    };

    __device__ void load(Fragments& fragments, const uint8* rows, const uint8* columns, int step) const {
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
            load_row_fragment<RowTile::kPitch, kRowsOuterMajor>(fragments.rows[i], rows, first_row_ + i * 16, step);
        }
#pragma unroll
        for (int j = 0; j < kColumnTiles / 2; ++j) {
            load_column_fragments<ColumnTile::kPitch, kColumnsOuterMajor>(fragments.columns[j], columns, first_column_ + j * 16, step);
        }
    }

    __device__ void add_products(Fragments& fragments) {
        if constexpr (kRounds) {
            round(fragments.rows);
            round(fragments.columns);
        }
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
                const uint32(&pair)[4] = fragments.columns[j / 2];
                MatrixStep<A, B, T.products>::multiply(sums_[i][j], fragments.rows[i], {pair[j % 2 * 2], pair[j % 2 * 2 + 1]});
            }
        }
    }

    /// (large + small) * (large + small) without the product of the small parts, which is below the rounding of the sum.
    __device__ void add_split_products(const Fragments& fragments) {
        SplitFragment columns[kColumnTiles / 2];
#pragma unroll
        for (int j = 0; j < kColumnTiles / 2; ++j) columns[j] = split_fragment(fragments.columns[j]);
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
            const SplitFragment row = split_fragment(fragments.rows[i]);
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
                const SplitFragment& column = columns[j / 2];
                const int e = j % 2 * 2;
                multiply_m16n8k8_tf32(stage_sums_[i][j], row.small, {column.cross[e], column.cross[e + 1]});
                multiply_m16n8k8_tf32(stage_sums_[i][j], row.cross, {column.small[e], column.small[e + 1]});
                multiply_m16n8k8_tf32(stage_sums_[i][j], row.large, {column.large[e], column.large[e + 1]});
            }
        }
    }

    /// Tensor cores cut off what a sum cannot hold; sums of one stage are short, and are added to the rest with rounding.
    __device__ void add_stage_sums() {
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
#pragma unroll
                for (int e = 0; e < 4; ++e) sums_[i][j][e] += stage_sums_[i][j][e];
            }
        }
    }

    template <int kRows, int kColumns>
    __device__ static void clear(MatrixSums<Sum> (&sums)[kRows][kColumns]) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
#pragma unroll
            for (int j = 0; j < kColumns; ++j) {
#pragma unroll
                for (int e = 0; e < 4; ++e) sums[i][j][e] = 0;
            }
        }
    }

    template <int kCount>
    __device__ static void round(uint32 (&fragments)[kCount][4]) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
#pragma unroll
            for (int e = 0; e < 4; ++e) fragments[i][e] = float_to_tf32_bits(bit_cast<float>(fragments[i][e]));
        }
    }

    int first_row_, first_column_, part_;
    MatrixSums<Sum> sums_[kRowTiles][kColumnTiles];
    MatrixSums<Sum> stage_sums_[kSplits ? kRowTiles : 1][kSplits ? kColumnTiles : 1];
};

}  // namespace tenon
