// Sums that several blocks share: each has written its part, the parts are added in order.
#pragma once

#include <tenon/elementwise.cuh>

namespace tenon {

/// The sum of kParts values, each part packed like the domain and one behind the other.
template <int kParts, typename T, Domain D, int N>
__device__ inline Lanes<Compute<T>, N> sum_of_parts(const T* from, const At<D, N>& at) {
    using Index = typename At<D, N>::Index;
    constexpr Index kPoints = Index(points_of(D.rows) * points_of(D.columns));
    auto sum = load_lanes<N>(from + packed_offset(at));
#pragma unroll
    for (int part = 1; part < kParts; ++part) sum = sum + load_lanes<N>(from + part * kPoints + packed_offset(at));
    return sum;
}

}  // namespace tenon
