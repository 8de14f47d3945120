// The same primitives on the host: a thread of the kernel is a function call, every access to memory is checked, and what
// takes more than one thread is left to the machine that runs them.
#pragma once

#include <tenon/arch/host/machine.cuh>

#define __global__
#define __device__
#define __grid_constant__
#define __launch_bounds__(...)

namespace tenon {

static EmulatedMachine* machine = nullptr;

inline uint32 block_index_x() { return machine->thread->block_index[0]; }
inline uint32 thread_index() { return machine->thread->index; }

/// The address itself of a pointer to global memory, after the access was checked.
template <typename T>
inline T* sound_address(T* pointer, EmulatedAccess access) {
    const uint64 address = reinterpret_cast<uint64>(pointer);
    const EmulatedSpan& span = machine->spans[(address >> kEmulatedTagShift) % kEmulatedTags];
    const uint64 offset = address - span.begin;
    const bool is_inside = offset <= span.bytes && span.bytes - offset >= sizeof(T);
    const bool is_allowed = access == EmulatedAccess::Read || span.written;
    if (!is_inside || !is_allowed || address % alignof(T) != 0) machine->refuse_access(pointer, sizeof(T), alignof(T), access);
    return reinterpret_cast<T*>(address & ((uint64(1) << kEmulatedTagShift) - 1));
}

template <typename T>
inline T load_global(const T* from) {
    return *sound_address(from, EmulatedAccess::Read);
}
template <typename T>
inline void store_global(T* to, T value) {
    *sound_address(to, EmulatedAccess::Write) = value;
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

/// What the shared object of a kernel exports as its only symbol.
#define TENON_EMULATED_KERNEL(kernel)                                                               \
    extern "C" __attribute__((visibility("default"))) const tenon::EmulatedKernel tenon_kernel = {  \
        [](tenon::EmulatedMachine* running) { tenon::machine = running; },                          \
        [](void** arguments) { tenon::call_kernel(&kernel, arguments); }};

template <typename... Parameters>
inline void call_kernel(void (*kernel)(Parameters...), void** arguments) {
    Caller<>::go(Split<Parameters...>{}, kernel, arguments);
}

}  // namespace tenon
