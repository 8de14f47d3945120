// How the direct family reads: by coordinates, from memory or computed from memory on the way in.
#pragma once

#include <tenon/computed.cuh>
#include <tenon/elementwise.cuh>

namespace tenon {

/// Coordinates of an output element in the order of the tensor's axes.
struct Point {
    int64 axis[kMaxAxes];
};

/// The domain of the direct family keeps every axis: rows are all axes but the last.
template <Domain D, int N>
__device__ inline Point point_of(const At<D, N>& at) {
    constexpr int kRowAxes = axes_of(D.rows);
    Point point{};
    int64 rest = at.row;
#pragma unroll
    for (int i = kRowAxes - 1; i >= 0; --i) {
        point.axis[i] = rest % D.rows[i];
        rest /= D.rows[i];
    }
    point.axis[kRowAxes] = at.column;
    return point;
}

/// A tensor an anchor reads.
struct Source {
    int rank;
    int64 dims[kMaxAxes];
    int64 strides[kMaxAxes];
};

/// The coordinates of an element of an anchor's input, in a domain that keeps every axis. The words of kernel bodies read
/// there as they do at lanes.
template <Domain D>
struct PointIn {
    Point point;
};

template <Domain D>
__device__ inline int64 row_of(const PointIn<D>& at) {
    int64 row = 0;
    for (int i = 0; i < axes_of(D.rows); ++i) row = row * D.rows[i] + at.point.axis[i];
    return row;
}
template <Domain D>
__device__ inline int64 column_of(const PointIn<D>& at) {
    return at.point.axis[axes_of(D.rows)];
}
template <Strides S, Domain D>
__device__ inline int64 offset_of(const PointIn<D>& at) {
    int64 offset = column_of(at) * S.column[0];
    for (int i = 0; i < axes_of(D.rows); ++i) offset += at.point.axis[i] * S.row[i];
    return offset;
}

template <typename T, Domain D>
__device__ inline auto per_element(const T* from, const PointIn<D>& at) {
    return load_lanes<1>(from + row_of(at) * D.columns[0] + column_of(at));
}
template <typename T, Domain D>
__device__ inline auto per_column(const T* from, const PointIn<D>& at) {
    return load_lanes<1>(from + column_of(at));
}
template <typename T, Domain D>
__device__ inline Compute<T> per_row(const T* from, const PointIn<D>& at) {
    return widened(load_element(from + row_of(at)));
}
template <typename T, Domain D>
__device__ inline Compute<T> scalar(const T* from, const PointIn<D>&) {
    return widened(load_element(from));
}
template <Strides S, typename T, Domain D>
__device__ inline auto strided(const T* from, const PointIn<D>& at) {
    if constexpr (S.column[0] == 0) return widened(load_element(from + offset_of<S>(at)));
    else return load_lanes<1>(from + offset_of<S>(at));
}
template <Strides S, Domain D>
__device__ inline Lanes<int32, 1> coordinate(const PointIn<D>& at) {
    return one_lane(int32(offset_of<S>(at)));
}

/// The element of an input at `point`: from memory, or computed.
template <Source S, typename T>
__device__ inline Compute<T> read(const T* from, const Point& point) {
    int64 offset = 0;
#pragma unroll
    for (int i = 0; i < S.rank; ++i) offset += point.axis[i] * S.strides[i];
    return widened(load_element(from + offset));
}
template <Source S, typename T, Domain D, typename Body>
__device__ inline Compute<T> read(const Computed<T, D, Body>& from, const Point& point) {
    return Compute<T>(lane_of(from.body(PointIn<D>{point}), 0));
}

}  // namespace tenon
