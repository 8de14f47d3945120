// Copies of boxes of a tensor by the tensor memory accelerator, on the host.
#pragma once

#include <tenon/arch/mbarrier.cuh>

namespace tenon {

/// The first word is the number by which the machine knows the map.
struct alignas(64) TensorMap {
    uint64 opaque[16];
};

inline void prefetch_tensor_map(const TensorMap*) {}

inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1) {
    const int32 at[] = {c0, c1};
    machine->load_box(to, map, barrier, at, 2);
}
inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2) {
    const int32 at[] = {c0, c1, c2};
    machine->load_box(to, map, barrier, at, 3);
}
inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2, int32 c3) {
    const int32 at[] = {c0, c1, c2, c3};
    machine->load_box(to, map, barrier, at, 4);
}
inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2, int32 c3, int32 c4) {
    const int32 at[] = {c0, c1, c2, c3, c4};
    machine->load_box(to, map, barrier, at, 5);
}
inline void load_pixels(void* to, const TensorMap* map, Mbarrier* barrier, int32 channel, int32 column, int32 row, int32 image,
                        uint16 tap_column, uint16 tap_row) {
    const int32 at[] = {channel, column, row, image};
    const uint16 taps[] = {tap_column, tap_row};
    machine->load_pixels(to, map, barrier, at, taps);
}

inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1) {
    const int32 at[] = {c0, c1};
    machine->store_box(map, from, at, 2);
}
inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1, int32 c2) {
    const int32 at[] = {c0, c1, c2};
    machine->store_box(map, from, at, 3);
}
inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1, int32 c2, int32 c3) {
    const int32 at[] = {c0, c1, c2, c3};
    machine->store_box(map, from, at, 4);
}
inline void load_bytes(void* to, const void* from, uint32 bytes, Mbarrier* barrier) { machine->load_bytes(to, from, bytes, barrier); }
inline void commit_stores() { machine->commit_stores(); }
template <int kPending>
inline void wait_stores_read() {
    machine->wait_stores(kPending, true);
}
template <int kPending>
inline void wait_stores() {
    machine->wait_stores(kPending, false);
}
inline void fence_async_shared() { machine->fence_async(); }

}  // namespace tenon
