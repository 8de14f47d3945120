// Blocks of a cluster, and kernels that follow each other, on a GPU.
#pragma once

#include <tenon/arch/mbarrier.cuh>

namespace tenon {

__device__ inline uint32 cluster_rank() {
    uint32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
/// All threads of all blocks of the cluster meet: arrive, then wait.
__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ inline void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}
/// Memory of block `rank` at the place where `local` lies in this block.
template <typename T>
__device__ inline T* remote_shared(T* local, uint32 rank) {
    uint64 address;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(local), "r"(rank));
    return reinterpret_cast<T*>(address);
}

/// Waits until the kernels before this one in the stream have finished, where the launch lets this one start early.
__device__ inline void wait_for_previous_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
/// Lets the next kernel start; it still waits where it says wait_for_previous_kernel.
__device__ inline void allow_next_kernel() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

}  // namespace tenon
