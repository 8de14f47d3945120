// What is known about a set of numbers after looking at them, and how two such findings become one.
#pragma once

#include <tenon/pointwise.cuh>

namespace tenon {

struct Plus {
    template <typename T>
    __device__ T operator()(T a, T b) const { return add(a, b); }
};

struct Larger {
    template <typename T>
    __device__ T operator()(T a, T b) const { return maximum(a, b); }
};

/// Sum of numbers and of their squares.
template <typename T>
struct Sums {
    T linear;
    T square;
};

struct PlusSums {
    template <typename T>
    __device__ Sums<T> operator()(Sums<T> a, Sums<T> b) const { return {a.linear + b.linear, a.square + b.square}; }
};

/// Count, mean and sum of squared deviations.
template <typename T>
struct Moments {
    T count;
    T mean;
    T spread;
};

/// Chan's formula: no difference of large squares, so a mean far from zero costs no digits.
struct MergeMoments {
    template <typename T>
    __device__ Moments<T> operator()(Moments<T> a, Moments<T> b) const {
        const T count = a.count + b.count;
        if (count == T(0)) return a;
        const T share = b.count / count;
        const T difference = b.mean - a.mean;
        return {count, a.mean + difference * share, a.spread + b.spread + difference * difference * (a.count * share)};
    }
};

/// Largest number, and the sum of exp(number - largest).
template <typename T>
struct ExpSum {
    T largest;
    T sum;
};

struct MergeExpSums {
    template <typename T>
    __device__ static T scaled(ExpSum<T> part, T largest) {
        return part.largest == largest ? part.sum : part.sum * exp_of(part.largest - largest);
    }
    template <typename T>
    __device__ ExpSum<T> operator()(ExpSum<T> a, ExpSum<T> b) const {
        const T largest = maximum(a.largest, b.largest);
        return {largest, scaled(a, largest) + scaled(b, largest)};
    }
};

}  // namespace tenon
