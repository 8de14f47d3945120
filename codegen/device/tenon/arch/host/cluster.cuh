// Blocks of a cluster, and kernels that follow each other, on the host.
#pragma once

#include <tenon/arch/mbarrier.cuh>

namespace tenon {

inline uint32 cluster_rank() { return machine->cluster_rank(); }
inline void cluster_arrive() { machine->arrive_at_cluster_barrier(); }
inline void cluster_wait() { machine->wait_for_cluster_barrier(); }
inline void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}
template <typename T>
inline T* remote_shared(T* local, uint32 rank) {
    return static_cast<T*>(machine->remote_shared(local, rank));
}

/// Kernels run one after the other here.
inline void wait_for_previous_kernel() {}
inline void allow_next_kernel() {}

}  // namespace tenon
