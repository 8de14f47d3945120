// Copies from global to shared memory that run beside the program, on the host.
#pragma once

#include <tenon/arch/block.cuh>

namespace tenon {

template <int kBytes>
inline void copy_async(void* to, const void* from, bool valid = true) {
    static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
    machine->start_copy(to, from, kBytes, valid);
}
inline void commit_copies() { machine->commit_copies(); }
template <int kPending>
inline void wait_copies() {
    machine->wait_copies(kPending);
}

}  // namespace tenon
