// Reductions of rows or columns: every thread takes its elements into a part, the parts of a statistic are merged in a fixed order.
#pragma once

#include <tenon/held.cuh>
#include <tenon/statistics.cuh>

namespace tenon {

/// What sums are gathered in: float for what is computed in float, 64 bits for integers.
template <typename T>
struct SumOf {
    using type = int64;
};
template <>
struct SumOf<float> {
    using type = float;
};
template <>
struct SumOf<double> {
    using type = double;
};

/// A number and where it was found; nothing yet if `at` is negative.
template <typename T>
struct Found {
    T value;
    int64 at;
};

// A reduction says what a thread gathers (Part), how an element is taken in, how two parts become one, and the result of `count` elements.

struct Sum {
    template <typename T>
    using Part = typename SumOf<T>::type;
    template <typename T>
    __device__ static Part<T> start() { return 0; }
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return add(part, P(value)); }
    template <typename P>
    __device__ static P merge(P a, P b) { return add(a, b); }
    template <typename P>
    __device__ static P result(P part, int64) { return part; }
};

struct Mean : Sum {
    template <typename P>
    __device__ static P result(P part, int64 count) { return part / P(count); }
};

struct SumOfMagnitudes : Sum {
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return add(part, abs(P(value))); }
};

/// Square root of the sum of squares.
struct EuclideanNorm : Sum {
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return add_square(part, P(value)); }
    template <typename P>
    __device__ static P result(P part, int64) {
        if constexpr (kIsFloating<P>) return sqrt_of(part);
        else return P(sqrt_of(double(part)));
    }
};

struct Product : Sum {
    template <typename T>
    __device__ static Part<T> start() { return 1; }
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return multiply(part, P(value)); }
    template <typename P>
    __device__ static P merge(P a, P b) { return multiply(a, b); }
};

struct LargestMagnitude : Sum {
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return maximum(part, abs(P(value))); }
    template <typename P>
    __device__ static P merge(P a, P b) { return maximum(a, b); }
};

struct Largest : Sum {
    template <typename T>
    __device__ static Part<T> start() {
        if constexpr (kIsFloating<T>) return -T(kInfinity);
        else return Limits<int64>::kLowest;
    }
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return maximum(part, P(value)); }
    template <typename P>
    __device__ static P merge(P a, P b) { return maximum(a, b); }
};

struct Smallest : Sum {
    template <typename T>
    __device__ static Part<T> start() {
        if constexpr (kIsFloating<T>) return T(kInfinity);
        else return Limits<int64>::kHighest;
    }
    template <typename P, typename T>
    __device__ static P take(P part, T value, int64) { return minimum(part, P(value)); }
    template <typename P>
    __device__ static P merge(P a, P b) { return minimum(a, b); }
};

/// Where the largest (or smallest) element is; NaN beats all others, the first of equals wins.
template <bool kGreatest>
struct PlaceOfExtreme {
    template <typename T>
    using Part = Found<T>;
    template <typename T>
    __device__ static Found<T> start() { return {T(0), -1}; }
    template <typename T>
    __device__ static Found<T> merge(Found<T> a, Found<T> b) {
        if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
        const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
        if (a_is_nan != b_is_nan) return a_is_nan ? a : b;
        if (a_is_nan || a.value == b.value) return a.at < b.at ? a : b;
        return (a.value > b.value) == kGreatest ? a : b;
    }
    template <typename T>
    __device__ static Found<T> take(Found<T> part, T value, int64 at) { return merge(part, Found<T>{value, at}); }
    template <typename T>
    __device__ static int64 result(Found<T> part, int64) { return part.at; }
};
using PlaceOfLargest = PlaceOfExtreme<true>;
using PlaceOfSmallest = PlaceOfExtreme<false>;

/// The first of two steps: the part itself is the result.
template <typename Reduction>
struct FirstStep : Reduction {
    template <typename P>
    __device__ static P result(P part, int64) { return part; }
};

/// The second: the elements are parts, of kCount elements in all.
template <typename Reduction, int64 kCount>
struct SecondStep : Reduction {
    template <typename P>
    __device__ static P take(P part, P other, int64) { return Reduction::merge(part, other); }
    template <typename P>
    __device__ static P result(P part, int64) { return Reduction::result(part, kCount); }
};

/// A result in the type that elements of T are computed in; floats are rounded where they are stored.
template <typename T, typename P>
__device__ inline Compute<T> converted(P result) {
    if constexpr (kIsFloating<P> && kIsFloating<Compute<T>>) return Compute<T>(result);
    else return widened(narrowed<T>(result));
}

/// The statistic of a slice, or of a split of it, merged over the threads that share it.
template <typename Reduction, typename Element, typename Slice, typename Load>
__device__ inline auto reduce(const Slice& slice, Load load) {
    using Value = Compute<Element>;
    using Part = typename Reduction::template Part<Value>;
    using Index = typename Slice::Index;
    Held<Slice, Element> held(slice);
    Lanes<Part, Slice::kLanes> parts;
#pragma unroll
    for (int lane = 0; lane < Slice::kLanes; ++lane) parts[lane] = Reduction::template start<Value>();
    for (Index batch = Slice::Split::first(); batch < Slice::Split::end(); ++batch) {
        held.load(batch, load);
#pragma unroll
        for (int i = 0; i < Slice::kPieces; ++i) {
            if (!slice.holds(batch, i)) continue;
            const auto value = held.value(i);
#pragma unroll
            for (int lane = 0; lane < Slice::kLanes; ++lane) {
                parts[lane] = Reduction::take(parts[lane], value[lane], slice.number_of_element(batch, i, lane));
            }
        }
    }
    return slice.template share<0>(parts, [](const Part& a, const Part& b) { return Reduction::merge(a, b); });
}

/// Reduces every row of D to a point of Output, whose columns count the rows of D (and whose rows count the splits). `load(at)` gives elements, of
/// which Element holds all there is to know; `finish(at, value)` receives the results as Result is computed.
template <Domain D, Domain Output, RowTile T, typename Element, typename Result, typename Reduction, typename Load, typename Finish>
__device__ inline void reduce_rows(Reduction, Load load, Finish finish) {
    using Slice = RowSlice<D, T>;
    const Slice slice;
    const auto part = reduce<Reduction, Element>(slice, load);
    using Place = At<Output, 1>;
    using Index = typename Place::Index;
    if (!slice.leads()) return;
    finish(Place{T.splits > 1 ? Index(block_index_y()) : 0, Index(slice.row)}, one_lane(converted<Result>(Reduction::result(part, Slice::kCount))));
}

/// The same for the columns of D, `lanes` at a time.
template <Domain D, Domain Output, ColumnTile T, typename Element, typename Result, typename Reduction, typename Load, typename Finish>
__device__ inline void reduce_columns(Reduction, Load load, Finish finish) {
    using Slice = ColumnSlice<D, T>;
    const Slice slice;
    const auto parts = reduce<Reduction, Element>(slice, load);
    using Place = At<Output, T.lanes>;
    using Index = typename Place::Index;
    if (!slice.leads()) return;
    finish(Place{T.splits > 1 ? Index(block_index_y()) : 0, Index(slice.column)},
           each(parts, [](const auto& part) { return converted<Result>(Reduction::result(part, Slice::kCount)); }));
}

}  // namespace tenon
