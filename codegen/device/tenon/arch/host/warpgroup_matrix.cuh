// Matrix products of four warps on operands in shared memory, on the host.
#pragma once

#include <tenon/arch/matrix.cuh>

namespace tenon {

inline uint64 matrix_descriptor(const void* tile, uint32 group_bytes = 1024) {
    return uint64((shared_address(tile) & 0x3ffff) >> 4) | uint64(1) << 16 | uint64(group_bytes >> 4) << 32 | uint64(1) << 62;
}

inline uint64 transposed_descriptor(const void* tile, uint32 block_bytes) {
    return uint64((shared_address(tile) & 0x3ffff) >> 4) | uint64(block_bytes >> 4) << 16 | uint64(1024 >> 4) << 32 | uint64(1) << 62;
}

inline void warpgroup_fence() { machine->fence_warpgroup(); }
inline void commit_products() { machine->commit_products(); }
template <int kPending>
inline void wait_products() {
    machine->wait_products(kPending);
}
template <int kCount>
inline void take_registers() {
    static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0);
    machine->set_registers(kCount);
}
template <int kCount>
inline void give_registers() {
    take_registers<kCount>();
}

template <typename T>
struct EmulatedOperandOf;
template <>
struct EmulatedOperandOf<half> {
    static constexpr EmulatedOperand kValue = EmulatedOperand::Half;
};
template <>
struct EmulatedOperandOf<bfloat16> {
    static constexpr EmulatedOperand kValue = EmulatedOperand::Bfloat16;
};
template <>
struct EmulatedOperandOf<tf32> {
    static constexpr EmulatedOperand kValue = EmulatedOperand::Tf32;
};

template <typename T, int kColumns, bool kTransposed = false>
struct WarpgroupProduct {
    static_assert(kColumns >= 8 && kColumns <= 256 && kColumns % 8 == 0);
    static void start(float (&c)[kColumns / 2], uint64 a, uint64 b, bool accumulate) {
        machine->start_product(EmulatedOperandOf<T>::kValue, kColumns, c, a, nullptr, b, kTransposed, accumulate);
    }
};

template <typename T, int kColumns>
struct WarpgroupProductFromRegisters {
    static_assert(kColumns >= 8 && kColumns <= 256 && kColumns % 8 == 0);
    static void start(float (&c)[kColumns / 2], const uint32 (&a)[4], uint64 b, bool accumulate) {
        machine->start_product(EmulatedOperandOf<T>::kValue, kColumns, c, 0, a, b, false, accumulate);
    }
};

}  // namespace tenon
