// Shapes and tiles of products by warpgroups: convolutions and matrix products as rows (pixels) times columns (channels).
#pragma once

#include <tenon/arch/warpgroup_matrix.cuh>
#include <tenon/domain.cuh>
#include <tenon/hopper/ring.cuh>

namespace tenon {

/// A product of `rows` x depth and depth x `columns`. The depth is walked tap by tap of the filter, and within a tap in
/// blocks of 128 bytes of input channels. A plain product has one tap.
struct ProductShape {
    int32 rows;
    int32 columns;
    int32 blocks;  ///< Per tap.
    int32 taps[2] = {1, 1};      ///< Filter rows and columns.
    bool is_windowed = false;    ///< Rows are pixels of a convolution's output; else rows of a matrix.
    int32 image[2] = {1, 1};     ///< Output rows and columns.
    int32 stride[2] = {1, 1};
    int32 dilation[2] = {1, 1};
    int32 pad[2] = {0, 0};
    bool columns_innermost = false;  ///< The second operand runs along columns in memory.
};

/// How a product is cut. `consumers` warpgroups multiply, and one more warp or warpgroup loads.
struct WarpgroupTile {
    int32 rows;
    int32 columns;
    int32 stages;
    int32 consumers;
    bool persistent = false;  ///< A block walks over many tiles; else over one.
    bool pingpong = false;   ///< Every consumer has tiles of its own, and they take turns; else they share each tile.
    int32 split = 1;         ///< Blocks of a cluster that share the depth of one tile.
    int32 lanes = 2;         ///< Neighbouring columns the epilogue takes at once.
    int32 panel_sets = 1;    ///< 2: an operand of the epilogue is fetched a tile ahead.
    bool dependent = false;  ///< Starts before the kernel in front of it has ended.
    int32 threads;
};

/// What follows from shape, tile and element type.
template <ProductShape S, WarpgroupTile T, typename E>
struct ProductPlan {
    static constexpr int kDepth = 128 / sizeof(E);  ///< Elements of a depth block.
    static constexpr int kRowBytes = T.rows * 128;
    static constexpr int kColumnBytes = T.columns * 128;
    static constexpr int kStageBytes = kRowBytes + kColumnBytes;
    static constexpr int kSharers = T.pingpong ? 1 : T.consumers;  ///< Warpgroups on one tile.
    static constexpr int kPieces = T.rows / (64 * kSharers);       ///< Times 64 rows of a warpgroup.
    static constexpr int kBlocks = S.blocks * S.taps[0] * S.taps[1];
    static constexpr int kBlocksPerPart = (kBlocks + T.split - 1) / T.split;
    static constexpr int kRowTiles = (S.rows + T.rows - 1) / T.rows;
    static constexpr int kColumnTiles = (S.columns + T.columns - 1) / T.columns;
    static constexpr int kTiles = kRowTiles * kColumnTiles;
    static constexpr bool kHasLoaderGroup = T.threads == T.consumers * 128 + 128;  ///< A whole warpgroup loads, and gives its registers away.
    static constexpr int kFirstConsumerThread = kHasLoaderGroup ? 128 : 0;

    static_assert(T.rows % (64 * kSharers) == 0 && (kHasLoaderGroup || T.threads == T.consumers * 128 + 32));
};

/// Accumulators of 64 rows: pair p of a thread holds columns (p / 2) * 8 + lane % 4 * 2 and the next, of row
/// warp * 16 + lane / 4, or 8 rows below if p is odd.
template <int kColumns>
struct Accumulator {
    float value[kColumns / 2];
};

/// acc += a stage's rows * columns, `kPieces` times 64 rows starting at `rows`; one group of products.
template <typename E, WarpgroupTile T, bool kTransposed, int kPieces>
__device__ inline void multiply_stage(Accumulator<T.columns> (&acc)[kPieces], const uint8* rows, const uint8* columns, bool accumulate) {
    constexpr int kSteps = 4;  // of 32 bytes of depth
    constexpr uint32 kColumnStep = kTransposed ? 2048 >> 4 : 2;
    const uint64 b = kTransposed ? transposed_descriptor(columns, 8192) : matrix_descriptor(columns);
    warpgroup_fence();
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
        const uint64 a = matrix_descriptor(rows + piece * 8192);
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            WarpgroupProduct<E, T.columns, kTransposed>::start(acc[piece].value, a + 2 * step, b + kColumnStep * step,
                                                               accumulate || step > 0);
        }
    }
    commit_products();
}

}  // namespace tenon
