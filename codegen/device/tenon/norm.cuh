// Norms and softmax: statistics of rows or columns, then every element once more. Short rows stay in registers between the two, long ones are
// read twice.
#pragma once

#include <tenon/moments.cuh>

namespace tenon {

/// (x - mean) / sqrt(variance + epsilon), with the biased variance.
struct LayerNorm {
    double epsilon;
};
/// x / sqrt(mean(x^2) + epsilon).
struct RmsNorm {
    double epsilon;
};
/// exp(x - max) / sum(exp(x - max)).
struct Softmax {};
/// x - max - log(sum(exp(x - max))).
struct LogSoftmax {};

/// Calls `finish` for every element of a slice that is read once more.
template <typename Slice, typename T, typename Load, typename Result, typename Finish>
__device__ inline void finish_all(Held<Slice, T>& held, Load load, Result result, Finish finish) {
    if constexpr (Slice::kBatches == 1) {
        held.finish(result, finish);
    } else {
        for (typename Slice::Index batch = 0; batch < Slice::kBatches; ++batch) {
            held.load(batch, load);
            held.finish(result, finish);
        }
    }
}

template <typename Slice, typename T, typename Load, typename Finish, typename Report>
__device__ inline void normalize(LayerNorm norm, const Slice& slice, Held<Slice, T>& held, Load load, Finish finish, Report report) {
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;
    constexpr Value kShare = Value(1.0 / double(Slice::kCount));
    if constexpr (Slice::kBatches == 1) {
        held.load(0, load);
        Piece sum = all_lanes_of<Value, Slice::kLanes>(0);
        held.for_each([&](const Piece& value) { sum = sum + value; });
        const auto mean = slice.template share<0>(sum, Plus()) * kShare;
        // The mean is rounded; what the deviations then sum to is the rest of it.
        Lanes<Sums<Value>, Slice::kLanes> parts = all_lanes_of<Sums<Value>, Slice::kLanes>({0, 0});
        held.for_each([&](const Piece& value) {
            const Piece deviation = value - mean;
#pragma unroll
            for (int i = 0; i < Slice::kLanes; ++i) parts[i] = PlusSums()(parts[i], {deviation[i], deviation[i] * deviation[i]});
        });
        const auto sums = slice.template share<1>(parts, PlusSums());
        const auto rest = member(sums, [](const Sums<Value>& s) { return s.linear; }) * kShare;
        const auto variance = maximum(member(sums, [](const Sums<Value>& s) { return s.square; }) * kShare - rest * rest, Value(0));
        const auto inverse_deviation = rsqrt(variance + Value(norm.epsilon));
        finish_all(held, load, [=](const Piece& value) { return (value - mean - rest) * inverse_deviation; }, finish);
        if (slice.leads()) report(slice.place_of_statistic(), mean + rest, inverse_deviation);
    } else {
        const auto origin = origin_of(slice, held, load);
        const auto moments = moments_of(slice, held, load, origin);
        const auto mean = member(moments, [](const Moments<Value>& m) { return m.mean; });
        const auto variance = member(moments, [](const Moments<Value>& m) { return m.spread; }) * kShare;
        const auto inverse_deviation = rsqrt(variance + Value(norm.epsilon));
        finish_all(held, load, [=](const Piece& value) { return (value - origin - mean) * inverse_deviation; }, finish);
        if (slice.leads()) report(slice.place_of_statistic(), origin + mean, inverse_deviation);
    }
}

template <typename Slice, typename T, typename Load, typename Finish, typename Report>
__device__ inline void normalize(RmsNorm norm, const Slice& slice, Held<Slice, T>& held, Load load, Finish finish, Report report) {
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;
    Piece squares = all_lanes_of<Value, Slice::kLanes>(0);
    for (typename Slice::Index batch = 0; batch < Slice::kBatches; ++batch) {
        held.load(batch, load);
        held.for_each([&](const Piece& value) { squares = squares + square(value); });
    }
    const auto mean_square = slice.template share<0>(squares, Plus()) * Value(1.0 / double(Slice::kCount));
    const auto inverse_deviation = rsqrt(mean_square + Value(norm.epsilon));
    finish_all(held, load, [=](const Piece& value) { return value * inverse_deviation; }, finish);
    if (slice.leads()) report(slice.place_of_statistic(), inverse_deviation);
}

/// Largest element, and the sum of the exponentials of the differences to it.
template <typename Slice, typename T, typename Load>
__device__ inline auto exp_sum_of(const Slice& slice, Held<Slice, T>& held, Load load) {
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;
    const Piece nothing = all_lanes_of<Value, Slice::kLanes>(Value(-kInfinity));
    Piece largest = nothing, sum = all_lanes_of<Value, Slice::kLanes>(0);
    for (typename Slice::Index batch = 0; batch < Slice::kBatches; ++batch) {
        held.load(batch, load);
        Piece before = largest;
        held.for_each([&](const Piece& value) { largest = maximum(largest, value); });
        // Where all so far is -infinity there is nothing to add: the difference would be NaN.
        sum = select(before == largest, sum, sum * exp(before - largest));
        held.for_each([&](const Piece& value) { sum = sum + select(largest == nothing, Value(0), exp(value - largest)); });
    }
    Lanes<ExpSum<Value>, Slice::kLanes> parts;
#pragma unroll
    for (int i = 0; i < Slice::kLanes; ++i) parts[i] = {largest[i], sum[i]};
    return slice.template share<0>(parts, MergeExpSums());
}

template <bool kLog, typename Slice, typename T, typename Load, typename Finish>
__device__ inline void softmax(const Slice& slice, Held<Slice, T>& held, Load load, Finish finish) {
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;
    const auto whole = exp_sum_of(slice, held, load);
    const auto largest = member(whole, [](const ExpSum<Value>& e) { return e.largest; });
    const auto sum = member(whole, [](const ExpSum<Value>& e) { return e.sum; });
    if constexpr (kLog) {
        const auto logarithm = log(sum);
        finish_all(held, load, [=](const Piece& value) { return value - largest - logarithm; }, finish);
    } else {
        const auto share = reciprocal(sum);
        finish_all(held, load, [=](const Piece& value) { return exp(value - largest) * share; }, finish);
    }
}

template <typename Slice, typename T, typename Load, typename Finish, typename Report>
__device__ inline void normalize(Softmax, const Slice& slice, Held<Slice, T>& held, Load load, Finish finish, Report) {
    softmax<false>(slice, held, load, finish);
}
template <typename Slice, typename T, typename Load, typename Finish, typename Report>
__device__ inline void normalize(LogSoftmax, const Slice& slice, Held<Slice, T>& held, Load load, Finish finish, Report) {
    softmax<true>(slice, held, load, finish);
}

/// For norms whose statistics nobody wants.
struct NoReport {
    template <typename... All>
    __device__ void operator()(All...) const {}
};

/// Normalises every row of D. `load(at)` gives the elements, of which T holds all there is to know; `finish(at, value[, element])` receives the
/// results; `report(at, [mean,] inverse_deviation)` the statistics, once per row.
template <Domain D, RowTile T, typename Element, typename Norm, typename Load, typename Finish, typename Report = NoReport>
__device__ inline void normalize_rows(Norm norm, Load load, Finish finish, Report report = {}) {
    const RowSlice<D, T> slice;
    Held<RowSlice<D, T>, Element> held(slice);
    normalize(norm, slice, held, load, finish, report);
}

/// The same for the columns of D; statistics are lanes.
template <Domain D, ColumnTile T, typename Element, typename Norm, typename Load, typename Finish, typename Report = NoReport>
__device__ inline void normalize_columns(Norm norm, Load load, Finish finish, Report report = {}) {
    const ColumnSlice<D, T> slice;
    Held<ColumnSlice<D, T>, Element> held(slice);
    normalize(norm, slice, held, load, finish, report);
}

}  // namespace tenon
