// The four operations on single values, with integers that wrap, and the constants no literal can spell.
#pragma once

#include <tenon/types.cuh>

namespace tenon {

inline constexpr float kInfinity = __builtin_bit_cast(float, 0x7f800000u);
inline constexpr float kNaN = __builtin_bit_cast(float, 0x7fc00000u);

template <typename T>
inline constexpr bool kIsFloating = false;
template <>
inline constexpr bool kIsFloating<float> = true;
template <>
inline constexpr bool kIsFloating<double> = true;

template <typename T>
struct UnsignedOf {
    using type = T;
};
template <>
struct UnsignedOf<int32> {
    using type = uint32;
};
template <>
struct UnsignedOf<int64> {
    using type = uint64;
};
template <typename T>
using Unsigned = typename UnsignedOf<T>::type;

template <typename T>
inline constexpr bool kIsScalar = kIsFloating<T>;
template <>
inline constexpr bool kIsScalar<int32> = true;
template <>
inline constexpr bool kIsScalar<int64> = true;
template <>
inline constexpr bool kIsScalar<bool> = true;

/// A single value, not lanes of them.
template <typename T>
concept Scalar = kIsScalar<T>;

/// The type two single values meet in.
template <Scalar A, Scalar B>
using Common = decltype(true ? A() : B());

// Integers wrap; the detour through unsigned keeps overflow defined.
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T add(A a, B b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T subtract(A a, B b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T multiply(A a, B b) { return T(Unsigned<T>(a) * Unsigned<T>(b)); }
template <typename T>
__device__ inline T negate(T a) {
    if constexpr (kIsFloating<T>) return -a;
    return T(Unsigned<T>(0) - Unsigned<T>(a));
}
/// Sums of products: one rounding per step for floats, exact modulo the width for integers.
template <typename T>
__device__ inline T multiply_add(T a, T b, T sum) {
    if constexpr (kIsFloating<T>) return fma_of(a, b, sum);
    else return add(sum, multiply(a, b));
}

}  // namespace tenon
