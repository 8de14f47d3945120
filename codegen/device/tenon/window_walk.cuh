// The walk of a thread over the windows of its outputs, the same for every anchor.
#pragma once

#include <tenon/window.cuh>

namespace tenon {

/// One tap of a window: its number in the window, and the input element of the first lane that lies under it.
template <typename Index>
struct WindowTap {
    int plane, row, column;
    Index depth, height, width;
};

/// Runs an anchor over the outputs of every thread and hands each of them to `epilogue(at, result…)`.
///
/// An anchor has `State` (of the outputs of one place), `kOutside` (stands for elements outside the image),
/// `open(state)`, `enter(place, plane)` before the taps of one depth, `fold(state, values, place, tap)` in the order of
/// the taps, and `close(state, corner, accept)`, which calls `accept(result…)`; corner is the tap (0, 0, 0).
template <WindowShape S, Domain D, WindowTile T, typename Anchor, typename Image, typename Epilogue>
struct WindowWalk {
    using Index = typename IndexOf<D.wide>::type;
    using Place = WindowPlace<S, T, Index>;
    using State = typename Anchor::State;
    using Row = WindowRow<S, T, typename Image::Element>;

    /// Input rows visited: with one row of outputs per thread only those under a tap.
    static constexpr int kDilation = int(S.dilation[1]), kStride = int(S.stride[1]), kTapRows = int(S.window[1]);
    static constexpr int kStep = T.rows == 1 ? kDilation : 1;
    static constexpr int kSteps = T.rows == 1 ? kTapRows : (T.rows - 1) * kStride + (kTapRows - 1) * kDilation + 1;

    Image image;
    Anchor anchor;
    Epilogue epilogue;
    Place place;
    State state[T.rows][T.columns];

    __device__ void run() {
        if (!Place::find(place)) return;
#pragma unroll
        for (int i = 0; i < T.rows * T.columns; ++i) anchor.open(state[i / T.columns][i % T.columns]);
#pragma unroll 1
        for (int plane = 0; plane < S.window[0]; ++plane) {
            const Index depth = Place::template first_under<0>(place.depth) + plane * Index(S.dilation[0]);
            if (depth < 0 || depth >= Index(S.image[0])) continue;
            anchor.enter(place, plane);
            if constexpr (T.rolled) visit_taps(plane, depth);
            else visit_rows(plane, depth);
        }
        if constexpr (S.window[0] > 1 || T.rolled) {
#pragma unroll
            for (int r = 0; r < T.rows; ++r) close_row(r);
        }
    }

    /// Down the input rows: each is read while the one before is folded into the outputs it lies under.
    __device__ void visit_rows(int plane, Index depth) {
        const Index top = Place::template first_under<1>(place.row);
        Row next;
        read_row(next, depth, top);
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            const Row row = next;
            if (step + 1 < kSteps) read_row(next, depth, top + (step + 1) * kStep);
#pragma unroll
            for (int r = 0; r < T.rows; ++r) {
                const int below = step * kStep - r * kStride;  // input rows under the first tap of output row r
                const int tap_row = below / kDilation;
                if (below < 0 || below % kDilation != 0 || tap_row >= kTapRows) continue;
                fold_row(r, row, {plane, tap_row, 0, depth, top + step * kStep, 0});
                if (S.window[0] == 1 && tap_row == kTapRows - 1) close_row(r);
            }
        }
    }

    __device__ void read_row(Row& row, Index depth, Index height) {
        const bool inside = height >= 0 && height < Index(S.image[1]);
        row.read(image.row(place, depth, height), place, inside, Anchor::kOutside);
    }

    __device__ void fold_row(int r, const Row& row, WindowTap<Index> tap) {
#pragma unroll
        for (int c = 0; c < T.columns; ++c) {
#pragma unroll
            for (int s = 0; s < int(S.window[2]); ++s) {
                tap.column = s;
                tap.width = left_of(c) + s * Index(S.dilation[2]);
                anchor.fold(state[r][c], row.under(c, s), place, tap);
            }
        }
    }

    /// One tap after the other, for windows of any size.
    __device__ void visit_taps(int plane, Index depth) {
        const Index top = Place::template first_under<1>(place.row);
#pragma unroll 1
        for (int tap_row = 0; tap_row < kTapRows; ++tap_row) {
            const Index height = top + tap_row * kDilation;
            if (height < 0 || height >= Index(S.image[1])) continue;
            const Image row = image.row(place, depth, height);
#pragma unroll 2
            for (int tap_column = 0; tap_column < int(S.window[2]); ++tap_column) {
#pragma unroll
                for (int c = 0; c < T.columns; ++c) {
                    const Index width = left_of(c) + tap_column * Index(S.dilation[2]);
                    anchor.fold(state[0][c], load_tap(row, place, width, Anchor::kOutside), place,
                                WindowTap<Index>{plane, tap_row, tap_column, depth, height, width});
                }
            }
        }
    }

    __device__ void close_row(int r) {
        if (place.row + r >= Index(S.output[1])) return;
        const Index depth = Place::template first_under<0>(place.depth);
        const Index height = Place::template first_under<1>(place.row + r);
#pragma unroll
        for (int c = 0; c < T.columns; ++c) {
            if (place.column + c * kPlaceWidth<T> >= Index(S.output[2])) break;
            const auto at = place.template at<D>(r, c);
            anchor.close(state[r][c], WindowTap<Index>{0, 0, 0, depth, height, left_of(c)},
                         [&](const auto&... results) { epilogue(at, results...); });
        }
    }

    __device__ Index left_of(int c) const { return Place::template first_under<2>(place.column + c * kPlaceWidth<T>); }
};

/// Grid: one block per `threads` pieces of work along x.
template <WindowShape S, Domain D, WindowTile T, typename Anchor, typename Image, typename Epilogue>
__device__ inline void walk_windows(Image image, Anchor anchor, Epilogue epilogue) {
    WindowWalk<S, D, T, Anchor, Image, Epilogue>{.image = image, .anchor = anchor, .epilogue = epilogue}.run();
}

}  // namespace tenon
