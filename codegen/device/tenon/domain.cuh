// Where a value stands: rows times columns, both row-major over a few axes. Lanes lie along the last column axis.
#pragma once

#include <tenon/lanes.cuh>

namespace tenon {

inline constexpr int kMaxAxes = 8;

/// Points of a body. Extents end at the first 0.
struct Domain {
    int64 rows[kMaxAxes];
    int64 columns[kMaxAxes];
    bool wide;  ///< Offsets need 64 bits.
};

/// Elements an operand moves for one step along each axis of a Domain.
struct Strides {
    int64 row[kMaxAxes];
    int64 column[kMaxAxes];
};

__device__ constexpr int axes_of(const int64 (&extents)[kMaxAxes]) {
    int count = 0;
    while (count < kMaxAxes && extents[count] != 0) ++count;
    return count;
}

__device__ constexpr int64 points_of(const int64 (&extents)[kMaxAxes]) {
    int64 count = 1;
    for (int i = 0; i < axes_of(extents); ++i) count *= extents[i];
    return count;
}

template <bool kWide>
struct IndexOf {
    using type = int32;
};
template <>
struct IndexOf<true> {
    using type = int64;
};

/// N neighbouring points of domain D: a row, and the first of N columns.
template <Domain D, int N>
struct At {
    using Index = typename IndexOf<D.wide>::type;
    static constexpr Domain kDomain = D;
    static constexpr int kLanes = N;

    Index row;
    Index column;
};

/// Dot product of the coordinates of a linear index with strides; coordinates of axes that do not move are never computed.
template <typename Index, int kAxes>
__device__ inline Index offset_along(Index linear, const int64 (&extents)[kMaxAxes], const int64 (&strides)[kMaxAxes]) {
    Index offset = 0;
#pragma unroll
    for (int axis = kAxes - 1; axis >= 0; --axis) {
        const Index extent = Index(extents[axis]);
        const Index coordinate = axis == 0 ? linear : linear % extent;
        linear = axis == 0 ? linear : linear / extent;
        offset += coordinate * Index(strides[axis]);
    }
    return offset;
}

/// Elements from the start of an operand with strides S to the first lane.
template <Strides S, Domain D, int N>
__device__ inline auto offset_of(const At<D, N>& at) {
    using Index = typename At<D, N>::Index;
    constexpr int kRowAxes = axes_of(D.rows);
    constexpr int kColumnAxes = axes_of(D.columns);
    return offset_along<Index, kRowAxes>(at.row, D.rows, S.row) +
           offset_along<Index, kColumnAxes>(at.column, D.columns, S.column);
}

/// Offset in a tensor that is packed in domain order.
template <Domain D, int N>
__device__ inline auto packed_offset(const At<D, N>& at) {
    using Index = typename At<D, N>::Index;
    return at.row * Index(points_of(D.columns)) + at.column;
}

}  // namespace tenon
