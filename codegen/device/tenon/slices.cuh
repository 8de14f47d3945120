// Which threads share the elements behind one statistic (a sum, a mean, a maximum), what each of them holds, and how they put their parts together.
#pragma once

#include <tenon/arch/block.cuh>
#include <tenon/arch/warp.cuh>
#include <tenon/epilogue.cuh>

namespace tenon {

/// One statistic per row. `row_threads` threads (a power of two) share a row, each `pieces` times `lanes` neighbouring columns at a time; a block
/// works on threads / row_threads rows. Grid: as many blocks as the rows need along x, `splits` of a row (if more than 1) along y.
struct RowTile {
    int lanes;
    int pieces;
    int row_threads;
    int threads;
    int splits;
};

/// One statistic per column, for memory whose neighbours belong to different statistics. `column_threads` threads (a power of two) lie side by
/// side over `lanes` columns each; threads / column_threads of them share a column, each `pieces` rows at a time. Grid: along x over the columns,
/// along y over `splits` of the rows.
struct ColumnTile {
    int lanes;
    int pieces;
    int column_threads;
    int threads;
    int splits;
};

/// The value of the thread whose lane number differs in `mask`; for values of whole 32-bit words.
template <typename A>
__device__ inline A exchanged(const A& value, int mask) {
    struct Words {
        uint32 word[sizeof(A) / 4];
    };
    Words words = bit_cast<Words>(value);
#pragma unroll
    for (int i = 0; i < int(sizeof(A) / 4); ++i) words.word[i] = shuffle_xor(words.word[i], mask);
    return bit_cast<A>(words);
}

/// `combine` over the threads of a warp whose lane numbers differ in bits kLowest … kEnd / 2; always the lower lane first, so all get the same bits.
template <int kLowest, int kEnd, typename A, typename Combine>
__device__ inline A combined_in_warp(A value, Combine combine) {
#pragma unroll
    for (int mask = kLowest; mask < kEnd; mask *= 2) {
        const A other = exchanged(value, mask);
        value = (lane_index() & uint32(mask)) != 0 ? combine(other, value) : combine(value, other);
    }
    return value;
}

/// Batches of a slice that one of `kSplits` blocks works through, an equal number each but for the last.
template <typename Index, Index kBatches, int kSplits>
struct SplitOf {
    static constexpr Index kEach = (kBatches + kSplits - 1) / kSplits;

    __device__ static Index first() { return kSplits > 1 ? Index(block_index_y()) * kEach : 0; }
    __device__ static Index end() {
        const Index past = first() + kEach;
        return kSplits > 1 && past > kBatches ? kBatches : past;
    }
};

/// A thread's part of a row. Statistics are single values.
template <Domain D, RowTile T>
struct RowSlice {
    using Place = At<D, T.lanes>;
    using Index = typename Place::Index;

    static constexpr int kLanes = T.lanes, kPieces = T.pieces;
    static constexpr int64 kCount = points_of(D.columns);  ///< Elements behind one statistic.
    static constexpr Index kRows = Index(points_of(D.rows)), kColumns = Index(kCount);
    static constexpr int kRowsAtOnce = T.threads / T.row_threads;
    static constexpr Index kStep = T.lanes * T.row_threads;
    static constexpr Index kBatches = (kColumns + kStep * T.pieces - 1) / (kStep * T.pieces);
    using Split = SplitOf<Index, kBatches, T.splits < 1 ? 1 : T.splits>;
    /// Shared memory of one statistic, 24 bytes a warp; each has its own, so that one barrier is enough.
    static constexpr int kSlotBytes = 32 * 24;

    Index row = Index(block_index_x()) * kRowsAtOnce + Index(thread_index()) / T.row_threads;
    Index first = Index(thread_index()) % T.row_threads * T.lanes;

    __device__ Place at(Index batch, int piece) const { return {row, first + (batch * T.pieces + piece) * kStep}; }
    __device__ bool holds(Index batch, int piece) const {
        const bool in_rows = kRows % kRowsAtOnce == 0 || row < kRows;
        return in_rows && (kColumns % (kStep * T.pieces) == 0 || at(batch, piece).column < kColumns);
    }
    /// One thread of all that share a statistic.
    __device__ bool leads() const { return first == 0 && row < kRows; }
    __device__ Place place_of_statistic() const { return {row, 0}; }
    __device__ bool is_inside() const { return row < kRows; }
    /// The first element of the row, from the lanes at place_of_statistic.
    template <typename A>
    __device__ static A first_of(const Lanes<A, T.lanes>& lanes) { return lanes[0]; }
    __device__ Index number_of_statistic() const { return row; }
    /// Which of the elements behind the statistic lane `lane` of a piece holds.
    __device__ int64 number_of_element(Index batch, int piece, int lane) const { return at(batch, piece).column + lane; }

    /// The statistic of the row from every thread's lanes, `combine`d in a fixed order.
    template <int kSlot, typename A, typename Combine>
    __device__ A share(const Lanes<A, T.lanes>& parts, Combine combine) const {
        static_assert(sizeof(A) <= 24);
        Lanes<A, T.lanes> tree = parts;
#pragma unroll
        for (int width = T.lanes / 2; width > 0; width /= 2) {
#pragma unroll
            for (int i = 0; i < width; ++i) tree[i] = combine(tree[i], tree[i + width]);
        }
        A value = combined_in_warp<1, T.row_threads < 32 ? T.row_threads : 32>(tree[0], combine);
        if constexpr (T.row_threads > 32) {
            constexpr int kWarps = T.row_threads / 32;
            A* slots = reinterpret_cast<A*>(shared_memory() + kSlot * kSlotBytes);
            if (lane_index() == 0) store_shared(slots + thread_index() / 32, value);
            block_barrier();
            const uint32 first_warp = thread_index() / T.row_threads * kWarps;
            value = combined_in_warp<1, kWarps>(load_shared(slots + first_warp + lane_index() % kWarps), combine);
        }
        return value;
    }
};

/// A thread's part of a few neighbouring columns. Statistics are lanes.
template <Domain D, ColumnTile T>
struct ColumnSlice {
    using Place = At<D, T.lanes>;
    using Index = typename Place::Index;

    static constexpr int kLanes = T.lanes, kPieces = T.pieces;
    static constexpr int64 kCount = points_of(D.rows);  ///< Elements behind one statistic.
    static constexpr Index kRows = Index(kCount), kColumns = Index(points_of(D.columns));
    static constexpr int kRowThreads = T.threads / T.column_threads;
    static constexpr Index kBatches = (kRows + kRowThreads * T.pieces - 1) / (kRowThreads * T.pieces);
    using Split = SplitOf<Index, kBatches, T.splits < 1 ? 1 : T.splits>;
    static constexpr bool kWarpHoldsRows = T.column_threads < 32;
    /// Parts of a column's statistic that are left when each warp has combined its own.
    static constexpr int kParts = kWarpHoldsRows ? T.threads / 32 : kRowThreads;

    Index first_row = Index(thread_index()) / T.column_threads;
    Index column = (Index(block_index_x()) * T.column_threads + Index(thread_index()) % T.column_threads) * T.lanes;

    __device__ Place at(Index batch, int piece) const { return {first_row + (batch * T.pieces + piece) * kRowThreads, column}; }
    __device__ bool holds(Index batch, int piece) const {
        const bool in_columns = kColumns % (T.column_threads * T.lanes) == 0 || column < kColumns;
        return in_columns && (kRows % (kRowThreads * T.pieces) == 0 || at(batch, piece).row < kRows);
    }
    __device__ bool leads() const { return first_row == 0 && column < kColumns; }
    __device__ Place place_of_statistic() const { return {0, column}; }
    __device__ bool is_inside() const { return column < kColumns; }
    template <typename A>
    __device__ static Lanes<A, T.lanes> first_of(const Lanes<A, T.lanes>& lanes) { return lanes; }
    __device__ Index number_of_statistic() const { return column; }
    __device__ int64 number_of_element(Index batch, int piece, int) const { return at(batch, piece).row; }

    template <int kSlot, typename A, typename Combine>
    __device__ Lanes<A, T.lanes> share(const Lanes<A, T.lanes>& parts, Combine combine) const {
        Lanes<A, T.lanes> value = each(parts, [=](const A& part) {
            return combined_in_warp<T.column_threads, kWarpHoldsRows ? 32 : 0>(part, combine);
        });
        if constexpr (kParts > 1) {
            if constexpr (kSlot > 0) block_barrier();  // the statistic before this one has been read
            // One plane per lane, so that neighbouring threads touch neighbouring words.
            A* slots = reinterpret_cast<A*>(shared_memory());
            const uint32 own_column = thread_index() % T.column_threads;
            const uint32 part = kWarpHoldsRows ? thread_index() / 32 : thread_index() / T.column_threads;
            if (!kWarpHoldsRows || lane_index() < uint32(T.column_threads)) {
#pragma unroll
                for (int i = 0; i < T.lanes; ++i) {
                    store_shared(slots + (i * kParts + part) * T.column_threads + own_column, value[i]);
                }
            }
            block_barrier();
#pragma unroll
            for (int i = 0; i < T.lanes; ++i) {
                const A* own = slots + i * kParts * T.column_threads + own_column;
                value[i] = load_shared(own);
#pragma unroll
                for (int p = 1; p < kParts; ++p) value[i] = combine(value[i], load_shared(own + p * T.column_threads));
            }
        }
        return value;
    }
};

}  // namespace tenon
