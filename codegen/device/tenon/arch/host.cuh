// The same primitives on the host: a thread of the kernel is a function call, and every access to global memory is checked.
#pragma once

#define __global__
#define __device__
#define __launch_bounds__(...)

namespace tenon {

/// A piece of memory the kernel was given.
struct EmulatedSpan {
    const uint8* begin;
    const uint8* end;
    bool written;
};

/// What went wrong first.
struct EmulatedFault {
    enum Kind { None, OutOfBounds, Misaligned, ReadOnly };
    int32 kind;
    const void* address;
    int32 bytes;
    uint32 block;
    uint32 thread;
};

/// Launch shape, arguments and findings; the emulator fills it, `run_grid` works through it.
struct EmulatedLaunch {
    uint32 grid;
    uint32 block;
    uint64 seed;
    void** arguments;
    const EmulatedSpan* spans;
    int32 span_count;
    EmulatedFault fault;
};

inline thread_local EmulatedLaunch* current_launch = nullptr;
inline thread_local uint32 current_block = 0;
inline thread_local uint32 current_thread = 0;

inline uint32 block_index_x() { return current_block; }
inline uint32 thread_index() { return current_thread; }

/// Whether the access is inside a span and aligned; the first fault is kept.
inline bool is_sound(const void* address, int32 bytes, bool write) {
    EmulatedLaunch& launch = *current_launch;
    int32 kind = EmulatedFault::OutOfBounds;
    const uint8* first = static_cast<const uint8*>(address);
    for (int32 i = 0; i < launch.span_count && kind != EmulatedFault::None; ++i) {
        const EmulatedSpan& span = launch.spans[i];
        if (first < span.begin || first + bytes > span.end) continue;
        kind = write && !span.written ? EmulatedFault::ReadOnly : EmulatedFault::None;
    }
    if (kind == EmulatedFault::None && reinterpret_cast<uint64>(address) % uint64(bytes) != 0) kind = EmulatedFault::Misaligned;
    if (kind == EmulatedFault::None) return true;
    if (launch.fault.kind == EmulatedFault::None) launch.fault = {kind, address, bytes, current_block, current_thread};
    return false;
}

template <typename T>
inline T load_global(const T* from) {
    return is_sound(from, sizeof(T), false) ? *from : T{};
}
template <typename T>
inline void store_global(T* to, T value) {
    if (is_sound(to, sizeof(T), true)) *to = value;
}

inline float half_bits_to_float(uint16 bits) {
    const uint32 sign = uint32(bits & 0x8000) << 16;
    const uint32 exponent = (bits >> 10) & 31;
    const uint32 mantissa = bits & 0x3ff;
    if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) {
        const float magnitude = float(mantissa) * 5.9604644775390625e-8f;  // 2^-24
        return sign != 0 ? -magnitude : magnitude;
    }
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | mantissa << 13);
}

inline uint16 float_to_half_bits(float value) {
    const uint32 bits = __builtin_bit_cast(uint32, value);
    const uint16 sign = uint16((bits >> 16) & 0x8000);
    const uint32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return uint16(sign | 0x7fff);
    if (magnitude >= 0x477ff000u) return uint16(sign | 0x7c00);
    if (magnitude < 0x38800000u) {  // result is subnormal: add a float whose last bit is 2^-24
        const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
        return uint16(sign | (__builtin_bit_cast(uint32, shifted) - 0x3f000000u));
    }
    const uint32 even = (magnitude >> 13) & 1;
    return uint16(sign | ((magnitude - 0x38000000u + 0xfff + even) >> 13));
}

inline float fma_of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define TENON_MATH_1(name, single, full)                      \
    inline float name(float a) { return single(a); }          \
    inline double name(double a) { return full(a); }
#define TENON_MATH_2(name, single, full)                               \
    inline float name(float a, float b) { return single(a, b); }       \
    inline double name(double a, double b) { return full(a, b); }
#define TENON_LIBM(function) __builtin_##function
#include <tenon/arch/math_list.cuh>
#undef TENON_LIBM
#undef TENON_MATH_1
#undef TENON_MATH_2

/// Calls the kernel with its arguments, each stored where `arguments[i]` points.
template <typename First, typename... Rest>
struct Split {};
template <typename... Bound>
struct Caller {
    template <typename Next, typename... Rest, typename... All>
    static void go(Split<Next, Rest...>, void (*kernel)(All...), void** arguments, Bound... bound) {
        const Next next = *static_cast<Next*>(*arguments);
        if constexpr (sizeof...(Rest) == 0) {
            kernel(bound..., next);
        } else {
            Caller<Bound..., Next>::go(Split<Rest...>{}, kernel, arguments + 1, bound..., next);
        }
    }
};

/// Runs all blocks; threads of a block in an order that the seed decides.
template <typename... Parameters>
inline void run_grid(void (*kernel)(Parameters...), EmulatedLaunch& launch) {
    current_launch = &launch;
    for (current_block = 0; current_block < launch.grid && launch.fault.kind == EmulatedFault::None; ++current_block) {
        const uint32 start = uint32((launch.seed + current_block) % launch.block);
        for (uint32 i = 0; i < launch.block; ++i) {
            current_thread = (start + i) % launch.block;
            Caller<>::go(Split<Parameters...>{}, kernel, launch.arguments);
        }
    }
}

}  // namespace tenon
