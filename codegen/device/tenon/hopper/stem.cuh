// Convolutions of images with few channels, as networks begin with. Input rows are copied to shared memory whole; the
// fragments of a product are gathered from them, so nothing is padded in memory and a filter row costs little more than its taps.
#pragma once

#include <tenon/arch/cluster.cuh>
#include <tenon/arch/warp.cuh>
#include <tenon/hopper/tile_epilogue.cuh>

namespace tenon {

/// Depth is laid out filter row by filter row: `lead` zeros, columns and channels of the row as they lie in memory, zeros up to
/// `row_depth`, a multiple of 8. `lead` makes the first element of every window even.
struct StemShape {
    int32 images;
    int32 channels;
    int32 extent[2];   ///< Rows and columns of an image.
    int32 result[2];   ///< … of the output.
    int32 filters;
    int32 taps[2];
    int32 stride[2];
    int32 pad[2];
    int32 lead;
    int32 row_depth;
    int32 unit_rows;   ///< Output rows that a block takes at once; with their columns a multiple of 64 pixels.
    int64 image_stride;  ///< Elements from image to image.
};

template <StemShape S>
inline constexpr ProductShape kStemProduct{.rows = S.images * S.result[0] * S.result[1], .columns = S.filters, .blocks = 1};

template <StemShape S, WarpgroupTile T>
struct StemPlan {
    static constexpr int kSteps = (S.taps[0] * S.row_depth + 15) / 16;  ///< Of 16 along the depth.
    static constexpr int kDepthBlocks = (kSteps + 3) / 4;               ///< Of 64.
    static constexpr int kBlockBytes = T.columns * 128;                 ///< Weights of one depth block.
    static constexpr int kRowBytes = S.extent[1] * S.channels * 2;
    static constexpr int kMargin = ((S.pad[1] * S.channels + S.lead) * 2 + 15) / 16 * 16;  ///< Zeros in front of a row.
    static constexpr int kReach = ((S.result[1] - 1) * S.stride[1] - S.pad[1]) * S.channels - S.lead + S.row_depth;
    static constexpr int kTail = kReach * 2 > kRowBytes ? kReach * 2 - kRowBytes : 0;      ///< … and behind.
    static constexpr int kPitch = (kMargin + kRowBytes + kTail + 15) / 16 * 16;
    static constexpr int kUnitInputRows = (S.unit_rows - 1) * S.stride[0] + S.taps[0];
    static constexpr int kUnitBytes = kUnitInputRows * kPitch;
    static constexpr int kUnitsPerImage = S.result[0] / S.unit_rows;
    static constexpr int kUnits = S.images * kUnitsPerImage;
    static constexpr int kPieces = S.unit_rows * S.result[1] / 64;

    static_assert(S.result[0] % S.unit_rows == 0 && S.unit_rows * S.result[1] % 64 == 0 && kRowBytes % 16 == 0);
};

/// Shared memory of the kernel, from its start.
template <StemShape S, WarpgroupTile T, typename E, typename Staging>
struct StemMemory {
    using Plan = StemPlan<S, T>;
    static constexpr int kPanels = Plan::kDepthBlocks * Plan::kBlockBytes;
    static constexpr int kPanelBytes = PanelPlan<kStemProduct<S>, T, E, Staging>::kBytes * T.panel_sets;
    static constexpr int kUnits = kPanels + T.consumers * kPanelBytes;
    static constexpr int kRing = (kUnits + T.stages * Plan::kUnitBytes + 7) / 8 * 8;
};

/// Weights [filters][taps][channels] as they lie in memory into rows of 128 bytes along the depth, by the whole block.
template <StemShape S, WarpgroupTile T, typename E>
__device__ inline void lay_out_weights(uint8* to, const E* w, int32 thread) {
    using Plan = StemPlan<S, T>;
    constexpr int kRowTaps = S.taps[1] * S.channels;
    for (int32 i = thread; i < T.columns * Plan::kDepthBlocks * 64; i += T.threads) {
        const int32 filter = i % T.columns, depth = i / T.columns;
        const int32 row = depth / S.row_depth, offset = depth % S.row_depth - S.lead;
        const bool exists = filter < S.filters && row < S.taps[0] && offset >= 0 && offset < kRowTaps;
        const E value = exists ? load_element(w + (filter * S.taps[0] + row) * kRowTaps + offset) : E{};
        const int32 byte = (depth % 64 * 2) ^ ((filter & 7) << 4);
        store_shared(reinterpret_cast<uint16*>(to + depth / 64 * Plan::kBlockBytes + filter * 128 + byte), value.bits);
    }
}

/// Zeros for everything in front of and behind the rows, once.
template <StemShape S, WarpgroupTile T>
__device__ inline void clear_units(uint8* units, int32 thread) {
    for (int32 i = thread; i < T.stages * StemPlan<S, T>::kUnitBytes / 16; i += T.threads) store_shared(reinterpret_cast<Quad*>(units) + i, Quad{});
}

/// Fills units of input rows, by one warp. Rows beyond the image become zeros.
template <StemShape S, WarpgroupTile T, typename E>
__device__ inline void load_units(const E* x, uint8* units, Ring<T.stages>* ring, int32 lane) {
    using Plan = StemPlan<S, T>;
    RingPosition<T.stages> at;
    for (int32 unit = int32(block_index_x()); unit < Plan::kUnits; unit += int32(block_count_x()), at.next()) {
        const int32 image = unit / Plan::kUnitsPerImage;
        const int32 first = unit % Plan::kUnitsPerImage * S.unit_rows * S.stride[0] - S.pad[0];
        const int32 top = first < 0 ? 0 : first;
        const int32 end = first + Plan::kUnitInputRows < S.extent[0] ? first + Plan::kUnitInputRows : S.extent[0];
        uint8* to = units + at.stage * Plan::kUnitBytes + Plan::kMargin;
        mbarrier_wait(&ring->empty[at.stage], at.parity ^ 1);
        for (int32 row = 0; row < Plan::kUnitInputRows; ++row) {
            if (first + row >= top && first + row < end) continue;
            for (int32 i = lane; i < Plan::kRowBytes / 16; i += 32) store_shared(reinterpret_cast<Quad*>(to + row * Plan::kPitch) + i, Quad{});
        }
        fence_async_shared();
        warp_barrier();
        if (lane == 0) mbarrier_arrive_expect(&ring->full[at.stage], uint32(end - top) * Plan::kRowBytes);
        warp_barrier();
        const E* from = x + image * S.image_stride;
        for (int32 row = top + lane; row < end; row += 32)
            load_bytes(to + (row - first) * Plan::kPitch, from + int64(row) * (S.extent[1] * S.channels), Plan::kRowBytes, &ring->full[at.stage]);
    }
}

/// Pairs of neighbouring elements along the depth, for the window whose elements for this thread begin at `window`.
template <StemShape S, WarpgroupTile T>
__device__ inline uint32 window_pair(const uint8* window, int depth, int32 quarter) {
    const int row = depth / S.row_depth, offset = depth % S.row_depth;
    if (row >= S.taps[0]) return 0;
    uint32 pair = load_shared(reinterpret_cast<const uint32*>(window + row * StemPlan<S, T>::kPitch + offset * 2));
    constexpr int kEnd = S.lead + S.taps[1] * S.channels;
    // What lies in front of and behind the window belongs to other pixels; infinity times a zero weight would be NaN.
    if (offset < S.lead || offset + 8 > kEnd) {
        const int32 element = offset + quarter * 2;
        if (element < S.lead || element >= kEnd) pair &= 0xffff0000u;
        if (element + 1 < S.lead || element + 1 >= kEnd) pair &= 0x0000ffffu;
    }
    return pair;
}

/// acc = the 64 pixels of a piece times all weights.
template <StemShape S, WarpgroupTile T, typename E>
__device__ inline void multiply_piece(Accumulator<T.columns> (&acc)[1], const uint8* unit, const uint8* weights, int32 first_pixel, int32 thread) {
    using Plan = StemPlan<S, T>;
    const int32 quarter = thread % 4;
    const uint8* window[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int32 pixel = first_pixel + thread / 32 * 16 + thread % 32 / 4 + half * 8;
        const int32 element = pixel % S.result[1] * (S.stride[1] * S.channels) - (S.pad[1] * S.channels + S.lead) + quarter * 2;
        window[half] = unit + pixel / S.result[1] * (S.stride[0] * Plan::kPitch) + Plan::kMargin + element * 2;
    }
    uint32 a[Plan::kSteps][4];
#pragma unroll
    for (int step = 0; step < Plan::kSteps; ++step) {
#pragma unroll
        for (int i = 0; i < 4; ++i) a[step][i] = window_pair<S, T>(window[i % 2], step * 16 + i / 2 * 8, quarter);
    }
    warpgroup_fence();
#pragma unroll
    for (int step = 0; step < Plan::kSteps; ++step) {
        const uint64 b = matrix_descriptor(weights + step / 4 * Plan::kBlockBytes) + step % 4 * 2;
        WarpgroupProductFromRegisters<E, T.columns>::start(acc[0].value, a[step], b, step > 0);
    }
    commit_products();
    wait_products<0>();
}

/// y = body(conv(x, w)). Grid: any number of blocks along x; block: T.threads, the last warp of which loads.
template <Domain D, StemShape S, WarpgroupTile T, typename E, typename Staging, typename Body>
__device__ inline void stem_units(const E* x, const E* w, Staging staging, Body body) {
    using Plan = StemPlan<S, T>;
    using Memory = StemMemory<S, T, E, Staging>;
    uint8* memory = shared_memory();
    uint8* units = memory + Memory::kUnits;
    auto* ring = reinterpret_cast<Ring<T.stages>*>(memory + Memory::kRing);
    const int32 thread = int32(thread_index());
    if (thread == 0) {
        initialise(ring, T.consumers * 128);
        mbarrier_init_fence();
    }
    if constexpr (T.dependent) allow_next_kernel();
    lay_out_weights<S, T>(memory, w, thread);
    clear_units<S, T>(units, thread);
    fence_async_shared();
    block_barrier();
    if constexpr (T.dependent) wait_for_previous_kernel();
    const int32 warpgroup = int32(warp_index()) / 4, local = thread % 128;
    if (warpgroup == T.consumers) {
        load_units<S, T>(x, units, ring, local);
        return;
    }
    TileEpilogue<D, kStemProduct<S>, T, E, Staging> epilogue{staging, memory + Memory::kPanels + warpgroup * Memory::kPanelBytes, nullptr, warpgroup, local};
    RingPosition<T.stages> at;
    int32 piece = warpgroup;  // warpgroups take pieces in turns, through all units
    for (int32 unit = int32(block_index_x()); unit < Plan::kUnits; unit += int32(block_count_x()), at.next()) {
        mbarrier_wait(&ring->full[at.stage], at.parity);
        for (; piece < Plan::kPieces; piece += T.consumers) {
            Accumulator<T.columns> acc[1];
            multiply_piece<S, T, E>(acc, units + at.stage * Plan::kUnitBytes, memory, piece * 64, local);
            epilogue.run(acc, unit * (S.unit_rows * S.result[1]) + piece * 64, 0, body);
        }
        piece -= Plan::kPieces;
        mbarrier_arrive(&ring->empty[at.stage]);
    }
    if constexpr (kIsStaged<Staging>) {
        if (local == 0) wait_stores<0>();
    }
}

}  // namespace tenon
