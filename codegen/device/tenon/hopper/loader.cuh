// The warp that fills the ring: it walks the tiles of its block and the depth of each.
#pragma once

#include <tenon/arch/cluster.cuh>
#include <tenon/arch/tensor_copy.cuh>
#include <tenon/arch/warp.cuh>
#include <tenon/hopper/product.cuh>

namespace tenon {

/// The two factors, as the copy engine knows them.
struct Factors {
    const TensorMap* rows;
    const TensorMap* columns;
};

/// Where the window of an output pixel begins in the input.
struct WindowOrigin {
    int32 image;
    int32 row;
    int32 column;
};

template <ProductShape S>
__device__ inline WindowOrigin window_origin(int32 pixel) {
    constexpr int32 kPixels = S.image[0] * S.image[1];
    const int32 image = pixel / kPixels, rest = pixel % kPixels;
    return {image, rest / S.image[1] * S.stride[0] - S.pad[0], rest % S.image[1] * S.stride[1] - S.pad[1]};
}

/// A depth block: a tap of the filter and a block of channels.
template <ProductShape S>
struct DepthBlock {
    int32 block;
    int32 tap_row;
    int32 tap_column;

    __device__ explicit DepthBlock(int32 index)
        : block(index % S.blocks), tap_row(index / S.blocks / S.taps[1]), tap_column(index / S.blocks % S.taps[1]) {}

    __device__ void next() {
        if (++block < S.blocks) return;
        block = 0;
        if (++tap_column < S.taps[1]) return;
        tap_column = 0;
        ++tap_row;
    }
};

template <ProductShape S, WarpgroupTile T, typename E>
struct Loader {
    using Plan = ProductPlan<S, T, E>;
    using Position = RingPosition<T.stages>;

    Factors factors;
    uint8* stages;
    Ring<T.stages>* ring;

    __device__ void load_rows(const DepthBlock<S>& depth, int stage, int32 first_row, const WindowOrigin& origin) const {
        uint8* to = stages + stage * Plan::kStageBytes;
        const int32 channel = depth.block * Plan::kDepth;
        if constexpr (S.is_windowed) {
            load_pixels(to, factors.rows, &ring->full[stage], channel, origin.column, origin.row, origin.image,
                        uint16(depth.tap_column * S.dilation[1]), uint16(depth.tap_row * S.dilation[0]));
        } else {
            load_box(to, factors.rows, &ring->full[stage], channel, first_row);
        }
    }

    __device__ void load_columns(const DepthBlock<S>& depth, int stage, int32 first_column) const {
        uint8* to = stages + stage * Plan::kStageBytes + Plan::kRowBytes;
        if constexpr (S.columns_innermost) {
#pragma unroll
            for (int i = 0; i < T.columns / 64; ++i)
                load_box(to + i * 8192, factors.columns, &ring->full[stage], first_column + i * 64, depth.block * Plan::kDepth);
        } else {
            load_box(to, factors.columns, &ring->full[stage], depth.block * Plan::kDepth,
                     depth.tap_row * S.taps[1] + depth.tap_column, first_column);
        }
    }

    /// Loads `count` depth blocks from `first` on of every tile `first_tile`, `first_tile + step` … By one thread.
    __device__ void run(int32 first_tile, int32 step, int32 first, int32 count) const {
        Position at;
        int ahead = 0;  // stages whose columns are on their way already
        if constexpr (T.dependent) {
            // Columns are weights, which no earlier kernel of the plan writes.
            ahead = count < T.stages ? count : T.stages;
            DepthBlock<S> depth(first);
            for (int i = 0; i < ahead; ++i, depth.next()) {
                mbarrier_arrive_expect(&ring->full[i], Plan::kStageBytes);
                load_columns(depth, i, first_tile % Plan::kColumnTiles * T.columns);
            }
            wait_for_previous_kernel();
        }
        for (int32 tile = first_tile; tile < Plan::kTiles; tile += step) {
            const int32 first_row = tile / Plan::kColumnTiles * T.rows, first_column = tile % Plan::kColumnTiles * T.columns;
            const WindowOrigin origin = window_origin<S>(first_row);
            DepthBlock<S> depth(first);
            for (int32 i = 0; i < count; ++i, depth.next(), at.next()) {
                if (ahead == 0) {
                    mbarrier_wait(&ring->empty[at.stage], at.parity ^ 1);
                    mbarrier_arrive_expect(&ring->full[at.stage], Plan::kStageBytes);
                    load_columns(depth, at.stage, first_column);
                } else {
                    --ahead;
                }
                load_rows(depth, at.stage, first_row, origin);
            }
        }
    }
};

}  // namespace tenon
