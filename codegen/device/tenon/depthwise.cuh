// Convolutions whose every output channel reads one input channel.
#pragma once

#include <tenon/window_walk.cuh>

namespace tenon {

/// Filters [channels, 1, depth, height, width]. Elements from one to the next.
struct FilterStrides {
    int64 channel;
    int64 spatial[3];
    bool side_by_side;  ///< All weights of a thread are neighbours in memory.
    int run;            ///< Neighbouring weights per access: of those, or else of the same tap in several channels.
};

/// Sums of products in float, taps in row-major order.
template <WindowShape S, WindowTile T, FilterStrides F, typename X, typename W>
struct Depthwise {
    /// One weight per lane; the same for all where lanes are columns.
    static constexpr int kWeightLanes = T.lanes_are_columns ? 1 : T.lanes;
    static constexpr int kTapRows = int(S.window[1]), kTapColumns = int(S.window[2]);
    static constexpr int kTaps = kTapRows * kTapColumns;
    static constexpr X kOutside = {};
    using State = Lanes<float, T.lanes>;
    using Weights = Lanes<float, kWeightLanes>;

    const W* w;
    const W* filter;
    Weights weights[T.rolled ? 1 : kTaps];

    __device__ void open(State& sum) const { sum = State{}; }

    template <typename Place>
    __device__ void enter(const Place& place, int plane) {
        using Index = decltype(place.channel);
        filter = w + place.channel * Index(F.channel) + plane * Index(F.spatial[0]);
        if constexpr (T.rolled) {
            return;
        } else if constexpr (F.side_by_side) {
            const auto raw = load_run(filter);
#pragma unroll
            for (int tap = 0; tap < kTaps; ++tap) {
#pragma unroll
                for (int i = 0; i < kWeightLanes; ++i) weights[tap][i] = widened(raw[i * kTaps + tap]);
            }
        } else {
#pragma unroll
            for (int tap = 0; tap < kTaps; ++tap) weights[tap] = load_weights(tap / kTapColumns, tap % kTapColumns);
        }
    }

    template <typename Place, typename Tap>
    __device__ void fold(State& sum, const State& values, const Place&, const Tap& tap) const {
        const Weights weight = T.rolled ? load_weights(tap.row, tap.column) : weights[T.rolled ? 0 : tap.row * kTapColumns + tap.column];
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) sum[i] = fma_of(values[i], weight[i % kWeightLanes], sum[i]);
    }

    template <typename Tap, typename Accept>
    __device__ void close(const State& sum, const Tap&, Accept accept) const {
        accept(sum);
    }

    /// All taps of all lanes, which lie side by side.
    __device__ static auto load_run(const W* from) {
        Lanes<W, kWeightLanes * kTaps> raw;
#pragma unroll
        for (int first = 0; first < kWeightLanes * kTaps; first += F.run) {
            const Lanes<W, F.run> piece = load_vector<F.run>(from + first);
#pragma unroll
            for (int i = 0; i < F.run; ++i) raw[first + i] = piece[i];
        }
        return raw;
    }

    __device__ Weights load_weights(int row, int column) const {
        const W* from = filter + row * F.spatial[1] + column * F.spatial[2];
        if constexpr (F.channel == 1 && !F.side_by_side && F.run == kWeightLanes) {
            return load_lanes<kWeightLanes>(from);
        } else {
            return gather_lanes<kWeightLanes>(from, F.channel);
        }
    }
};

/// Hands every output of the convolution of x with w to `epilogue(at, value)`.
template <WindowShape S, FilterStrides F, Domain D, WindowTile T, typename X, typename W, typename Epilogue>
__device__ inline void depthwise(const X* x, const W* w, Epilogue epilogue) {
    walk_windows<S, D, T>(StoredImage<S, T, X>{x}, Depthwise<S, T, F, X, W>{.w = w}, epilogue);
}

/// The same of an image whose elements `element(at)` gives, over its domain kImage.
template <WindowShape S, FilterStrides F, Domain kImage, Domain D, WindowTile T, typename Body, typename W, typename Epilogue>
__device__ inline void depthwise(Body element, const W* w, Epilogue epilogue) {
    walk_windows<S, D, T>(ComputedImage<S, kImage, T, Body>{element, 0}, Depthwise<S, T, F, float, W>{.w = w}, epilogue);
}

}  // namespace tenon
