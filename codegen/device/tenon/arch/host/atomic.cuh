// Atomic operations and ordering on global memory, on the host, where one thread runs at a time.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

template <typename T>
inline T atomic_add(T* to, T value) {
    T* place = sound_address(to, EmulatedAccess::Atomic);
    const T old = *place;
    *place = old + value;
    return old;
}
inline void fence_gpu() {}
inline uint32 load_acquire(const uint32* from) {
    machine->yield();
    return load_global(from);
}
inline void store_release(uint32* to, uint32 value) { store_global(to, value); }

}  // namespace tenon
