// From accumulators to memory: the body of the kernel at every pair of neighbouring columns a thread holds.
#pragma once

#include <tenon/hopper/panel.cuh>
#include <tenon/hopper/product.cuh>

namespace tenon {

/// Nothing goes through shared memory: the body loads and stores by itself.
struct Unstaged {
    static constexpr int kElementBytes = 0;
};
/// The body's last argument is a result that leaves through the copy engine.
template <typename T>
struct StagedStore {
    static constexpr int kElementBytes = sizeof(T);
    using Element = T;
    const TensorMap* to;
};
/// The body's last two arguments are an operand and a result of one type; the operand is fetched while the products run
/// and its place then takes the result.
template <typename T>
struct StagedUpdate {
    static constexpr int kElementBytes = sizeof(T);
    using Element = T;
    const TensorMap* from;
    const TensorMap* to;
};

template <typename Staging>
inline constexpr bool kIsStaged = Staging::kElementBytes > 0;
template <typename Staging>
inline constexpr bool kIsUpdate = false;
template <typename T>
inline constexpr bool kIsUpdate<StagedUpdate<T>> = true;

/// Panels of one warpgroup's part of a tile: pieces of 64 rows, each cut into panels along the columns.
template <ProductShape S, WarpgroupTile T, typename E, typename Staging>
struct PanelPlan {
    static constexpr int kPieces = ProductPlan<S, T, E>::kPieces;
    static constexpr int kRowBytes = T.columns * Staging::kElementBytes;
    static constexpr int kPanelBytes = kRowBytes % 128 == 0 ? 128 : 64;
    static constexpr int kPanels = kRowBytes / kPanelBytes;
    static constexpr int kPanelColumns = kIsStaged<Staging> ? kPanelBytes / (Staging::kElementBytes + !kIsStaged<Staging>) : 1;
    static constexpr int kBytes = kPieces * 64 * kRowBytes;  ///< Of one warpgroup.
};

template <Domain D, ProductShape S, WarpgroupTile T, typename E, typename Staging>
struct TileEpilogue {
    using Plan = ProductPlan<S, T, E>;
    using Panels = PanelPlan<S, T, E, Staging>;
    using Place = At<D, 2>;

    Staging staging;
    uint8* panels;      ///< Of this warpgroup, all sets.
    Mbarrier* fetched;  ///< For every set: its operand has come.
    int32 warpgroup;
    int32 thread;       ///< In the warpgroup.
    int32 round = 0;    ///< Tiles done.

    __device__ uint8* panel(int32 round_of, int piece, int index) const {
        return panels + (round_of % T.panel_sets) * Panels::kBytes + (piece * Panels::kPanels + index) * 64 * Panels::kPanelBytes;
    }
    __device__ void meet() const { named_barrier_wait(1 + warpgroup, 128); }

    /// Starts fetching the operand of the tile that comes `ahead` rounds from now; its panels are free once the last stores
    /// have read them.
    __device__ void fetch(int32 row, int32 column, int32 ahead) const {
        if constexpr (kIsUpdate<Staging>) {
            if (thread != 0) return;
            wait_stores_read<0>();
            Mbarrier* barrier = &fetched[(round + ahead) % T.panel_sets];
            mbarrier_arrive_expect(barrier, Panels::kBytes);
            for (int piece = 0; piece < Plan::kPieces; ++piece) {
                for (int i = 0; i < Panels::kPanels; ++i)
                    load_box(panel(round + ahead, piece, i), staging.from, barrier, column + i * Panels::kPanelColumns, row + piece * 64);
            }
        }
    }

    template <typename Body>
    __device__ void run(const Accumulator<T.columns> (&acc)[Plan::kPieces], int32 row, int32 column, Body body) {
        if constexpr (kIsUpdate<Staging>) {
            mbarrier_wait(&fetched[round % T.panel_sets], uint32(round / T.panel_sets) & 1);
        } else if constexpr (kIsStaged<Staging>) {
            if (thread == 0) wait_stores_read<T.panel_sets - 1>();
            meet();
        }
        const int32 thread_row = thread / 32 * 16 + thread % 32 / 4, thread_column = thread % 4 * 2;
#pragma unroll
        for (int piece = 0; piece < Plan::kPieces; ++piece) {
#pragma unroll
            for (int pair = 0; pair < T.columns / 4; ++pair) {
                const int32 local_row = thread_row + pair % 2 * 8, local_column = pair / 2 * 8 + thread_column;
                const Lanes<float, 2> value{{acc[piece].value[pair * 2], acc[piece].value[pair * 2 + 1]}};
                apply(body, row + piece * 64 + local_row, column + local_column, value, place(piece, local_row, pair / 2 * 8, thread_column));
            }
        }
        if constexpr (kIsStaged<Staging>) send(row, column);
        ++round;
    }

  private:
    /// Where a thread's pair lies in the panels; `group` is the first of its eight columns.
    __device__ uint8* place(int piece, int32 local_row, int group, int32 thread_column) const {
        if constexpr (!kIsStaged<Staging>) return nullptr;
        const int32 byte = (group % Panels::kPanelColumns + thread_column) * Staging::kElementBytes;
        return panel(round, piece, group / Panels::kPanelColumns) + panel_byte<Panels::kPanelBytes>(local_row, byte);
    }

    /// Staged results are clipped on their way out, so the body may run beyond them, at the last row and column; others must
    /// not be touched there.
    template <typename Body>
    __device__ void apply(Body body, int32 row, int32 column, const Lanes<float, 2>& value, uint8* here) const {
        constexpr int32 kLastRow = S.rows - 1, kLastColumn = S.columns - 2;
        if constexpr (kIsStaged<Staging>) {
            if (S.rows % T.rows != 0) row = row < kLastRow ? row : kLastRow;
            if (S.columns % T.columns != 0) column = column < kLastColumn ? column : kLastColumn;
            const PanelPlace<typename Staging::Element> staged{here};
            if constexpr (kIsUpdate<Staging>) {
                body(Place{row, column}, value, staged, staged);
            } else {
                body(Place{row, column}, value, staged);
            }
        } else {
            if (row <= kLastRow && column <= kLastColumn) body(Place{row, column}, value);
        }
    }

    __device__ void send(int32 row, int32 column) const {
        fence_async_shared();
        meet();
        if (thread != 0) return;
        for (int piece = 0; piece < Plan::kPieces; ++piece) {
            for (int i = 0; i < Panels::kPanels; ++i)
                store_box(staging.to, panel(round, piece, i), column + i * Panels::kPanelColumns, row + piece * 64);
        }
        commit_stores();
    }
};

}  // namespace tenon
