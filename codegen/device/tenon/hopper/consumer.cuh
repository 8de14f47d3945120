// The warpgroups that multiply: they take stages of the ring into accumulators and give them back.
#pragma once

#include <tenon/hopper/product.cuh>

namespace tenon {

template <ProductShape S, WarpgroupTile T, typename E>
struct Consumer {
    using Plan = ProductPlan<S, T, E>;

    const uint8* stages;
    Ring<T.stages>* ring;
    RingPosition<T.stages> at;
    int32 first_row;     ///< Of this warpgroup inside a tile.
    bool is_spokesman;   ///< One thread of the warpgroup gives stages back.

    /// Every stage is filled once: nobody waits for it to come back.
    static constexpr bool kIsResident = !T.persistent && Plan::kBlocksPerPart <= T.stages;

    __device__ void release(int stage) const {
        if (!kIsResident && is_spokesman) mbarrier_arrive(&ring->empty[stage]);
    }

    /// acc = the sum over `count` stages. One product stays in flight while the next stage is waited for.
    __device__ void accumulate(Accumulator<T.columns> (&acc)[Plan::kPieces], int32 count) {
        int previous = 0;
        for (int32 i = 0; i < count; ++i) {
            mbarrier_wait(&ring->full[at.stage], at.parity);
            const uint8* stage = stages + at.stage * Plan::kStageBytes;
            multiply_stage<E, T, S.columns_innermost>(acc, stage + first_row * 128, stage + Plan::kRowBytes, i > 0);
            if constexpr (!kIsResident) wait_products<1>();
            if (i > 0) release(previous);
            previous = at.stage;
            at.next();
        }
    }
    /// Ends what `accumulate` left in flight.
    __device__ void finish() const {
        wait_products<0>();
        release((at.stage + T.stages - 1) % T.stages);
    }
};

}  // namespace tenon
