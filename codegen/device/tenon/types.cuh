// Element types and how each is computed: half and bfloat16 in float, small integers in int32, the rest as themselves.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

/// IEEE binary16, stored as its bits.
struct half {
    uint16 bits;
};

/// The upper half of a float, stored as its bits.
struct bfloat16 {
    uint16 bits;
};

__device__ inline float to_float(half value) { return half_bits_to_float(value.bits); }
__device__ inline float to_float(bfloat16 value) { return bit_cast<float>(uint32(value.bits) << 16); }

template <typename T>
struct ComputeOf {
    using type = T;
};
template <>
struct ComputeOf<half> {
    using type = float;
};
template <>
struct ComputeOf<bfloat16> {
    using type = float;
};
template <>
struct ComputeOf<int8> {
    using type = int32;
};
template <>
struct ComputeOf<uint8> {
    using type = int32;
};

/// The type in which elements of T are computed.
template <typename T>
using Compute = typename ComputeOf<T>::type;

/// An element as a value to compute with; exact.
template <typename T>
__device__ inline Compute<T> widened(T value) {
    return Compute<T>(value);
}
__device__ inline float widened(half value) { return to_float(value); }
__device__ inline float widened(bfloat16 value) { return to_float(value); }

/// Limits of the integer types, for saturation.
template <typename T>
struct Limits;
template <>
struct Limits<int8> {
    static constexpr int64 kLowest = -128, kHighest = 127;
};
template <>
struct Limits<uint8> {
    static constexpr int64 kLowest = 0, kHighest = 255;
};
template <>
struct Limits<int32> {
    static constexpr int64 kLowest = -2147483647ll - 1, kHighest = 2147483647ll;
};
template <>
struct Limits<int64> {
    static constexpr int64 kLowest = -9223372036854775807ll - 1, kHighest = 9223372036854775807ll;
};

/// Converts a computed value to an element: floats round to nearest even; float to integer rounds to nearest even,
/// saturates, and NaN becomes 0; integers wrap; anything but zero is true.
template <typename T>
struct Narrow {
    template <typename From>
    __device__ static T of(From value) {
        return T(value);
    }
    __device__ static T of(float value) { return of(double(value)); }
    __device__ static T of(double value) {
        if (value != value) return T(0);
        const double rounded = round_even(value);
        if (rounded <= double(Limits<T>::kLowest)) return T(Limits<T>::kLowest);
        if (rounded >= double(Limits<T>::kHighest)) return T(Limits<T>::kHighest);
        return T(int64(rounded));
    }
};
template <>
struct Narrow<float> {
    template <typename From>
    __device__ static float of(From value) {
        return float(value);
    }
};
template <>
struct Narrow<double> {
    template <typename From>
    __device__ static double of(From value) {
        return double(value);
    }
};
template <>
struct Narrow<bool> {
    template <typename From>
    __device__ static bool of(From value) {
        return value != From(0);
    }
};
template <>
struct Narrow<half> {
    template <typename From>
    __device__ static half of(From value) {
        return {float_to_half_bits(float(value))};
    }
    __device__ static half of(double value) { return {double_to_half_bits(value)}; }
};
template <>
struct Narrow<bfloat16> {
    template <typename From>
    __device__ static bfloat16 of(From value) {
        return {float_to_bfloat16_bits(float(value))};
    }
    __device__ static bfloat16 of(double value) { return {double_to_bfloat16_bits(value)}; }
};

template <typename T, typename From>
__device__ inline T narrowed(From value) {
    return Narrow<T>::of(value);
}

}  // namespace tenon
