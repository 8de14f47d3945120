// Atomic operations and ordering on global memory, on a GPU.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

/// Adds and returns what was there before.
template <typename T>
__device__ inline T atomic_add(T* to, T value) {
    return atomicAdd(to, value);
}
/// What this thread wrote before is seen by every thread of the GPU that sees what it writes after.
__device__ inline void fence_gpu() { __threadfence(); }
__device__ inline uint32 load_acquire(const uint32* from) {
    uint32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
__device__ inline void store_release(uint32* to, uint32 value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

}  // namespace tenon
