// Elements and vectors of elements in global memory.
#pragma once

#include <tenon/lanes.cuh>

namespace tenon {

template <int kBytes>
struct Word;
template <>
struct Word<1> {
    using type = uint8;
};
template <>
struct Word<2> {
    using type = uint16;
};
template <>
struct Word<4> {
    using type = uint32;
};
template <>
struct Word<8> {
    using type = uint64;
};
/// 16 bytes as one register quadruple.
struct alignas(16) Quad {
    uint32 part[4];
};
template <>
struct Word<16> {
    using type = Quad;
};

template <typename T>
__device__ inline T load_element(const T* from) {
    using Raw = typename Word<sizeof(T)>::type;
    return bit_cast<T>(load_global(reinterpret_cast<const Raw*>(from)));
}

template <typename T>
__device__ inline void store_element(T* to, T value) {
    using Raw = typename Word<sizeof(T)>::type;
    store_global(reinterpret_cast<Raw*>(to), bit_cast<Raw>(value));
}

/// N neighbouring elements in accesses of at most 16 bytes; `from` is aligned to the access.
template <int N, typename T>
__device__ inline Lanes<T, N> load_vector(const T* from) {
    constexpr int kBytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
    constexpr int kAccesses = N * sizeof(T) / kBytes;
    using Raw = typename Word<kBytes>::type;
    struct Pieces {
        Raw piece[kAccesses];
    } pieces;
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) pieces.piece[i] = load_global(reinterpret_cast<const Raw*>(from) + i);
    return bit_cast<Lanes<T, N>>(pieces);
}

template <int N, typename T>
__device__ inline void store_vector(T* to, const Lanes<T, N>& value) {
    constexpr int kBytes = N * sizeof(T) < 16 ? N * sizeof(T) : 16;
    constexpr int kAccesses = N * sizeof(T) / kBytes;
    using Raw = typename Word<kBytes>::type;
    struct Pieces {
        Raw piece[kAccesses];
    };
    const Pieces pieces = bit_cast<Pieces>(value);
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) store_global(reinterpret_cast<Raw*>(to) + i, pieces.piece[i]);
}

}  // namespace tenon
