// Products over many tiles: a few blocks stay on the machine and walk through all of them.
#pragma once

#include <tenon/hopper/consumer.cuh>
#include <tenon/hopper/loader.cuh>
#include <tenon/hopper/tile_epilogue.cuh>

namespace tenon {

/// Registers of a thread, by how many warpgroups multiply: what is left when the loading warpgroup keeps a few.
template <int kConsumers>
struct RegisterSplit {
    static constexpr int kLoader = kConsumers == 2 ? 40 : 32;
    static constexpr int kConsumer = kConsumers == 2 ? 232 : 160;
};

/// Shared memory of the kernel, from its start.
template <ProductShape S, WarpgroupTile T, typename E, typename Staging>
struct TilesMemory {
    static constexpr int kPanels = T.stages * ProductPlan<S, T, E>::kStageBytes;
    static constexpr int kPanelBytes = PanelPlan<S, T, E, Staging>::kBytes * T.panel_sets;  ///< Of one warpgroup.
    static constexpr int kRing = kPanels + T.consumers * kPanelBytes;
    static constexpr int kFetched = kRing + int(sizeof(Ring<T.stages>));
};

/// y = body(rows * columns) for every tile. Grid: any number of blocks along x; block: T.threads.
template <Domain D, ProductShape S, WarpgroupTile T, typename E, typename Staging, typename Body>
__device__ inline void product_tiles(Factors factors, Staging staging, Body body) {
    using Plan = ProductPlan<S, T, E>;
    using Memory = TilesMemory<S, T, E, Staging>;
    uint8* memory = shared_memory();
    auto* ring = reinterpret_cast<Ring<T.stages>*>(memory + Memory::kRing);
    auto* fetched = reinterpret_cast<Mbarrier*>(memory + Memory::kFetched);
    const int32 thread = int32(thread_index());
    if (thread == 0) {
        initialise(ring, Plan::kSharers);
        for (int i = 0; i < T.consumers * T.panel_sets; ++i) mbarrier_init(&fetched[i], 1);
        mbarrier_init_fence();
    }
    block_barrier();
    if constexpr (T.dependent) allow_next_kernel();
    const int32 first_tile = int32(block_index_x()), step = int32(block_count_x());
    const int32 warp = int32(warp_index());
    constexpr int kLoaderWarp = Plan::kHasLoaderGroup ? 0 : T.consumers * 4;
    if (Plan::kHasLoaderGroup ? warp < 4 : warp == kLoaderWarp) {
        if constexpr (Plan::kHasLoaderGroup) give_registers<RegisterSplit<T.consumers>::kLoader>();
        if (warp == kLoaderWarp && elect_lane()) Loader<S, T, E>{factors, memory, ring}.run(first_tile, step, 0, Plan::kBlocks);
        return;
    }
    if constexpr (Plan::kHasLoaderGroup) take_registers<RegisterSplit<T.consumers>::kConsumer>();
    const int32 warpgroup = (warp - Plan::kFirstConsumerThread / 32) / 4, local_thread = thread % 128;
    constexpr int kRowsEach = Plan::kPieces * 64;
    const int32 row_offset = T.pingpong ? 0 : warpgroup * kRowsEach;
    Consumer<S, T, E> consumer{memory, ring, {}, row_offset, local_thread == 0};
    TileEpilogue<D, S, T, E, Staging> epilogue{staging, memory + Memory::kPanels + warpgroup * Memory::kPanelBytes,
                                               &fetched[warpgroup * T.panel_sets], warpgroup, local_thread};
    // Two warpgroups that take turns must enter their main loops in order: a stage's parity tells only two rounds apart.
    constexpr int kTurn = 5;
    int32 tile = first_tile;
    if constexpr (T.pingpong) {
        if (warpgroup == 1) {
            named_barrier_arrive(kTurn, 256);
            consumer.at.skip(Plan::kBlocks);
            tile += step;
        }
    }
    if constexpr (T.dependent) wait_for_previous_kernel();
    const auto row_of = [&](int32 t) { return t / Plan::kColumnTiles * T.rows + row_offset; };
    const auto column_of = [&](int32 t) { return t % Plan::kColumnTiles * T.columns; };
    const int32 stride = T.pingpong ? 2 * step : step;
    if (T.panel_sets > 1 && tile < Plan::kTiles) epilogue.fetch(row_of(tile), column_of(tile), 0);
    for (; tile < Plan::kTiles; tile += stride) {
        if (T.panel_sets == 1) epilogue.fetch(row_of(tile), column_of(tile), 0);
        if constexpr (T.pingpong) named_barrier_wait(kTurn + warpgroup, 256);
        Accumulator<T.columns> acc[Plan::kPieces];
        consumer.accumulate(acc, Plan::kBlocks);
        if constexpr (T.pingpong) named_barrier_arrive(kTurn + 1 - warpgroup, 256);
        if (T.panel_sets > 1 && tile + stride < Plan::kTiles) epilogue.fetch(row_of(tile + stride), column_of(tile + stride), 1);
        consumer.finish();
        if constexpr (T.pingpong) consumer.at.skip(Plan::kBlocks);
        epilogue.run(acc, row_of(tile), column_of(tile), body);
    }
    if constexpr (kIsStaged<Staging>) {
        if (local_thread == 0) wait_stores<0>();
    }
}

}  // namespace tenon
