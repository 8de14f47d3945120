// The functions of frontend/include/tenon/pointwise.h, one device function each, on one element; the list at the end lifts them to lanes.
// NaN in gives NaN out. T is float, double, int32, int64 or bool.
#pragma once

#include <tenon/lanes.cuh>

namespace tenon {

template <Scalar T>
__device__ inline T abs(T a) {
    if constexpr (kIsFloating<T>) return fabs_of(a);
    return a < T(0) ? negate(a) : a;
}
template <Scalar T>
__device__ inline T sign(T a) { return a > T(0) ? T(1) : a < T(0) ? T(-1) : a; }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T add_square(A a, B b) {
    if constexpr (kIsFloating<T>) return fma_of(T(b), T(b), T(a));  // b * b alone may be too large.
    else return add(a, multiply(b, b));
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T divide(A a, B b) {
    if constexpr (kIsFloating<T>) return T(a) / T(b);
    if (b == B(0)) return T(0);
    return b == B(-1) ? negate(T(a)) : T(T(a) / T(b));
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T maximum(A a, B b) { return a != a ? T(a) : b != b ? T(b) : a > b ? T(a) : T(b); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T minimum(A a, B b) { return a != a ? T(a) : b != b ? T(b) : a < b ? T(a) : T(b); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T modulo(A a, B b) {
    if constexpr (kIsFloating<T>) return fmod_of(T(a), T(b));
    else return b == B(0) || b == B(-1) ? T(0) : T(T(a) % T(b));
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T power(A a, B b) { return pow_of(T(a), T(b)); }
template <Scalar T>
__device__ inline T square(T a) { return multiply(a, a); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T squared_difference(A a, B b) { return square(subtract(a, b)); }
template <Scalar T>
__device__ inline T reciprocal(T a) { return T(1) / a; }
template <Scalar T>
__device__ inline T sqrt(T a) { return sqrt_of(a); }
template <Scalar T>
__device__ inline T rsqrt(T a) { return T(1) / sqrt_of(a); }

template <Scalar T>
__device__ inline T ceil(T a) { return ceil_of(a); }
template <Scalar T>
__device__ inline T floor(T a) { return floor_of(a); }
template <Scalar T>
__device__ inline T round(T a) { return round_of(a); }
template <Scalar T>
__device__ inline T truncate(T a) { return trunc_of(a); }

template <Scalar T>
__device__ inline T exp(T a) { return exp_of(a); }
template <Scalar T>
__device__ inline T exp2(T a) { return exp2_of(a); }
template <Scalar T>
__device__ inline T expm1(T a) { return expm1_of(a); }
template <Scalar T>
__device__ inline T log(T a) { return log_of(a); }
template <Scalar T>
__device__ inline T log2(T a) { return log2_of(a); }
template <Scalar T>
__device__ inline T log10(T a) { return log10_of(a); }
template <Scalar T>
__device__ inline T log1p(T a) { return log1p_of(a); }
template <Scalar T>
__device__ inline T erf(T a) { return erf_of(a); }
template <Scalar T>
__device__ inline T sin(T a) { return sin_of(a); }
template <Scalar T>
__device__ inline T cos(T a) { return cos_of(a); }
template <Scalar T>
__device__ inline T tan(T a) { return tan_of(a); }
template <Scalar T>
__device__ inline T asin(T a) { return asin_of(a); }
template <Scalar T>
__device__ inline T acos(T a) { return acos_of(a); }
template <Scalar T>
__device__ inline T atan(T a) { return atan_of(a); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T atan2(A a, B b) { return atan2_of(T(a), T(b)); }
template <Scalar T>
__device__ inline T sinh(T a) { return sinh_of(a); }
template <Scalar T>
__device__ inline T cosh(T a) { return cosh_of(a); }
template <Scalar T>
__device__ inline T tanh(T a) { return tanh_of(a); }
template <Scalar T>
__device__ inline T asinh(T a) { return asinh_of(a); }
template <Scalar T>
__device__ inline T acosh(T a) { return acosh_of(a); }
template <Scalar T>
__device__ inline T atanh(T a) { return atanh_of(a); }

template <Scalar T>
__device__ inline T relu(T a, double slope = 0.0) {
    if (slope == 0.0) return a < T(0) ? T(0) : a;
    return a < T(0) ? T(T(slope) * a) : a;
}
template <Scalar T>
__device__ inline T clip(T a, double lower = -double(kInfinity), double upper = double(kInfinity)) {
    if constexpr (kIsFloating<T>) return a < T(lower) ? T(lower) : a > T(upper) ? T(upper) : a;
    return double(a) < lower ? T(lower) : double(a) > upper ? T(upper) : a;
}
template <Scalar T>
__device__ inline T sigmoid(T a) { return T(1) / (T(1) + exp_of(-a)); }
template <Scalar T>
__device__ inline T elu(T a, double alpha = 1.0) { return a < T(0) ? T(alpha) * expm1_of(a) : a; }
template <Scalar T>
__device__ inline T celu(T a, double alpha = 1.0) { return a < T(0) ? T(alpha) * expm1_of(a / T(alpha)) : a; }
template <Scalar T>
__device__ inline T selu(T a, double alpha = 1.67326319217681884765625, double gamma = 1.05070102214813232421875) {
    return T(gamma) * (a < T(0) ? T(alpha) * expm1_of(a) : a);
}
/// a times a factor that tends to 0 where a tends to -infinity: the limit there is 0, not -infinity * 0.
template <Scalar T>
__device__ inline T gated(T a, T factor) { return a == T(-kInfinity) ? T(0) : a * factor; }
template <Scalar T>
__device__ inline T gelu(T a) { return gated(a, T(0.5) * (T(1) + erf_of(a * T(0.70710678118654752440)))); }
/// (1 + tanh(u)) / 2 is sigmoid(2 u), which keeps its digits where tanh is near -1; this is that 2 u.
template <Scalar T>
__device__ inline T gelu_tanh_exponent(T a) { return T(1.59576912160573071176) * (a + T(0.044715) * a * a * a); }
template <Scalar T>
__device__ inline T gelu_tanh(T a) {
    return gated(a, sigmoid(gelu_tanh_exponent(a)));
}
template <Scalar T>
__device__ inline T softplus(T a, double beta = 1.0) {
    const T scaled = T(beta) * a;
    return (maximum(scaled, T(0)) + log1p_of(exp_of(-fabs_of(scaled)))) / T(beta);
}
template <Scalar T>
__device__ inline T swish(T a, double beta = 1.0) { return gated(a, sigmoid(T(beta) * a)); }
template <Scalar T>
__device__ inline T hard_sigmoid(T a, double alpha = 1.0 / 6.0, double beta = 0.5) {
    const T line = T(alpha) * a + T(beta);
    return line < T(0) ? T(0) : line > T(1) ? T(1) : line;
}
template <Scalar T>
__device__ inline T hard_swish(T a) { return a == T(-kInfinity) ? T(0) : a * (clip(a + T(3), 0.0, 6.0) / T(6)); }
template <Scalar T>
__device__ inline T mish(T a) { return gated(a, tanh_of(softplus(a))); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T prelu(A a, B b) { return a < A(0) ? T(b) * T(a) : T(a); }
template <Scalar T>
__device__ inline T log_sigmoid(T a) { return minimum(a, T(0)) - log1p_of(exp_of(-fabs_of(a))); }
template <Scalar T>
__device__ inline T softsign(T a) { return fabs_of(a) == T(kInfinity) ? sign(a) : a / (T(1) + fabs_of(a)); }
template <Scalar T>
__device__ inline T softshrink(T a, double lambda = 0.5) {
    return a > T(lambda) ? a - T(lambda) : a < T(-lambda) ? a + T(lambda) : a != a ? a : T(0);
}
template <Scalar T>
__device__ inline T hardshrink(T a, double lambda = 0.5) { return fabs_of(a) <= T(lambda) ? T(0) : a; }
template <Scalar T>
__device__ inline T tanhshrink(T a) { return a - tanh_of(a); }
template <Scalar T>
__device__ inline T threshold(T a, double limit = 1.0, double value = 0.0) { return a <= T(limit) ? T(value) : a; }

// Gradients: a is the gradient of the output, b the forward input.
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T relu_backward(A a, B b, double slope = 0.0) { return b > B(0) ? T(a) : b != b ? T(b) : T(slope) * T(a); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T tanh_backward(A a, B b) { return T(a) * (T(1) - square(tanh_of(T(b)))); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T sigmoid_backward(A a, B b) { return T(a) * sigmoid(T(b)) * sigmoid(-T(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T elu_backward(A a, B b, double alpha = 1.0) { return b < B(0) ? T(a) * T(alpha) * exp_of(T(b)) : b != b ? T(b) : T(a); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T gelu_backward(A a, B b) {
    const T x = T(b);
    const T density = T(0.39894228040143267794) * exp_of(T(-0.5) * x * x);
    const T slope = fabs_of(x) == T(kInfinity) ? T(0) : x * density;
    return T(a) * (T(0.5) * (T(1) + erf_of(x * T(0.70710678118654752440))) + slope);
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T gelu_tanh_backward(A a, B b) {
    const T x = T(b);
    const T gate = sigmoid(gelu_tanh_exponent(x)), slope = gate * sigmoid(-gelu_tanh_exponent(x));
    const T steepness = T(1.59576912160573071176) * (T(1) + T(0.134145) * x * x) * slope;
    return T(a) * (gate + (slope == T(0) ? T(0) : x * steepness));
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T softplus_backward(A a, B b, double beta = 1.0) { return T(a) * sigmoid(T(beta) * T(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T swish_backward(A a, B b, double beta = 1.0) {
    const T x = T(beta) * T(b);
    const T s = sigmoid(x);
    const T bend = fabs_of(x) == T(kInfinity) ? T(0) : x * s * sigmoid(-x);
    return T(a) * (s + bend);
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T hard_sigmoid_backward(A a, B b, double alpha = 1.0 / 6.0, double beta = 0.5) {
    const T line = T(alpha) * T(b) + T(beta);
    return line != line ? line : line > T(0) && line < T(1) ? T(a) * T(alpha) : a != a ? T(a) : T(0);
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T hard_swish_backward(A a, B b) {
    const T x = T(b);
    return x <= T(-3) ? (a != a ? T(a) : T(0)) : x >= T(3) ? T(a) : T(a) * ((T(2) * x + T(3)) / T(6));
}
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T mish_backward(A a, B b) {
    const T x = T(b);
    const T t = tanh_of(softplus(x));
    const T bend = t * t == T(1) || fabs_of(x) == T(kInfinity) ? T(0) : x * (T(1) - t * t) * sigmoid(x);
    return T(a) * (t + bend);
}

__device__ inline bool logical_and(bool a, bool b) { return a && b; }
__device__ inline bool logical_or(bool a, bool b) { return a || b; }
__device__ inline bool logical_xor(bool a, bool b) { return a != b; }
__device__ inline bool logical_not(bool a) { return !a; }
template <Scalar T>
__device__ inline bool is_nan(T a) { return a != a; }
template <Scalar T>
__device__ inline bool is_inf(T a) { return fabs_of(a) == T(kInfinity); }
template <Scalar T>
__device__ inline T nan_to_num(T a, double value = 0.0) { return a != a ? T(value) : a; }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T select(bool mask, A a, B b) { return mask ? T(a) : T(b); }

template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T bitwise_and(A a, B b) { return T(T(a) & T(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T bitwise_or(A a, B b) { return T(T(a) | T(b)); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T bitwise_xor(A a, B b) { return T(T(a) ^ T(b)); }
template <Scalar T>
__device__ inline T bitwise_not(T a) { return T(~a); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T shift_left(A a, B b) { return b < B(0) || b >= B(8 * sizeof(T)) ? T(0) : T(Unsigned<T>(a) << b); }
template <typename A, typename B, typename T = Common<A, B>>
__device__ inline T shift_right(A a, B b) {
    const bool past = b < B(0) || b >= B(8 * sizeof(T));
    return past ? T(a < A(0) ? -1 : 0) : T(T(a) >> b);
}

// Lifts to lanes. The only macros of the library: a function name cannot be a template argument.
#define TENON_LIFT_1(function)                                                             \
    template <typename T, int N, typename... Parameters>                                   \
    __device__ inline auto function(const Lanes<T, N>& a, Parameters... parameters) {      \
        return each(a, [=](auto x) { return function(x, parameters...); });                \
    }
#define TENON_LIFT_2(function)                                                             \
    template <typename A, typename B, typename... Parameters>                              \
        requires SomeLanes<A, B>                                                           \
    __device__ inline auto function(const A& a, const B& b, Parameters... parameters) {    \
        return each(a, b, [=](auto x, auto y) { return function(x, y, parameters...); });  \
    }

TENON_LIFT_1(abs) TENON_LIFT_1(sign) TENON_LIFT_1(square) TENON_LIFT_1(reciprocal) TENON_LIFT_1(sqrt) TENON_LIFT_1(rsqrt)
TENON_LIFT_1(ceil) TENON_LIFT_1(floor) TENON_LIFT_1(round) TENON_LIFT_1(truncate)
TENON_LIFT_1(exp) TENON_LIFT_1(exp2) TENON_LIFT_1(expm1) TENON_LIFT_1(log) TENON_LIFT_1(log2) TENON_LIFT_1(log10)
TENON_LIFT_1(log1p) TENON_LIFT_1(erf) TENON_LIFT_1(sin) TENON_LIFT_1(cos) TENON_LIFT_1(tan) TENON_LIFT_1(asin)
TENON_LIFT_1(acos) TENON_LIFT_1(atan) TENON_LIFT_1(sinh) TENON_LIFT_1(cosh) TENON_LIFT_1(tanh) TENON_LIFT_1(asinh)
TENON_LIFT_1(acosh) TENON_LIFT_1(atanh)
TENON_LIFT_1(relu) TENON_LIFT_1(clip) TENON_LIFT_1(sigmoid) TENON_LIFT_1(elu) TENON_LIFT_1(celu) TENON_LIFT_1(selu)
TENON_LIFT_1(gelu) TENON_LIFT_1(gelu_tanh) TENON_LIFT_1(softplus) TENON_LIFT_1(swish) TENON_LIFT_1(hard_sigmoid)
TENON_LIFT_1(hard_swish) TENON_LIFT_1(mish) TENON_LIFT_1(log_sigmoid) TENON_LIFT_1(softsign) TENON_LIFT_1(softshrink)
TENON_LIFT_1(hardshrink) TENON_LIFT_1(tanhshrink) TENON_LIFT_1(threshold)
TENON_LIFT_1(logical_not) TENON_LIFT_1(is_nan) TENON_LIFT_1(is_inf) TENON_LIFT_1(nan_to_num) TENON_LIFT_1(bitwise_not)
TENON_LIFT_2(add_square) TENON_LIFT_2(divide) TENON_LIFT_2(maximum) TENON_LIFT_2(minimum) TENON_LIFT_2(modulo)
TENON_LIFT_2(power) TENON_LIFT_2(squared_difference) TENON_LIFT_2(atan2) TENON_LIFT_2(prelu)
TENON_LIFT_2(relu_backward) TENON_LIFT_2(tanh_backward) TENON_LIFT_2(sigmoid_backward) TENON_LIFT_2(elu_backward)
TENON_LIFT_2(gelu_backward) TENON_LIFT_2(gelu_tanh_backward) TENON_LIFT_2(softplus_backward) TENON_LIFT_2(swish_backward)
TENON_LIFT_2(hard_sigmoid_backward) TENON_LIFT_2(hard_swish_backward) TENON_LIFT_2(mish_backward)
TENON_LIFT_2(logical_and) TENON_LIFT_2(logical_or) TENON_LIFT_2(logical_xor)
TENON_LIFT_2(bitwise_and) TENON_LIFT_2(bitwise_or) TENON_LIFT_2(bitwise_xor) TENON_LIFT_2(shift_left) TENON_LIFT_2(shift_right)

#undef TENON_LIFT_1
#undef TENON_LIFT_2

/// a where the mask is set, else b, lane by lane.
template <typename Mask, typename A, typename B>
    requires(kLaneCount<Mask, A> > 0 || kLaneCount<A, B> > 0)
__device__ inline auto select(const Mask& mask, const A& a, const B& b) {
    constexpr int N = kLaneCount<Mask, A> > kLaneCount<A, B> ? kLaneCount<Mask, A> : kLaneCount<A, B>;
    Lanes<Common<decltype(lane_of(a, 0)), decltype(lane_of(b, 0))>, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result[i] = select(lane_of(mask, i), lane_of(a, i), lane_of(b, i));
    return result;
}

}  // namespace tenon
