// Threads of a block and the memory they share, on a GPU.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

__device__ inline uint32 block_index_y() { return blockIdx.y; }
__device__ inline uint32 block_index_z() { return blockIdx.z; }
__device__ inline uint32 block_count_x() { return gridDim.x; }
__device__ inline uint32 lane_index() { return threadIdx.x & 31; }
/// The same value in every lane, known to the compiler.
__device__ inline uint32 warp_index() { return __shfl_sync(0xffffffffu, threadIdx.x >> 5, 0); }

/// All threads of the block meet; what they wrote to shared and global memory is visible behind it.
__device__ inline void block_barrier() { __syncthreads(); }
/// `threads` threads (whole warps) meet at barrier `id`, 1..15; 0 is block_barrier.
__device__ inline void named_barrier_wait(int id, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Counts this warp at barrier `id` without waiting.
__device__ inline void named_barrier_arrive(int id, int threads) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void warp_barrier() { __syncwarp(); }

/// Dynamic shared memory of the block, aligned to 1024 bytes; as many bytes as the launch asks for.
__device__ inline uint8* shared_memory() {
    extern __shared__ __align__(1024) uint8 bytes[];
    return bytes;
}
__device__ inline uint32 shared_address(const void* pointer) { return uint32(__cvta_generic_to_shared(pointer)); }

template <typename T>
__device__ inline T load_shared(const T* from) {
    return *from;
}
template <typename T>
__device__ inline void store_shared(T* to, T value) {
    *to = value;
}
template <typename T>
__device__ inline T atomic_add_shared(T* to, T value) {
    return atomicAdd(to, value);
}

}  // namespace tenon
