// Matrix fragments and products of a warp, on the host.
#pragma once

#include <tenon/arch/block.cuh>
#include <tenon/types.cuh>

namespace tenon {

struct tf32 {
    uint32 bits;
};

inline uint32 float_to_tf32_bits(float value) {
    const uint32 bits = __builtin_bit_cast(uint32, value);
    if (value != value) return 0x7fffffff;
    if ((bits & 0x7f800000) == 0x7f800000) return bits;
    return (bits + 0x1000) & 0xffffe000;
}

template <int kCount>
inline void load_matrices(uint32 (&matrix)[kCount], const void* row) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
    machine->load_matrices(matrix, row, kCount, false);
}
template <int kCount>
inline void load_matrices_transposed(uint32 (&matrix)[kCount], const void* row) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
    machine->load_matrices(matrix, row, kCount, true);
}
inline void store_matrices(void* row, const uint32 (&matrix)[4]) { machine->store_matrices(row, matrix, false); }
inline void store_matrices_transposed(void* row, const uint32 (&matrix)[4]) { machine->store_matrices(row, matrix, true); }

template <typename T>
inline void multiply_m16n8k16(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) = delete;
template <>
inline void multiply_m16n8k16<half>(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    machine->multiply(EmulatedProduct::Half, c, a, b);
}
template <>
inline void multiply_m16n8k16<bfloat16>(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    machine->multiply(EmulatedProduct::Bfloat16, c, a, b);
}
inline void multiply_m16n8k8_half(float (&c)[4], const uint32 (&a)[2], uint32 b) {
    machine->multiply(EmulatedProduct::HalfK8, c, a, &b);
}
inline void multiply_m16n8k8_tf32(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    machine->multiply(EmulatedProduct::Tf32, c, a, b);
}
template <typename A, typename B>
inline void multiply_m16n8k32(int32 (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    constexpr bool kSignedA = A(-1) < A(0), kSignedB = B(-1) < B(0);
    static_assert(sizeof(A) == 1 && sizeof(B) == 1);
    machine->multiply(kSignedA ? (kSignedB ? EmulatedProduct::SignedSigned : EmulatedProduct::SignedUnsigned)
                               : (kSignedB ? EmulatedProduct::UnsignedSigned : EmulatedProduct::UnsignedUnsigned),
                      c, a, b);
}

}  // namespace tenon
