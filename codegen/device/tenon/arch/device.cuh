// Hardware primitives on a GPU.
#pragma once

namespace tenon {

__device__ inline uint32 block_index_x() { return blockIdx.x; }
__device__ inline uint32 thread_index() { return threadIdx.x; }

template <typename T>
__device__ inline T load_global(const T* from) {
    return *from;
}
template <typename T>
__device__ inline void store_global(T* to, T value) {
    *to = value;
}

__device__ inline float half_bits_to_float(uint16 bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
__device__ inline uint16 float_to_half_bits(float value) {
    uint16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ inline float fma_of(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fma_of(double a, double b, double c) { return __fma_rn(a, b, c); }

#define TENON_MATH_1(name, single, full)                                 \
    __device__ inline float name(float a) { return single(a); }          \
    __device__ inline double name(double a) { return full(a); }
#define TENON_MATH_2(name, single, full)                                          \
    __device__ inline float name(float a, float b) { return single(a, b); }       \
    __device__ inline double name(double a, double b) { return full(a, b); }
#define TENON_LIBM(function) ::function
#include <tenon/arch/math_list.cuh>
#undef TENON_LIBM
#undef TENON_MATH_1
#undef TENON_MATH_2

}  // namespace tenon
