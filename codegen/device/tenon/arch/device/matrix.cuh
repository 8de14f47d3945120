// Matrix fragments and products of a warp, on a GPU. Fragments are those of mma.sync in the PTX manual.
#pragma once

#include <tenon/arch/block.cuh>
#include <tenon/types.cuh>

namespace tenon {

/// Operand type of products of floats rounded to tf32.
struct tf32 {
    uint32 bits;
};

/// Nearest tf32, ties away from zero.
__device__ inline uint32 float_to_tf32_bits(float value) {
    uint32 bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
}

/// Loads kCount 8x8 matrices of 16-bit elements: lane i gives the address of row i (16 bytes, aligned) of the matrices in
/// turn, lanes from 8 * kCount on are ignored.
template <int kCount>
__device__ inline void load_matrices(uint32 (&matrix)[kCount], const void* row) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
    if constexpr (kCount == 1) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(matrix[0]) : "r"(shared_address(row)) : "memory");
    } else if constexpr (kCount == 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(matrix[0]), "=r"(matrix[1]) : "r"(shared_address(row)) : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
                     : "r"(shared_address(row))
                     : "memory");
    }
}
/// The same, each matrix transposed.
template <int kCount>
__device__ inline void load_matrices_transposed(uint32 (&matrix)[kCount], const void* row) {
    static_assert(kCount == 1 || kCount == 2 || kCount == 4);
    if constexpr (kCount == 1) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(matrix[0]) : "r"(shared_address(row)) : "memory");
    } else if constexpr (kCount == 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(matrix[0]), "=r"(matrix[1]) : "r"(shared_address(row)) : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
                     : "r"(shared_address(row))
                     : "memory");
    }
}
/// Stores four 8x8 matrices (sm_90); lane i gives the address of row i of the matrices in turn.
__device__ inline void store_matrices(void* row, const uint32 (&matrix)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)), "r"(matrix[0]),
                 "r"(matrix[1]), "r"(matrix[2]), "r"(matrix[3])
                 : "memory");
}
__device__ inline void store_matrices_transposed(void* row, const uint32 (&matrix)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)), "r"(matrix[0]),
                 "r"(matrix[1]), "r"(matrix[2]), "r"(matrix[3])
                 : "memory");
}

/// c += a * b on 16 x 8 results over k = 16 (half, bfloat16), 8 (tf32, and half on sm_75) or 32 (int8, uint8).
template <typename T>
__device__ inline void multiply_m16n8k16(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]);
template <>
__device__ inline void multiply_m16n8k16<half>(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <>
__device__ inline void multiply_m16n8k16<bfloat16>(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/// Half on sm_75.
__device__ inline void multiply_m16n8k8_half(float (&c)[4], const uint32 (&a)[2], uint32 b) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b));
}
__device__ inline void multiply_m16n8k8_tf32(float (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/// A and B are int8 or uint8 each.
template <typename A, typename B>
__device__ inline void multiply_m16n8k32(int32 (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]);
#define TENON_INTEGER_PRODUCT(A, B, names)                                                                                        \
    template <>                                                                                                                   \
    __device__ inline void multiply_m16n8k32<A, B>(int32 (&c)[4], const uint32 (&a)[4], const uint32 (&b)[2]) {                    \
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." names ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, " \
                     "%2, %3};"                                                                                                   \
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                                             \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                         \
    }
TENON_INTEGER_PRODUCT(int8, int8, "s8.s8")
TENON_INTEGER_PRODUCT(uint8, int8, "u8.s8")
TENON_INTEGER_PRODUCT(int8, uint8, "s8.u8")
TENON_INTEGER_PRODUCT(uint8, uint8, "u8.u8")
#undef TENON_INTEGER_PRODUCT

}  // namespace tenon
