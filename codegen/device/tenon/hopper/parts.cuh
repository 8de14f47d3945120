// Products with few tiles: each block takes one, or the blocks of a cluster share the depth of one and add up their parts.
#pragma once

#include <tenon/hopper/consumer.cuh>
#include <tenon/hopper/loader.cuh>
#include <tenon/epilogue.cuh>

namespace tenon {

/// Shared memory of the kernel, from its start.
template <ProductShape S, WarpgroupTile T, typename E>
struct PartsMemory {
    static constexpr int kPitch = T.columns + 8;  ///< Floats from row to row of the sums; keeps the banks of eight rows apart.
    static constexpr int kStageBytes = T.stages * ProductPlan<S, T, E>::kStageBytes;
    static constexpr int kSumBytes = T.rows * kPitch * 4;  ///< They take the place of the stages.
    static constexpr int kRing = (kStageBytes > kSumBytes ? kStageBytes : kSumBytes + 1023) / 1024 * 1024;
};

/// All threads of the blocks that share a tile meet.
template <int kSplit>
__device__ inline void meet() {
    if constexpr (kSplit > 1) {
        cluster_barrier();
    } else {
        block_barrier();
    }
}

/// Puts a thread's accumulators where the other blocks can read them.
template <ProductShape S, WarpgroupTile T, typename E>
__device__ inline void lay_out(const Accumulator<T.columns> (&acc)[ProductPlan<S, T, E>::kPieces], float* sums, int32 first_row, int32 thread) {
    using Memory = PartsMemory<S, T, E>;
    const int32 row = first_row + thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2 * ProductPlan<S, T, E>::kPieces; ++half) {
        float* to = sums + (row + half / 2 * 64 + half % 2 * 8) * Memory::kPitch + column;
#pragma unroll
        for (int group = 0; group < T.columns / 8; ++group) {
            const float* pair = &acc[half / 2].value[group * 4 + half % 2 * 2];
            store_shared(reinterpret_cast<uint64*>(to + group * 8), bit_cast<uint64>(Lanes<float, 2>{{pair[0], pair[1]}}));
        }
    }
}

/// A result the body hands back instead of writing it, so that the loads of several places can be under way at once.
template <typename T, int N>
struct Deferred {
    Lanes<T, N>* value;
};
template <typename T, int N, typename Place, typename A>
__device__ inline void store(const Deferred<T, N>& to, const Place&, const A& value) {
    *to.value = narrowed_lanes<T, N>(value);
}

/// The body's last argument is its only result, packed in domain order.
template <typename T>
struct OnlyResult {
    T* to;
};
/// The body stores by itself.
struct OwnResults {};

template <typename T, int N>
__device__ inline Lanes<float, N> load_sums(const T* from) {
    using Raw = typename Word<(N < 4 ? N : 4) * 4>::type;
    constexpr int kAccesses = N < 4 ? 1 : N / 4;
    struct Pieces {
        Raw piece[kAccesses];
    } pieces;
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) pieces.piece[i] = load_shared(reinterpret_cast<const Raw*>(from) + i);
    return bit_cast<Lanes<float, N>>(pieces);
}

/// The rows of a tile that one block of a cluster finishes, by all consumer threads.
template <Domain D, ProductShape S, WarpgroupTile T, typename E>
struct OwnRows {
    using Memory = PartsMemory<S, T, E>;
    using Place = At<D, T.lanes>;
    static constexpr int kRows = T.rows / T.split, kRowPieces = T.columns / T.lanes, kThreads = T.consumers * 128;
    static constexpr int kItems = kRows * kRowPieces;
    static constexpr int kBatch = kItems >= kThreads * 4 ? 4 : kItems >= kThreads * 2 ? 2 : 1;

    const float* sums;     ///< Of this block, from the first row it finishes.
    int32 first_row;
    int32 first_column;

    __device__ Place place(int32 item) const { return {first_row + item / kRowPieces, first_column + item % kRowPieces * T.lanes}; }
    __device__ bool exists(int32 item, const Place& at) const { return item < kItems && at.row < S.rows && at.column < S.columns; }
    /// Parts are added in the order of the blocks.
    __device__ Lanes<float, T.lanes> total(int32 item) const {
        const float* from = sums + item / kRowPieces * Memory::kPitch + item % kRowPieces * T.lanes;
        if constexpr (T.split == 1) return load_sums<float, T.lanes>(from);
        Lanes<float, T.lanes> part[T.split];
#pragma unroll
        for (int i = 0; i < T.split; ++i) part[i] = load_sums<float, T.lanes>(remote_shared(from, uint32(i)));
#pragma unroll
        for (int i = 1; i < T.split; ++i) part[0] = part[0] + part[i];
        return part[0];
    }

    template <typename Body>
    __device__ void run(int32 thread, OwnResults, Body body) const {
        for (int32 item = thread; item < kItems; item += kThreads) {
            const Place at = place(item);
            if (exists(item, at)) body(at, total(item));
        }
    }

    /// Places beyond the result are computed at its last row and column, and not written.
    template <typename Out, typename Body>
    __device__ void run(int32 thread, OnlyResult<Out> result, Body body) const {
        for (int32 first = thread; first < kItems; first += kThreads * kBatch) {
            Lanes<Out, T.lanes> found[kBatch];
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const int32 item = first + i * kThreads < kItems ? first + i * kThreads : thread;
                Place at = place(item);
                at.row = at.row < S.rows ? at.row : S.rows - 1;
                at.column = at.column < S.columns ? at.column : S.columns - T.lanes;
                body(at, total(item), Deferred<Out, T.lanes>{&found[i]});
            }
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const Place at = place(first + i * kThreads);
                if (exists(first + i * kThreads, at)) store_vector<T.lanes>(result.to + packed_offset(at), found[i]);
            }
        }
    }
};

/// y = body(rows * columns), a tile for every cluster of T.split blocks. Block: T.threads.
template <Domain D, ProductShape S, WarpgroupTile T, typename E, typename Result, typename Body>
__device__ inline void product_parts(Factors factors, Result result, Body body) {
    using Plan = ProductPlan<S, T, E>;
    uint8* memory = shared_memory();
    auto* sums = reinterpret_cast<float*>(memory);
    auto* ring = reinterpret_cast<Ring<T.stages>*>(memory + PartsMemory<S, T, E>::kRing);
    const int32 thread = int32(thread_index());
    if (thread == 0) {
        initialise(ring, Plan::kSharers);
        mbarrier_init_fence();
    }
    block_barrier();
    if constexpr (T.dependent) allow_next_kernel();
    const int32 rank = T.split > 1 ? int32(cluster_rank()) : 0, tile = int32(block_index_x()) / T.split;
    const int32 first = rank * Plan::kBlocksPerPart;
    const int32 rest = Plan::kBlocks - first, count = rest < Plan::kBlocksPerPart ? rest : Plan::kBlocksPerPart;
    const int32 warp = int32(warp_index()), local = thread - Plan::kFirstConsumerThread;
    constexpr int kLoaderWarp = Plan::kHasLoaderGroup ? 0 : T.consumers * 4;
    const bool is_consumer = Plan::kHasLoaderGroup ? warp >= 4 : warp < kLoaderWarp;
    const int32 first_row = local / 128 * Plan::kPieces * 64;
    Accumulator<T.columns> acc[Plan::kPieces];
    if (is_consumer) {
        Consumer<S, T, E> consumer{memory, ring, {}, first_row, local % 128 == 0};
        consumer.accumulate(acc, count);
        consumer.finish();
    } else if (warp == kLoaderWarp && elect_lane()) {
        Loader<S, T, E>{factors, memory, ring}.run(tile, Plan::kTiles, first, count);
    }
    block_barrier();  // the stages have been read, so sums may take their place
    if (is_consumer) lay_out<S, T, E>(acc, sums, first_row, local % 128);
    meet<T.split>();
    if (is_consumer) {
        if constexpr (T.dependent) wait_for_previous_kernel();
        constexpr int kOwnRows = T.rows / T.split;
        const OwnRows<D, S, T, E> own{sums + rank * kOwnRows * PartsMemory<S, T, E>::kPitch,
                                      tile / Plan::kColumnTiles * T.rows + rank * kOwnRows, tile % Plan::kColumnTiles * T.columns};
        own.run(local, result, body);
    }
    if constexpr (T.split > 1) cluster_barrier();  // no block leaves while others read its sums
}

}  // namespace tenon
