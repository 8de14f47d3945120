// A few neighbouring elements in registers, computed together. Functions of one element are lifted to all lanes.
#pragma once

#include <tenon/arithmetic.cuh>

namespace tenon {

/// N values of the same kind side by side.
template <typename T, int N>
struct Lanes {
    using Value = T;
    static constexpr int kCount = N;

    T lane[N];

    __device__ T& operator[](int i) { return lane[i]; }
    __device__ const T& operator[](int i) const { return lane[i]; }
};

/// A single value as lanes.
template <typename T>
__device__ inline Lanes<T, 1> one_lane(T value) {
    return {{value}};
}

/// `function` of every lane.
template <typename T, int N, typename Function>
__device__ inline auto each(const Lanes<T, N>& a, Function function) {
    Lanes<decltype(function(a[0])), N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = function(a[i]);
    return result;
}

/// Lane i of lanes, or the value itself of a scalar.
template <typename T, int N>
__device__ inline T lane_of(const Lanes<T, N>& a, int i) {
    return a[i];
}
template <typename T>
__device__ inline T lane_of(T a, int) {
    return a;
}

template <typename T>
struct LaneTraits {
    using Value = T;
    static constexpr int kCount = 0;
};
template <typename T, int N>
struct LaneTraits<Lanes<T, N>> {
    using Value = T;
    static constexpr int kCount = N;
};

template <typename A, typename B>
inline constexpr int kLaneCount = LaneTraits<A>::kCount > LaneTraits<B>::kCount ? LaneTraits<A>::kCount : LaneTraits<B>::kCount;
/// At least one of the operands is lanes.
template <typename A, typename B>
concept SomeLanes = (kLaneCount<A, B> > 0);

/// `function` of neighbouring lanes; a scalar serves every lane.
template <typename A, typename B, typename Function>
__device__ inline auto each(const A& a, const B& b, Function function) {
    constexpr int N = kLaneCount<A, B>;
    Lanes<decltype(function(lane_of(a, 0), lane_of(b, 0))), N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = function(lane_of(a, i), lane_of(b, i));
    return result;
}

template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator+(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return add(x, y); });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator-(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return subtract(x, y); });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator*(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return multiply(x, y); });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator/(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x / y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator==(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x == y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator!=(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x != y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator>(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x > y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator>=(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x >= y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator<(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x < y; });
}
template <typename A, typename B>
    requires SomeLanes<A, B>
__device__ inline auto operator<=(const A& a, const B& b) {
    return each(a, b, [](auto x, auto y) { return x <= y; });
}
template <typename T, int N>
__device__ inline auto operator-(const Lanes<T, N>& a) {
    return each(a, [](auto x) { return negate(x); });
}

/// Converted to an element type by the rules of `narrowed`, then back to compute with.
template <typename T, typename From, int N>
__device__ inline auto cast(const Lanes<From, N>& a) {
    return each(a, [](auto x) { return widened(narrowed<T>(x)); });
}
template <typename T, typename From>
__device__ inline Compute<T> cast(From a) {
    return widened(narrowed<T>(a));
}

/// Rounded to the precision of a tensor that is declared as T but stays in registers.
template <typename T, typename A>
__device__ inline auto rounded(const A& a) {
    return cast<T>(a);
}
/// An integer result modulo the width of T.
template <typename T, typename A>
__device__ inline auto wrapped(const A& a) {
    return cast<T>(a);
}

}  // namespace tenon
