// Barriers in shared memory that also count bytes, on a GPU.
#pragma once

#include <tenon/arch/block.cuh>

namespace tenon {

/// Lies in shared memory. A phase ends when all arrivals and all expected bytes have come.
struct alignas(8) Mbarrier {
    uint64 state;
};

/// By one thread, before anyone uses it; `arrivals` per phase.
__device__ inline void mbarrier_init(Mbarrier* barrier, uint32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
/// Makes initialised barriers visible to asynchronous copies and to the cluster.
__device__ inline void mbarrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void mbarrier_arrive(Mbarrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Arrives, and lets the phase also wait for `bytes` of copies.
__device__ inline void mbarrier_arrive_expect(Mbarrier* barrier, uint32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
/// Arrives at the barrier of the same name in block `rank` of the cluster.
__device__ inline void mbarrier_arrive_remote(Mbarrier* barrier, uint32 rank) {
    asm volatile(
        "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(
            shared_address(barrier)),
        "r"(rank)
        : "memory");
}
/// Waits until the phase of this parity has ended; a fresh barrier is in phase 0, and its phase 1 counts as ended.
__device__ inline void mbarrier_wait(Mbarrier* barrier, uint32 parity) {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
        "@!ended bra again;\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}
/// The same, for data and arrivals that come from other blocks of the cluster.
__device__ inline void mbarrier_wait_cluster(Mbarrier* barrier, uint32 parity) {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 ended, [%0], %1;\n"
        "@!ended bra again;\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

}  // namespace tenon
