// Windows that slide over an image: each thread owns a few rows by a few columns of outputs, reads every input row it
// needs once, the next one ahead of its use, and keeps the outputs that are still open in registers.
#pragma once

#include <tenon/epilogue.cuh>

namespace tenon {

/// Elements from one index to the next of an image [batch, channels, depth, height, width].
struct ImageStrides {
    int64 batch;
    int64 channel;
    int64 spatial[3];
};

/// A window over an image; axes the tensor lacks have extent 1. Spatial axes are depth, height, width.
struct WindowShape {
    int64 batch, channels;      ///< Of the output.
    int64 outputs_per_channel;  ///< Output channel k reads input channel k / outputs_per_channel.
    int64 image[3], output[3];
    int64 window[3], stride[3], dilation[3], pad[3], pad_after[3];
    ImageStrides x;
};

/// What one thread computes: `rows` x `columns` places, each of `lanes` neighbouring channels or, with
/// `lanes_are_columns`, of `lanes` neighbouring columns.
struct WindowTile {
    bool lanes_are_columns;
    int lanes, columns, rows;
    int run;      ///< Neighbouring columns of x per access, with `lanes_are_columns`.
    bool rolled;  ///< For windows too large for registers: one tap at a time; `rows` is 1.
    int threads, blocks;
};

/// Columns of outputs from one place of a thread to the next, and all of them.
template <WindowTile T>
inline constexpr int kPlaceWidth = T.lanes_are_columns ? T.lanes : 1;
template <WindowTile T>
inline constexpr int kColumnsPerThread = T.columns * kPlaceWidth<T>;

__device__ constexpr int64 pieces_of(int64 extent, int64 piece) { return (extent + piece - 1) / piece; }

/// The first output of a thread. Threads run along memory: channels or columns first.
template <WindowShape S, WindowTile T, typename Index>
struct WindowPlace {
    Index batch, channel, depth, row, column;

    /// False for the threads that the last block has too many.
    __device__ static bool find(WindowPlace& place) {
        constexpr Index kStrips = Index(pieces_of(S.output[2], kColumnsPerThread<T>));
        constexpr Index kBands = Index(pieces_of(S.output[1], T.rows));
        constexpr Index kChannels = Index(T.lanes_are_columns ? S.channels : S.channels / T.lanes);
        Index rest = Index(block_index_x()) * T.threads + Index(thread_index());
        const auto take = [&](Index extent) {
            const Index coordinate = rest % extent;
            rest /= extent;
            return coordinate;
        };
        if constexpr (!T.lanes_are_columns) place.channel = take(kChannels) * T.lanes;
        place.column = take(kStrips) * kColumnsPerThread<T>;
        place.row = take(kBands) * T.rows;
        place.depth = take(Index(S.output[0]));
        if constexpr (T.lanes_are_columns) place.channel = take(kChannels);
        place.batch = rest;
        return rest < Index(S.batch);
    }

    /// First input coordinate under the window of output `at` along a spatial axis.
    template <int kAxis>
    __device__ static Index first_under(Index at) {
        return at * Index(S.stride[kAxis]) - Index(S.pad[kAxis]);
    }

    /// Where the outputs of row r and place c of the thread stand in the domain of the epilogue.
    template <Domain D>
    __device__ At<D, T.lanes> at(int r, int c) const {
        constexpr Index kDepth = Index(S.output[0]), kHeight = Index(S.output[1]), kWidth = Index(S.output[2]);
        if constexpr (T.lanes_are_columns) {
            return {((batch * Index(S.channels) + channel) * kDepth + depth) * kHeight + row + r, column + c * T.lanes};
        } else {
            return {((batch * kDepth + depth) * kHeight + row + r) * kWidth + column + c, channel};
        }
    }
};

__device__ constexpr int64 floor_to(int64 value, int64 multiple) {
    return value >= 0 ? value / multiple * multiple : -((-value + multiple - 1) / multiple * multiple);
}

/// An image in memory. `row(place, depth, height)` is what a thread sees there, from column 0 on.
template <WindowShape S, WindowTile T, typename X>
struct StoredImage {
    using Element = X;

    const X* x;

    template <typename Place, typename Index>
    __device__ StoredImage row(const Place& place, Index depth, Index height) const {
        const Index first = place.batch * Index(S.x.batch) + place.channel / Index(S.outputs_per_channel) * Index(S.x.channel);
        return {x + first + depth * Index(S.x.spatial[0]) + height * Index(S.x.spatial[1])};
    }

    /// kRun neighbouring columns from `column` on.
    template <int kRun, typename Index>
    __device__ Lanes<X, kRun> columns(Index column) const {
        return load_vector<kRun>(x + column * Index(S.x.spatial[2]));
    }
    /// The thread's channels in one column.
    template <typename Place, typename Index>
    __device__ Lanes<X, T.lanes> channels(const Place& place, Index column) const {
        const X* from = x + column * Index(S.x.spatial[2]);
        if constexpr (S.outputs_per_channel == 1 && S.x.channel == 1) {
            return load_vector<T.lanes>(from);
        } else {
            const Index base = place.channel / Index(S.outputs_per_channel);
            Lanes<X, T.lanes> values;
#pragma unroll
            for (int i = 0; i < T.lanes; ++i) {
                const Index channel = (place.channel + i) / Index(S.outputs_per_channel);
                values[i] = load_element(from + (channel - base) * Index(S.x.channel));
            }
            return values;
        }
    }
};

/// An image that is computed on its way in, one output channel per input channel: `body(at)` gives its elements, over
/// the domain D of the image.
template <WindowShape S, Domain D, WindowTile T, typename Body>
struct ComputedImage {
    using Element = float;

    Body body;
    int64 first;  ///< Row of the domain; of column 0 where columns of the image are rows of the domain.

    template <typename Place, typename Index>
    __device__ ComputedImage row(const Place& place, Index depth, Index height) const {
        const Index slab = T.lanes_are_columns ? place.batch * Index(S.channels) + place.channel : place.batch;
        return {body, (slab * Index(S.image[0]) + depth) * Index(S.image[1]) + height};
    }

    template <int kRun, typename Index>
    __device__ Lanes<float, kRun> columns(Index column) const {
        static_assert(kRun == 1);
        return one_lane(float(lane_of(body(At<D, 1>{Index(first), column}), 0)));
    }
    template <typename Place, typename Index>
    __device__ Lanes<float, T.lanes> channels(const Place& place, Index column) const {
        const auto values = body(At<D, T.lanes>{Index(first) * Index(S.image[2]) + column, place.channel});
        Lanes<float, T.lanes> result;
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) result[i] = lane_of(values, i);
        return result;
    }
};

template <WindowShape S>
__device__ inline bool is_column(int64 column) {
    return column >= 0 && column < S.image[2];
}

/// What one tap of the outputs of one place reads: input column `left` for the first lane.
template <WindowShape S, WindowTile T, typename Image, typename Index>
__device__ inline auto load_tap(const Image& row, const WindowPlace<S, T, Index>& place, Index left,
                                typename Image::Element outside) {
    Lanes<typename Image::Element, T.lanes> values;
#pragma unroll
    for (int i = 0; i < T.lanes; ++i) values[i] = outside;
    if constexpr (T.lanes_are_columns) {
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) {
            const Index column = left + i * Index(S.stride[2]);
            if (is_column<S>(column)) values[i] = row.template columns<1>(column)[0];
        }
    } else {
        if (is_column<S>(left)) values = row.channels(place, left);
    }
    return each(values, [](auto element) { return widened(element); });
}

/// The elements of one input row that a thread needs, as they lie in memory; `outside` where there are none.
template <WindowShape S, WindowTile T, typename X>
struct WindowRow {
    /// With runs, the row starts at a whole one.
    static constexpr int kFirst = int(T.lanes_are_columns ? floor_to(-S.pad[2], T.run) : -S.pad[2]);
    static constexpr int kLast = int((kColumnsPerThread<T> - 1) * S.stride[2] + (S.window[2] - 1) * S.dilation[2] - S.pad[2]);
    static constexpr int kRun = T.lanes_are_columns ? T.run : 1;
    static constexpr int kRuns = int(pieces_of(kLast + 1 - kFirst, kRun));
    static constexpr int kCellLanes = T.lanes_are_columns ? 1 : T.lanes;

    Lanes<X, kCellLanes> cell[kRuns * kRun];

    template <typename Image, typename Index>
    __device__ void read(const Image& image, const WindowPlace<S, T, Index>& place, bool inside, X outside) {
        const Index first = place.column * Index(S.stride[2]) + kFirst;
#pragma unroll
        for (int i = 0; i < kRuns; ++i) {
            const Index column = first + i * kRun;
            Lanes<X, kRun * kCellLanes> elements;
#pragma unroll
            for (int j = 0; j < kRun * kCellLanes; ++j) elements[j] = outside;
            if (inside && is_column<S>(column)) {
                if constexpr (T.lanes_are_columns) elements = image.template columns<kRun>(column);
                else elements = image.channels(place, column);
            }
#pragma unroll
            for (int j = 0; j < kRun * kCellLanes; ++j) cell[i * kRun + j / kCellLanes][j % kCellLanes] = elements[j];
        }
    }

    /// The values that tap `tap` of the outputs of the thread's place `c` reads.
    __device__ auto under(int c, int tap) const {
        const int shift = tap * int(S.dilation[2]) - int(S.pad[2]) - kFirst;
        Lanes<Compute<X>, T.lanes> values;
#pragma unroll
        for (int i = 0; i < T.lanes; ++i) {
            if constexpr (T.lanes_are_columns) values[i] = widened(cell[(c * T.lanes + i) * int(S.stride[2]) + shift][0]);
            else values[i] = widened(cell[c * int(S.stride[2]) + shift][i]);
        }
        return values;
    }
};

}  // namespace tenon
