// A ring of tiles in shared memory between the warp that loads and the warps that multiply.
#pragma once

#include <tenon/arch/mbarrier.cuh>

namespace tenon {

/// `full[i]`: the copy engine has filled stage i. `empty[i]`: every consumer has read it.
template <int kStages>
struct Ring {
    Mbarrier full[kStages];
    Mbarrier empty[kStages];
};

/// By one thread, before the block's first barrier.
template <int kStages>
__device__ inline void initialise(Ring<kStages>* ring, uint32 consumers) {
#pragma unroll
    for (int i = 0; i < kStages; ++i) {
        mbarrier_init(&ring->full[i], 1);
        mbarrier_init(&ring->empty[i], consumers);
    }
}

/// Where one side of a ring stands: a stage, and the parity of its current round.
template <int kStages>
struct RingPosition {
    int stage = 0;
    uint32 parity = 0;

    __device__ void next() {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
    }
    __device__ void skip(int count) {
        const int ahead = stage + count;
        parity ^= uint32(ahead / kStages) & 1;
        stage = ahead % kStages;
    }
};

}  // namespace tenon
