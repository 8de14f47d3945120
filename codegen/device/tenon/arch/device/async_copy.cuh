// Copies from global to shared memory that run beside the program, on a GPU.
#pragma once

#include <tenon/arch/block.cuh>

namespace tenon {

/// Starts a copy of kBytes (4, 8 or 16; both sides aligned to it) for this thread; zeros instead where `valid` is false,
/// and then `from` is not read.
template <int kBytes>
__device__ inline void copy_async(void* to, const void* from, bool valid = true) {
    const int bytes = valid ? kBytes : 0;
    if constexpr (kBytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(kBytes), "r"(bytes) : "memory");
    }
}
/// Closes the group of copies this thread has started since the last group.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most kPending of this thread's groups are unfinished. Other threads see the data after a barrier.
template <int kPending>
__device__ inline void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tenon
