// The elements of a slice in a thread's registers.
#pragma once

#include <tenon/slices.cuh>

namespace tenon {

/// What one thread holds of its slice: elements of type T, which loses nothing if the values are rounded to it anyway.
template <typename Slice, typename T>
struct Held {
    using Index = typename Slice::Index;
    using Value = Compute<T>;
    using Piece = Lanes<Value, Slice::kLanes>;

    const Slice& slice;
    Index batch = 0;
    Lanes<T, Slice::kLanes> piece[Slice::kPieces];

    __device__ explicit Held(const Slice& of) : slice(of) {}

    template <typename Load>
    __device__ void load(Index from_batch, Load load) {
        batch = from_batch;
#pragma unroll
        for (int i = 0; i < Slice::kPieces; ++i) {
            if (slice.holds(batch, i)) piece[i] = narrowed_lanes<T, Slice::kLanes>(load(slice.at(batch, i)));
        }
    }
    __device__ Piece value(int i) const {
        return each(piece[i], [](T element) { return widened(element); });
    }
    /// Calls `visit(value)` for every piece this thread holds.
    template <typename Visit>
    __device__ void for_each(Visit visit) const {
#pragma unroll
        for (int i = 0; i < Slice::kPieces; ++i) {
            if (slice.holds(batch, i)) visit(value(i));
        }
    }
    /// Hands every element on: `finish(at, result)`, or `finish(at, result, value)` if it wants the value the norm has read.
    template <typename Result, typename Finish>
    __device__ void finish(Result result, Finish finish) const {
#pragma unroll
        for (int i = 0; i < Slice::kPieces; ++i) {
            if (!slice.holds(batch, i)) continue;
            const auto at = slice.at(batch, i);
            if constexpr (requires { finish(at, result(value(i)), value(i)); }) {
                finish(at, result(value(i)), value(i));
            } else {
                finish(at, result(value(i)));
            }
        }
    }
};

template <typename T, int N>
__device__ inline Lanes<T, N> all_lanes_of(T value) {
    Lanes<T, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = value;
    return result;
}

}  // namespace tenon
