// Barriers in shared memory that also count bytes, on the host. The machine keeps their state; the eight bytes only say where
// they are.
#pragma once

#include <tenon/arch/block.cuh>

namespace tenon {

struct alignas(8) Mbarrier {
    uint64 state;
};

inline void mbarrier_init(Mbarrier* barrier, uint32 arrivals) { machine->init_mbarrier(barrier, arrivals); }
inline void mbarrier_init_fence() { machine->fence_mbarriers(); }
inline void mbarrier_arrive(Mbarrier* barrier) { machine->arrive_at_mbarrier(barrier, 0, -1); }
inline void mbarrier_arrive_expect(Mbarrier* barrier, uint32 bytes) { machine->arrive_at_mbarrier(barrier, bytes, -1); }
inline void mbarrier_arrive_remote(Mbarrier* barrier, uint32 rank) { machine->arrive_at_mbarrier(barrier, 0, int32(rank)); }
inline void mbarrier_wait(Mbarrier* barrier, uint32 parity) { machine->wait_for_mbarrier(barrier, parity); }
inline void mbarrier_wait_cluster(Mbarrier* barrier, uint32 parity) { machine->wait_for_mbarrier(barrier, parity); }

}  // namespace tenon
