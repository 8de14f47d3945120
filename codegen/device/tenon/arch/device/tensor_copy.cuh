// Copies of boxes of a tensor by the tensor memory accelerator, on a GPU.
#pragma once

#include <tenon/arch/mbarrier.cuh>

namespace tenon {

/// Describes a tensor to the copy engine; a `const __grid_constant__` parameter of the kernel.
struct alignas(64) TensorMap {
    uint64 opaque[16];
};

__device__ inline void prefetch_tensor_map(const TensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// Starts copying the box at the given coordinates (innermost first) to shared memory; outside elements become zero.
/// The box's bytes count at `barrier`.
__device__ inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(c0), "r"(c1)
        : "memory");
}
__device__ inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2)
        : "memory");
}
__device__ inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2, int32 c3) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
        : "memory");
}
__device__ inline void load_box(void* to, const TensorMap* map, Mbarrier* barrier, int32 c0, int32 c1, int32 c2, int32 c3, int32 c4) {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
        : "memory");
}

/// Starts copying pixels of an image tensor (channels, columns, rows, images) in im2col mode: `channels_per_pixel` from
/// `channel` of `pixels_per_column` pixels, beginning at the window whose corner is (column, row) of `image`, each
/// shifted by the filter tap.
__device__ inline void load_pixels(void* to, const TensorMap* map, Mbarrier* barrier, int32 channel, int32 column, int32 row, int32 image,
                                   uint16 tap_column, uint16 tap_row) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], "
        "{%7, %8};" ::"r"(shared_address(to)),
        "l"(map), "r"(shared_address(barrier)), "r"(channel), "r"(column), "r"(row), "r"(image), "h"(tap_column), "h"(tap_row)
        : "memory");
}

/// Starts copying a box from shared memory to the tensor; elements outside of it are dropped.
__device__ inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(shared_address(from)), "r"(c0), "r"(c1)
                 : "memory");
}
__device__ inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1, int32 c2) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(shared_address(from)), "r"(c0), "r"(c1), "r"(c2)
                 : "memory");
}
__device__ inline void store_box(const TensorMap* map, const void* from, int32 c0, int32 c1, int32 c2, int32 c3) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
                 "r"(shared_address(from)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
                 : "memory");
}
/// Starts copying `bytes` (a multiple of 16, as both addresses) of plain memory; they count at `barrier`.
__device__ inline void load_bytes(void* to, const void* from, uint32 bytes, Mbarrier* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}
/// Closes the group of stores this thread has started.
__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until at most kPending groups still read their shared memory.
template <int kPending>
__device__ inline void wait_stores_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
/// Waits until at most kPending groups are unfinished.
template <int kPending>
__device__ inline void wait_stores() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}
/// What this thread wrote to shared memory is seen by asynchronous copies and matrix products that start after it.
__device__ inline void fence_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace tenon
