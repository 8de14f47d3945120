// Mean and variance of slices that are read batch by batch, and of slices that several blocks share.
#pragma once

#include <tenon/held.cuh>
#include <tenon/statistics.cuh>

namespace tenon {

/// The first element of every slice, to measure the others from: small numbers have digits to spare for a mean far from zero.
template <typename Slice, typename T, typename Load>
__device__ inline auto origin_of(const Slice& slice, const Held<Slice, T>&, Load load) {
    using Value = Compute<T>;
    Lanes<Value, Slice::kLanes> first = all_lanes_of<Value, Slice::kLanes>(0);
    if (slice.is_inside()) first = narrowed_lanes<Value, Slice::kLanes>(load(slice.place_of_statistic()));
    return Slice::first_of(first);
}

/// Mean and sum of squared deviations of what lies from `origin` on, in long slices: each batch by two passes in registers, then merged.
template <typename Slice, typename T, typename Load, typename Origin>
__device__ inline auto moments_of(const Slice& slice, Held<Slice, T>& held, Load load, const Origin& origin) {
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;
    Piece mean = all_lanes_of<Value, Slice::kLanes>(0), spread = mean;
    Value count = 0;
    for (typename Slice::Index batch = Slice::Split::first(); batch < Slice::Split::end(); ++batch) {
        held.load(batch, load);
        Piece sum = all_lanes_of<Value, Slice::kLanes>(0), squares = sum;
        Value fresh = 0;
        held.for_each([&](const Piece& value) {
            sum = sum + (value - origin);
            fresh += 1;
        });
        if (fresh == Value(0)) continue;
        const Piece batch_mean = sum * (Value(1) / fresh);
        held.for_each([&](const Piece& value) { squares = squares + square(value - origin - batch_mean); });
        const Value share = fresh / (count + fresh);
        const Piece difference = batch_mean - mean;
        mean = mean + difference * share;
        spread = spread + squares + square(difference) * (count * share);
        count += fresh;
    }
    Lanes<Moments<Value>, Slice::kLanes> parts;
#pragma unroll
    for (int i = 0; i < Slice::kLanes; ++i) parts[i] = {count, mean[i], spread[i]};
    return slice.template share<0>(parts, MergeMoments());
}

/// A member of a statistic that is a single value or lanes.
template <typename A, typename Member>
__device__ inline auto member(const A& statistic, Member of) {
    if constexpr (LaneTraits<A>::kCount > 0) return each(statistic, of);
    else return of(statistic);
}

/// Mean and sum of squared deviations of every split of every row of D: `finish(at, mean, spread)`. Output has splits as rows, rows of D as columns.
template <Domain D, Domain Output, RowTile T, typename Element, typename Load, typename Finish>
__device__ inline void gather_moments_of_rows(Load load, Finish finish) {
    using Slice = RowSlice<D, T>;
    const Slice slice;
    Held<Slice, Element> held(slice);
    const auto origin = origin_of(slice, held, load);
    const auto moments = moments_of(slice, held, load, origin);
    using Place = At<Output, 1>;
    using Index = typename Place::Index;
    if (!slice.leads()) return;
    finish(Place{T.splits > 1 ? Index(block_index_y()) : 0, Index(slice.row)}, one_lane(origin + moments.mean), one_lane(moments.spread));
}

/// The same for the columns of D.
template <Domain D, Domain Output, ColumnTile T, typename Element, typename Load, typename Finish>
__device__ inline void gather_moments_of_columns(Load load, Finish finish) {
    using Slice = ColumnSlice<D, T>;
    const Slice slice;
    Held<Slice, Element> held(slice);
    const auto origin = origin_of(slice, held, load);
    const auto moments = moments_of(slice, held, load, origin);
    using Value = Compute<Element>;
    using Place = At<Output, T.lanes>;
    using Index = typename Place::Index;
    if (!slice.leads()) return;
    finish(Place{T.splits > 1 ? Index(block_index_y()) : 0, Index(slice.column)}, origin + each(moments, [](const Moments<Value>& m) { return m.mean; }),
           each(moments, [](const Moments<Value>& m) { return m.spread; }));
}

/// How many elements are behind the parts that are rows of a domain: `neighbours` parts belong to each split, every split but the last has seen
/// `each` elements per neighbour, all together `all`.
struct PartCounts {
    int64 neighbours;
    int64 each;
    int64 all;

    __device__ constexpr int64 operator()(int64 row) const {
        const int64 before = row / neighbours * each;
        return all - before < each ? all - before : each;
    }
};

/// Merges the moments in the rows of D, `load(at)` gives a mean and `load_spread(at)` its spread, into a statistic per column:
/// `finish(at, mean, variance)`, with the biased variance.
template <Domain D, Domain Output, ColumnTile T, PartCounts kCounts, typename Element, typename Load, typename LoadSpread, typename Finish>
__device__ inline void merge_moments(Load load, LoadSpread load_spread, Finish finish) {
    using Slice = ColumnSlice<D, T>;
    using Value = Compute<Element>;
    const Slice slice;
    Lanes<Moments<Value>, T.lanes> parts = all_lanes_of<Moments<Value>, T.lanes>({0, 0, 0});
    Lanes<Value, T.lanes> origin = all_lanes_of<Value, T.lanes>(0);
    if (slice.is_inside()) origin = narrowed_lanes<Value, T.lanes>(load(slice.place_of_statistic()));
    for (typename Slice::Index batch = 0; batch < Slice::kBatches; ++batch) {
#pragma unroll
        for (int i = 0; i < T.pieces; ++i) {
            if (!slice.holds(batch, i)) continue;
            const auto at = slice.at(batch, i);
            const auto mean = load(at), spread = load_spread(at);
#pragma unroll
            for (int lane = 0; lane < T.lanes; ++lane) {
                parts[lane] = MergeMoments()(parts[lane], Moments<Value>{Value(kCounts(at.row)), lane_of(mean, lane) - origin[lane], lane_of(spread, lane)});
            }
        }
    }
    const auto whole = slice.template share<0>(parts, MergeMoments());
    using Place = At<Output, T.lanes>;
    using Index = typename Place::Index;
    if (!slice.leads()) return;
    finish(Place{0, Index(slice.column)}, origin + each(whole, [](const Moments<Value>& m) { return m.mean; }),
           each(whole, [](const Moments<Value>& m) { return m.spread / m.count; }));
}

/// A running statistic after one more batch.
template <typename Running, typename Batch, typename Momentum>
__device__ inline auto blended(const Running& running, const Batch& batch, const Momentum& momentum) {
    using Value = typename LaneTraits<Batch>::Value;
    return running * (Value(1) - Value(momentum)) + batch * Value(momentum);
}

}  // namespace tenon
