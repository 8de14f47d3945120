// Maxima and averages over windows.
#pragma once

#include <tenon/window_walk.cuh>

namespace tenon {

/// Below every other element.
template <typename X>
__device__ constexpr X lowest_of() {
    return -kInfinity;
}
template <>
__device__ constexpr half lowest_of<half>() {
    return {0xfc00};
}
template <>
__device__ constexpr bfloat16 lowest_of<bfloat16>() {
    return {0xff80};
}

/// The largest element, NaN above all; -infinity where the window holds none.
template <WindowTile T, typename X>
struct LargestUnder {
    static constexpr X kOutside = lowest_of<X>();
    using State = Lanes<float, T.lanes>;

    __device__ void open(State& best) const {
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) best[i] = -kInfinity;
    }
    template <typename Place>
    __device__ void enter(const Place&, int) const {}
    template <typename Place, typename Tap>
    __device__ void fold(State& best, const State& values, const Place&, const Tap&) const {
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) best[i] = values[i] > best[i] || values[i] != values[i] ? values[i] : best[i];
    }
    template <typename Tap, typename Accept>
    __device__ void close(const State& best, const Tap&, Accept accept) const {
        accept(best);
    }
};

/// The same and where it stands in the image, as a row-major number; the first of equals.
template <WindowShape S, WindowTile T, typename X>
struct LargestAndPlace {
    static constexpr X kOutside = lowest_of<X>();
    struct State {
        Lanes<float, T.lanes> best;
        Lanes<int64, T.lanes> position;
        Lanes<bool, T.lanes> found;
    };

    __device__ void open(State& state) const {
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) {
            state.best[i] = -kInfinity;
            state.position[i] = 0;
            state.found[i] = false;
        }
    }
    template <typename Place>
    __device__ void enter(const Place&, int) const {}
    template <typename Place, typename Tap>
    __device__ void fold(State& state, const Lanes<float, T.lanes>& values, const Place&, const Tap& tap) const {
        const bool inside = tap.height >= 0 && tap.height < S.image[1];
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) {
            const int64 column = tap.width + (T.lanes_are_columns ? i * S.stride[2] : 0);
            const bool is_nan = values[i] != values[i];
            const bool beats = !state.found[i] || values[i] > state.best[i] || (is_nan && state.best[i] == state.best[i]);
            if (!inside || column < 0 || column >= S.image[2] || !beats) continue;
            state.best[i] = values[i];
            state.position[i] = (tap.depth * S.image[1] + tap.height) * S.image[2] + column;
            state.found[i] = true;
        }
    }
    template <typename Tap, typename Accept>
    __device__ void close(const State& state, const Tap&, Accept accept) const {
        accept(state.best, state.position);
    }
};

/// The mean of the elements under the window, or with kCountPadding of the cells of the padded image.
template <WindowShape S, WindowTile T, bool kCountPadding, typename X>
struct MeanUnder {
    static constexpr X kOutside = {};
    using State = Lanes<float, T.lanes>;

    __device__ void open(State& sum) const { sum = State{}; }
    template <typename Place>
    __device__ void enter(const Place&, int) const {}
    template <typename Place, typename Tap>
    __device__ void fold(State& sum, const State& values, const Place&, const Tap&) const {
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) sum[i] += values[i];
    }
    template <typename Tap, typename Accept>
    __device__ void close(const State& sum, const Tap& corner, Accept accept) const {
        const int plane_cells = cells<0>(corner.depth) * cells<1>(corner.height);
        State mean;
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) {
            const int columns = cells<2>(corner.width + (T.lanes_are_columns ? i * S.stride[2] : 0));
            mean[i] = sum[i] / float(plane_cells * columns);
        }
        accept(mean);
    }

    /// Taps along an axis that count in the divisor, for a window that starts at `start`.
    template <int kAxis>
    __device__ static int cells(int64 start) {
        constexpr int kLowest = kCountPadding ? -int(S.pad[kAxis]) : 0;
        constexpr int kEnd = int(S.image[kAxis] + (kCountPadding ? S.pad_after[kAxis] : 0));
        constexpr int kStep = int(S.dilation[kAxis]), kTaps = int(S.window[kAxis]);
        const int first = int(start);
        const int before = first >= kLowest ? 0 : (kLowest - first + kStep - 1) / kStep;
        const int until = first >= kEnd ? 0 : (kEnd - first + kStep - 1) / kStep;
        const int count = (until < kTaps ? until : kTaps) - before;
        return count < 0 ? 0 : count;
    }
};

/// What pools hand to: `epilogue(at, value)`, with positions `epilogue(at, value, position)`.
template <WindowShape S, Domain D, WindowTile T, typename X, typename Epilogue>
__device__ inline void max_pool(const X* x, Epilogue epilogue) {
    walk_windows<S, D, T>(StoredImage<S, T, X>{x}, LargestUnder<T, X>{}, epilogue);
}
template <WindowShape S, Domain D, WindowTile T, typename X, typename Epilogue>
__device__ inline void max_pool_with_position(const X* x, Epilogue epilogue) {
    walk_windows<S, D, T>(StoredImage<S, T, X>{x}, LargestAndPlace<S, T, X>{}, epilogue);
}
template <WindowShape S, Domain D, WindowTile T, bool kCountPadding, typename X, typename Epilogue>
__device__ inline void average_pool(const X* x, Epilogue epilogue) {
    walk_windows<S, D, T>(StoredImage<S, T, X>{x}, MeanUnder<S, T, kCountPadding, X>{}, epilogue);
}

// The same of an image whose elements `element(at)` gives, over its domain kImage.
template <WindowShape S, Domain kImage, Domain D, WindowTile T, typename Body, typename Epilogue>
__device__ inline void max_pool(Body element, Epilogue epilogue) {
    walk_windows<S, D, T>(ComputedImage<S, kImage, T, Body>{element, 0}, LargestUnder<T, float>{}, epilogue);
}
template <WindowShape S, Domain kImage, Domain D, WindowTile T, typename Body, typename Epilogue>
__device__ inline void max_pool_with_position(Body element, Epilogue epilogue) {
    walk_windows<S, D, T>(ComputedImage<S, kImage, T, Body>{element, 0}, LargestAndPlace<S, T, float>{}, epilogue);
}
template <WindowShape S, Domain kImage, Domain D, WindowTile T, bool kCountPadding, typename Body, typename Epilogue>
__device__ inline void average_pool(Body element, Epilogue epilogue) {
    walk_windows<S, D, T>(ComputedImage<S, kImage, T, Body>{element, 0}, MeanUnder<S, T, kCountPadding, float>{}, epilogue);
}

}  // namespace tenon
