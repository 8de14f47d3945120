// The words of kernel bodies. Each load states how its operand is broadcast over the domain, so that an axis is never guessed.
#pragma once

#include <tenon/domain.cuh>
#include <tenon/memory.cuh>
#include <tenon/pointwise.cuh>

namespace tenon {

/// N elements from memory, as values to compute with.
template <int N, typename T>
__device__ inline Lanes<Compute<T>, N> load_lanes(const T* from) {
    const Lanes<T, N> raw = load_vector<N>(from);
    return each(raw, [](auto element) { return widened(element); });
}

/// N elements that lie `stride` apart.
template <int N, typename T>
__device__ inline Lanes<Compute<T>, N> gather_lanes(const T* from, int64 stride) {
    Lanes<Compute<T>, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = widened(load_element(from + i * stride));
    return result;
}

template <typename T, int N, typename A>
__device__ inline Lanes<T, N> narrowed_lanes(const A& value) {
    Lanes<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = narrowed<T>(lane_of(value, i));
    return result;
}

/// One element for every point, packed like the domain.
template <typename T, Domain D, int N>
__device__ inline auto per_element(const T* from, const At<D, N>& at) {
    return load_lanes<N>(from + packed_offset(at));
}

/// One element for every column, the same in all rows.
template <typename T, Domain D, int N>
__device__ inline auto per_column(const T* from, const At<D, N>& at) {
    return load_lanes<N>(from + at.column);
}

/// One element for every channel; channels are the columns of the domain.
template <typename T, Domain D, int N>
__device__ inline auto per_channel(const T* from, const At<D, N>& at) {
    return per_column(from, at);
}

/// One element for every row.
template <typename T, Domain D, int N>
__device__ inline Compute<T> per_row(const T* from, const At<D, N>& at) {
    return widened(load_element(from + at.row));
}

/// One element for all points.
template <typename T, Domain D, int N>
__device__ inline Compute<T> scalar(const T* from, const At<D, N>&) {
    return widened(load_element(from));
}

/// Any other broadcast or layout: an element at the strides S.
template <Strides S, typename T, Domain D, int N>
__device__ inline auto strided(const T* from, const At<D, N>& at) {
    constexpr int64 kStep = S.column[axes_of(D.columns) - 1];
    const T* first = from + offset_of<S>(at);
    if constexpr (kStep == 0) {
        return widened(load_element(first));
    } else if constexpr (kStep == 1) {
        return load_lanes<N>(first);
    } else {
        return gather_lanes<N>(first, kStep);
    }
}

/// The coordinate along the axis whose stride in S is 1.
template <Strides S, Domain D, int N>
__device__ inline Lanes<int32, N> coordinate(const At<D, N>& at) {
    constexpr int32 kStep = int32(S.column[axes_of(D.columns) - 1]);
    Lanes<int32, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = int32(offset_of<S>(at)) + i * kStep;
    return result;
}

/// Writes a value for every point, packed like the domain.
template <typename T, Domain D, int N, typename A>
__device__ inline void store(T* to, const At<D, N>& at, const A& value) {
    store_vector<N>(to + packed_offset(at), narrowed_lanes<T, N>(value));
}

/// Writes one value for the row, at the row strides S.
template <Strides S, typename T, Domain D, int N, typename A>
__device__ inline void store_per_row(T* to, const At<D, N>& at, A value) {
    using Index = typename At<D, N>::Index;
    store_element(to + offset_along<Index, axes_of(D.rows)>(at.row, D.rows, S.row), narrowed<T>(value));
}

/// Writes a value for every point at the strides S.
template <Strides S, typename T, Domain D, int N, typename A>
__device__ inline void store_strided(T* to, const At<D, N>& at, const A& value) {
    constexpr int64 kStep = S.column[axes_of(D.columns) - 1];
    T* first = to + offset_of<S>(at);
    const Lanes<T, N> elements = narrowed_lanes<T, N>(value);
    if constexpr (kStep == 1) {
        store_vector<N>(first, elements);
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) store_element(first + i * kStep, elements[i]);
    }
}

/// Writes each lane's value `kTimes` times in a row, from the strides S on.
template <Strides S, int kTimes, typename T, Domain D, int N, typename A>
__device__ inline void store_repeated(T* to, const At<D, N>& at, const A& value) {
    constexpr int64 kStep = S.column[axes_of(D.columns) - 1];
    T* first = to + offset_of<S>(at);
    const Lanes<T, N> elements = narrowed_lanes<T, N>(value);
#pragma unroll
    for (int i = 0; i < N * kTimes; ++i) store_element(first + i / kTimes * kStep + i % kTimes, elements[i / kTimes]);
}

}  // namespace tenon
