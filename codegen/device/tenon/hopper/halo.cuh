// Convolutions of 64 channels with a resident filter. A patch of pixels with its rim is copied once, and every tap of the
// filter multiplies the same patch from another start address, so an input pixel crosses the L2 cache about once.
#pragma once

#include <tenon/arch/cluster.cuh>
#include <tenon/arch/warp.cuh>
#include <tenon/hopper/panel.cuh>
#include <tenon/hopper/product.cuh>

namespace tenon {

/// Stride and dilation 1, 64 input channels, at most 64 filters. Filters are the rows of the product and pixels its columns:
/// patches of `patch_rows` x 8.
struct HaloShape {
    int32 images;
    int32 result[2];   ///< Output rows and columns; columns a multiple of 8.
    int32 filters;
    int32 taps[2];
    int32 pad[2];
    int32 patch_rows;
    int32 slots;       ///< Patches in shared memory.
    bool dependent = false;
    int32 threads = 384;
};

template <HaloShape S>
struct HaloPlan {
    static constexpr int kPixels = S.patch_rows * 8;
    static constexpr int kTaps = S.taps[0] * S.taps[1];
    static constexpr int kTapBytes = 64 * 128;
    static constexpr int kPatchColumns = 8 + S.taps[1] - 1;
    static constexpr int kPatchRows = S.patch_rows + S.taps[0] - 1;
    static constexpr int kPatchBytes = kPatchRows * kPatchColumns * 128;
    static constexpr int kSlotBytes = (kPatchBytes + 1023) / 1024 * 1024;
    static constexpr int kFilterBytes = kTaps * kTapBytes;
    static constexpr int kRing = kFilterBytes + S.slots * kSlotBytes;
    static constexpr int kColumnTiles = S.result[1] / 8;
    static constexpr int kRowTiles = (S.result[0] + S.patch_rows - 1) / S.patch_rows;
    static constexpr int kTiles = S.images * kRowTiles * kColumnTiles;

    static_assert(S.result[1] % 8 == 0 && kPixels <= kPatchRows * kPatchColumns);
};

/// The first output pixel of a patch.
struct PatchOrigin {
    int32 image;
    int32 row;
    int32 column;
};

template <HaloShape S>
__device__ inline PatchOrigin patch_origin(int32 tile) {
    using Plan = HaloPlan<S>;
    const int32 strip = tile / Plan::kColumnTiles;
    return {strip / Plan::kRowTiles, strip % Plan::kRowTiles * S.patch_rows, tile % Plan::kColumnTiles * 8};
}

/// Loads the filter once and then a patch for every tile, by one thread.
template <HaloShape S>
__device__ inline void load_patches(const TensorMap* x, const TensorMap* w, uint8* memory, Ring<S.slots>* ring, Mbarrier* filter_loaded) {
    using Plan = HaloPlan<S>;
    mbarrier_arrive_expect(filter_loaded, Plan::kFilterBytes);
    for (int tap = 0; tap < Plan::kTaps; ++tap) load_box(memory + tap * Plan::kTapBytes, w, filter_loaded, 0, tap, 0);
    if constexpr (S.dependent) wait_for_previous_kernel();
    RingPosition<S.slots> at;
    for (int32 tile = int32(block_index_x()); tile < Plan::kTiles; tile += int32(block_count_x()), at.next()) {
        const PatchOrigin origin = patch_origin<S>(tile);
        mbarrier_wait(&ring->empty[at.stage], at.parity ^ 1);
        mbarrier_arrive_expect(&ring->full[at.stage], Plan::kPatchBytes);
        load_box(memory + Plan::kFilterBytes + at.stage * Plan::kSlotBytes, x, &ring->full[at.stage], 0, origin.column - S.pad[1],
                 origin.row - S.pad[0], origin.image);
    }
}

/// acc = filter * patch: all taps, each from its own corner of the patch.
template <HaloShape S, typename E>
__device__ inline void multiply_patch(Accumulator<HaloPlan<S>::kPixels>& acc, const uint8* filter, const uint8* patch) {
    using Plan = HaloPlan<S>;
    warpgroup_fence();
#pragma unroll
    for (int tap = 0; tap < Plan::kTaps; ++tap) {
        const uint64 a = matrix_descriptor(filter + tap * Plan::kTapBytes);
        const int corner = tap / S.taps[1] * Plan::kPatchColumns + tap % S.taps[1];
        const uint64 b = matrix_descriptor(patch + corner * 128, Plan::kPatchColumns * 128);
#pragma unroll
        for (int step = 0; step < 4; ++step)
            WarpgroupProduct<E, Plan::kPixels>::start(acc.value, a + 2 * step, b + 2 * step, tap > 0 || step > 0);
    }
    commit_products();
    wait_products<0>();
}

/// Runs the body on every element and lays the results out as rows of 128 bytes of channels, in the place of the patch.
template <Domain D, HaloShape S, typename Out, typename Body>
__device__ inline void finish_patch(const Accumulator<HaloPlan<S>::kPixels>& acc, uint8* panel, const PatchOrigin& origin, int32 thread, Body body) {
    using Plan = HaloPlan<S>;
    const int32 first_channel = thread / 32 * 16 + thread % 32 / 4, first_pixel = thread % 4 * 2;
    const int32 first_row = (origin.image * S.result[0] + origin.row) * S.result[1] + origin.column;
#pragma unroll
    for (int i = 0; i < Plan::kPixels / 2; ++i) {
        const int32 channel = first_channel + i / 2 % 2 * 8, pixel = i / 4 * 8 + first_pixel + i % 2;
        const At<D, 1> at{first_row + i / 4 * S.result[1] + first_pixel + i % 2, channel};
        const PanelPlace<Out> to{panel + panel_byte<128>(pixel, channel * 2)};
        if (S.filters == 64 || channel < S.filters) body(at, one_lane(acc.value[i]), to);
    }
}

/// y = body(conv(x, w)). Two warpgroups take patches in turns. Grid: any number of blocks along x; block: S.threads.
template <Domain D, HaloShape S, typename E, typename Out, typename Body>
__device__ inline void halo_patches(const TensorMap* x, const TensorMap* w, const TensorMap* y, Body body) {
    using Plan = HaloPlan<S>;
    uint8* memory = shared_memory();
    auto* ring = reinterpret_cast<Ring<S.slots>*>(memory + Plan::kRing);
    auto* filter_loaded = reinterpret_cast<Mbarrier*>(ring + 1);
    const int32 thread = int32(thread_index());
    if (thread == 0) {
        initialise(ring, 1);
        mbarrier_init(filter_loaded, 1);
        mbarrier_init_fence();
    }
    block_barrier();
    if constexpr (S.dependent) allow_next_kernel();
    const int32 warp = int32(warp_index());
    if (warp < 4) {
        give_registers<40>();
        if (warp == 0 && elect_lane()) load_patches<S>(x, w, memory, ring, filter_loaded);
        return;
    }
    take_registers<232>();
    const int32 warpgroup = warp / 4 - 1, local = thread % 128, step = int32(block_count_x());
    constexpr int kTurn = 5;
    RingPosition<S.slots> at;
    int32 tile = int32(block_index_x());
    if (warpgroup == 1) {
        named_barrier_arrive(kTurn, 256);
        at.next();
        tile += step;
    }
    mbarrier_wait(filter_loaded, 0);
    if constexpr (S.dependent) wait_for_previous_kernel();
    for (; tile < Plan::kTiles; tile += 2 * step) {
        uint8* patch = memory + Plan::kFilterBytes + at.stage * Plan::kSlotBytes;
        named_barrier_wait(kTurn + warpgroup, 256);
        mbarrier_wait(&ring->full[at.stage], at.parity);
        Accumulator<Plan::kPixels> acc;
        multiply_patch<S, E>(acc, memory, patch);
        named_barrier_arrive(kTurn + 1 - warpgroup, 256);
        const PatchOrigin origin = patch_origin<S>(tile);
        finish_patch<D, S, Out>(acc, patch, origin, local, body);
        fence_async_shared();
        named_barrier_wait(1 + warpgroup, 128);
        if (local == 0) {
            store_box(y, patch, 0, origin.column, origin.row, origin.image);
            commit_stores();
            wait_stores_read<0>();
            mbarrier_arrive(&ring->empty[at.stage]);
        }
        at.skip(2);
    }
    if (local == 0) wait_stores<0>();
}

}  // namespace tenon
