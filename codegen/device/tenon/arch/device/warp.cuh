// Exchange between the threads of a warp, on a GPU. All 32 lanes take part.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

/// The value of lane `source`. T has 4 or 8 bytes.
template <typename T>
__device__ inline T shuffle(T value, int source) {
    return __shfl_sync(0xffffffffu, value, source);
}
template <typename T>
__device__ inline T shuffle_xor(T value, int mask) {
    return __shfl_xor_sync(0xffffffffu, value, mask);
}
/// The value of the lane `delta` above; lanes without one keep theirs.
template <typename T>
__device__ inline T shuffle_down(T value, int delta) {
    return __shfl_down_sync(0xffffffffu, value, delta);
}
template <typename T>
__device__ inline T shuffle_up(T value, int delta) {
    return __shfl_up_sync(0xffffffffu, value, delta);
}
__device__ inline uint32 ballot(bool predicate) { return __ballot_sync(0xffffffffu, predicate); }
__device__ inline bool any_lane(bool predicate) { return __any_sync(0xffffffffu, predicate); }
__device__ inline bool all_lanes(bool predicate) { return __all_sync(0xffffffffu, predicate); }
/// True in exactly one lane.
__device__ inline bool elect_lane() {
    uint32 elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    return elected != 0;
}

}  // namespace tenon
