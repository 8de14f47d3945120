// Products of tiles by multiply-adds of single values: floats without tf32, and whatever the tensor cores of a GPU lack.
#pragma once

#include <tenon/tile.cuh>

namespace tenon {

/// The sums of one warp; lane l has rows l / 8 + 4 i and columns l % 8 + 8 j, so that eight lanes read eight neighbouring lines.
template <ContractionTile T, typename RowTile, typename ColumnTile, typename A, typename B, typename Sum>
class ScalarProducts {
    static constexpr int kRows = T.warp_rows / 4;
    static constexpr int kColumns = T.warp_columns / 8;
    static constexpr int kPerPiece = 16 / sizeof(A);
    static constexpr int kSteps = T.depth / kPerPiece;
    static_assert(sizeof(A) == sizeof(B) && T.warp_rows % 16 == 0 && kSteps % T.split == 0);

  public:
    __device__ ScalarProducts(int first_row, int first_column, int part) : first_row_(first_row), first_column_(first_column), part_(part) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
#pragma unroll
            for (int j = 0; j < kColumns; ++j) sums_[i][j] = 0;
        }
    }

    __device__ void multiply(const uint8* rows, const uint8* columns) {
        const int lane = int(lane_index());
#pragma unroll 1
        for (int step = part_; step < kSteps; step += T.split) {
            Lanes<B, kPerPiece> column[kColumns];
#pragma unroll
            for (int j = 0; j < kColumns; ++j) {
                column[j] = load_piece<B>(columns + piece_offset<ColumnTile::kPitch>(first_column_ + lane % 8 + j * 8, step));
            }
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
                const Lanes<A, kPerPiece> row = load_piece<A>(rows + piece_offset<RowTile::kPitch>(first_row_ + lane / 8 + i * 4, step));
                add_products(sums_[i], row, column);
            }
        }
    }

    template <int kPitch>
    __device__ void store_rows(int row_tile, Sum* to) const {
        const int lane = int(lane_index());
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            if (i / 4 != row_tile) continue;
#pragma unroll
            for (int j = 0; j < kColumns; ++j) store_shared(to + (lane / 8 + i % 4 * 4) * kPitch + lane % 8 + j * 8, sums_[i][j]);
        }
    }

  private:
    template <typename Element>
    __device__ static Lanes<Element, kPerPiece> load_piece(const uint8* from) {
        return bit_cast<Lanes<Element, kPerPiece>>(load_shared(reinterpret_cast<const Quad*>(from)));
    }

    __device__ static void add_products(Sum (&sums)[kColumns], const Lanes<A, kPerPiece>& row, const Lanes<B, kPerPiece> (&column)[kColumns]) {
#pragma unroll
        for (int e = 0; e < kPerPiece; ++e) {
#pragma unroll
            for (int j = 0; j < kColumns; ++j) sums[j] = multiply_add(Sum(widened(row[e])), Sum(widened(column[j][e])), sums[j]);
        }
    }

    int first_row_, first_column_, part_;
    Sum sums_[kRows][kColumns];
};

}  // namespace tenon
