// Inputs of an anchor that are computed from memory on their way in.
#pragma once

#include <tenon/epilogue.cuh>

namespace tenon {

/// An anchor's input that is computed from memory on its way in: elements declared T over the axes of D.
template <typename T, Domain D, typename Body>
struct Computed {
    Body body;
};
template <typename T, Domain D, typename Body>
__device__ inline Computed<T, D, Body> computed(Body body) {
    return {body};
}

/// Declared type of an input's elements.
template <typename X>
struct ElementOf;
template <typename T>
struct ElementOf<const T*> {
    using type = T;
};
template <typename T, Domain D, typename Body>
struct ElementOf<Computed<T, D, Body>> {
    using type = T;
};
/// What an element of the input is computed in.
template <typename X>
using ComputeIn = Compute<typename ElementOf<X>::type>;

/// N neighbouring elements from `offset` on: from memory, or computed, where the offset counts the points of the domain.
template <int N, typename T, typename Index>
__device__ inline Lanes<T, N> read_lanes(const T* from, Index offset) {
    return load_vector<N>(from + offset);
}
template <int N, typename T, Domain D, typename Body, typename Index>
__device__ inline Lanes<T, N> read_lanes(const Computed<T, D, Body>& from, Index offset) {
    constexpr Index kColumns = Index(points_of(D.columns));
    return narrowed_lanes<T, N>(from.body(At<D, N>{offset / kColumns, offset % kColumns}));
}

template <typename X>
inline constexpr bool kIsInMemory = false;
template <typename T>
inline constexpr bool kIsInMemory<const T*> = true;

}  // namespace tenon
