// Threads of a block and the memory they share, on the host.
#pragma once

#include <tenon/arch/platform.cuh>

namespace tenon {

inline uint32 block_index_y() { return machine->thread->block_index[1]; }
inline uint32 block_index_z() { return machine->thread->block_index[2]; }
inline uint32 block_count_x() { return machine->grid[0]; }
inline uint32 lane_index() { return machine->thread->index & 31; }
inline uint32 warp_index() { return machine->thread->index >> 5; }

inline void block_barrier() { machine->barrier(0, 0, true); }
inline void named_barrier_wait(int id, int threads) { machine->barrier(id, threads, true); }
inline void named_barrier_arrive(int id, int threads) { machine->barrier(id, threads, false); }
inline void warp_barrier() { machine->warp_barrier(); }

inline uint8* shared_memory() { return machine->shared_memory(); }
inline uint32 shared_address(const void* pointer) { return machine->shared_address(pointer); }

template <typename T>
inline T load_shared(const T* from) {
    T value;
    __builtin_memcpy(&value, machine->shared(from, sizeof(T), alignof(T), EmulatedAccess::Read), sizeof(T));
    return value;
}
template <typename T>
inline void store_shared(T* to, T value) {
    __builtin_memcpy(machine->shared(to, sizeof(T), alignof(T), EmulatedAccess::Write), &value, sizeof(T));
}
template <typename T>
inline T atomic_add_shared(T* to, T value) {
    uint8* bytes = machine->shared(to, sizeof(T), alignof(T), EmulatedAccess::Atomic);
    T old;
    __builtin_memcpy(&old, bytes, sizeof(T));
    const T sum = old + value;
    __builtin_memcpy(bytes, &sum, sizeof(T));
    return old;
}

}  // namespace tenon
