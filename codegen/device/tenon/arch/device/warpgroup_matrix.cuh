// Matrix products of four warps on operands in shared memory, on a GPU (sm_90a).
#pragma once

#include <tenon/arch/matrix.cuh>

namespace tenon {

/// A tile in shared memory as wgmma sees it. Rows of 128 bytes along k, swizzled by 128 bytes (both as the copy engine
/// writes them); `group_bytes` from one group of eight rows to the next.
__device__ inline uint64 matrix_descriptor(const void* tile, uint32 group_bytes = 1024) {
    return uint64((shared_address(tile) & 0x3ffff) >> 4) | uint64(1) << 16 | uint64(group_bytes >> 4) << 32 | uint64(1) << 62;
}

/// Before the first product on registers or shared memory that were touched otherwise.
__device__ inline void warpgroup_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes the group of products started since the last group.
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most kPending groups are unfinished; their accumulators must not be touched before.
template <int kPending>
__device__ inline void wait_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// Moves registers between warpgroups of a block: kCount per thread, a multiple of 8, in all four warps.
template <int kCount>
__device__ inline void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ inline void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}

/// The same with a in registers: 64 x 16 halves or bfloat16s, for each warp the fragment of multiply_m16n8k16. They must stay
/// as they are until the product is waited for.
template <typename T, int kColumns>
struct WarpgroupProductFromRegisters;

#define TENON_REGISTERS_8(name, i) name(i), name(i + 1), name(i + 2), name(i + 3), name(i + 4), name(i + 5), name(i + 6), name(i + 7)
#define TENON_REGISTERS_16(name, i) TENON_REGISTERS_8(name, i), TENON_REGISTERS_8(name, i + 8)
#define TENON_REGISTERS_32(name, i) TENON_REGISTERS_16(name, i), TENON_REGISTERS_16(name, i + 16)
#define TENON_REGISTERS_64(name, i) TENON_REGISTERS_32(name, i), TENON_REGISTERS_32(name, i + 32)
#define TENON_REGISTERS_48(name, i) TENON_REGISTERS_32(name, i), TENON_REGISTERS_16(name, i + 32)
#define TENON_REGISTERS_80(name, i) TENON_REGISTERS_64(name, i), TENON_REGISTERS_16(name, i + 64)
#define TENON_REGISTERS_96(name, i) TENON_REGISTERS_64(name, i), TENON_REGISTERS_32(name, i + 64)
#define TENON_REGISTERS_112(name, i) TENON_REGISTERS_64(name, i), TENON_REGISTERS_48(name, i + 64)
#define TENON_REGISTERS_128(name, i) TENON_REGISTERS_64(name, i), TENON_REGISTERS_64(name, i + 64)

/// The same for a tile of 16-bit elements whose rows of 128 bytes run along columns of b, one row per k; `block_bytes`
/// from 64 columns to the next 64.
__device__ inline uint64 transposed_descriptor(const void* tile, uint32 block_bytes) {
    return uint64((shared_address(tile) & 0x3ffff) >> 4) | uint64(block_bytes >> 4) << 16 | uint64(1024 >> 4) << 32 | uint64(1) << 62;
}

/// c (64 x kColumns, float) = a * b, or c += a * b where `accumulate`, over one k step: 16 for half and bfloat16, 8 for
/// tf32. Starts the product; a and b are descriptors, b a transposed one if kTransposed.
template <typename T, int kColumns, bool kTransposed = false>
struct WarpgroupProduct;

#define TENON_PLACES_8 \
    "%0, %1, %2, %3"
#define TENON_PLACES_16 \
    "%0, %1, %2, %3, %4, %5, %6, %7"
#define TENON_PLACES_32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define TENON_PLACES_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define TENON_PLACES_96 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define TENON_PLACES_128 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TENON_PLACES_160 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, " \
    "%72, %73, %74, %75, %76, %77, %78, %79"
#define TENON_PLACES_192 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, " \
    "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TENON_PLACES_224 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, " \
    "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define TENON_PLACES_256 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, " \
    "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, " \
    "%120, %121, %122, %123, %124, %125, %126, %127"

#define TENON_ACCUMULATOR(i) "+f"(c[i])
#define TENON_PRODUCT(T, columns, transposed, registers, k, types, transposes, a_place, b_place, keep_place)                  \
    template <>                                                                                                              \
    struct WarpgroupProduct<T, columns, transposed> {                                                                                   \
        __device__ static void start(float (&c)[registers], uint64 a, uint64 b, bool accumulate) {                           \
            asm volatile("{ .reg .pred keep; setp.ne.b32 keep, %" #keep_place                                                 \
                         ", 0; wgmma.mma_async.sync.aligned.m64n" #columns k types " {" TENON_PLACES_##columns "}, %" #a_place \
                         ", %" #b_place ", keep, 1, 1" transposes "; }"                                                      \
                         : TENON_ACCUMULATORS_##registers                                                                    \
                         : "l"(a), "l"(b), "r"(int(accumulate)));                                                            \
        }                                                                                                                    \
    };
#define TENON_REGISTER_PRODUCT(T, columns, registers, types, a0, a1, a2, a3, b_place, keep_place)                              \
    template <>                                                                                                              \
    struct WarpgroupProductFromRegisters<T, columns> {                                                                       \
        __device__ static void start(float (&c)[registers], const uint32 (&a)[4], uint64 b, bool accumulate) {               \
            asm volatile("{ .reg .pred keep; setp.ne.b32 keep, %" #keep_place                                                 \
                         ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16" types " {" TENON_PLACES_##columns             \
                         "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b_place ", keep, 1, 1, 0; }"                       \
                         : TENON_ACCUMULATORS_##registers                                                                    \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(accumulate)));                        \
        }                                                                                                                    \
    };
#define TENON_PRODUCTS(columns, registers, a_place, b_place, keep_place)                                                       \
    TENON_PRODUCT(half, columns, false, registers, "k16", ".f32.f16.f16", ", 0, 0", a_place, b_place, keep_place)                     \
    TENON_PRODUCT(half, columns, true, registers, "k16", ".f32.f16.f16", ", 0, 1", a_place, b_place, keep_place)               \
    TENON_PRODUCT(bfloat16, columns, true, registers, "k16", ".f32.bf16.bf16", ", 0, 1", a_place, b_place, keep_place)         \
    TENON_PRODUCT(bfloat16, columns, false, registers, "k16", ".f32.bf16.bf16", ", 0, 0", a_place, b_place, keep_place)               \
    TENON_PRODUCT(tf32, columns, false, registers, "k8", ".f32.tf32.tf32", "", a_place, b_place, keep_place)
#define TENON_ACCUMULATORS_4 TENON_ACCUMULATOR(0), TENON_ACCUMULATOR(1), TENON_ACCUMULATOR(2), TENON_ACCUMULATOR(3)
#define TENON_ACCUMULATORS_8 TENON_REGISTERS_8(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_16 TENON_REGISTERS_16(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_32 TENON_REGISTERS_32(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_48 TENON_REGISTERS_48(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_64 TENON_REGISTERS_64(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_80 TENON_REGISTERS_80(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_96 TENON_REGISTERS_96(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_112 TENON_REGISTERS_112(TENON_ACCUMULATOR, 0)
#define TENON_ACCUMULATORS_128 TENON_REGISTERS_128(TENON_ACCUMULATOR, 0)
TENON_PRODUCTS(8, 4, 4, 5, 6)
TENON_PRODUCTS(16, 8, 8, 9, 10)
TENON_PRODUCTS(32, 16, 16, 17, 18)
TENON_PRODUCTS(64, 32, 32, 33, 34)
TENON_PRODUCTS(96, 48, 48, 49, 50)
TENON_PRODUCTS(128, 64, 64, 65, 66)
TENON_PRODUCTS(160, 80, 80, 81, 82)
TENON_PRODUCTS(192, 96, 96, 97, 98)
TENON_PRODUCTS(224, 112, 112, 113, 114)
TENON_PRODUCTS(256, 128, 128, 129, 130)

#define TENON_REGISTER_PRODUCTS(columns, registers, a0, a1, a2, a3, b_place, keep_place)                                              \
    TENON_REGISTER_PRODUCT(half, columns, registers, ".f32.f16.f16", a0, a1, a2, a3, b_place, keep_place)                             \
    TENON_REGISTER_PRODUCT(bfloat16, columns, registers, ".f32.bf16.bf16", a0, a1, a2, a3, b_place, keep_place)
TENON_REGISTER_PRODUCTS(32, 16, 16, 17, 18, 19, 20, 21)
TENON_REGISTER_PRODUCTS(64, 32, 32, 33, 34, 35, 36, 37)
TENON_REGISTER_PRODUCTS(96, 48, 48, 49, 50, 51, 52, 53)
TENON_REGISTER_PRODUCTS(128, 64, 64, 65, 66, 67, 68, 69)

#undef TENON_REGISTER_PRODUCTS
#undef TENON_REGISTER_PRODUCT
#undef TENON_PRODUCTS
#undef TENON_PRODUCT
#undef TENON_ACCUMULATOR

}  // namespace tenon
