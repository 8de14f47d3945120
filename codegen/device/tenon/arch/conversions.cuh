// Conversions that are plain arithmetic on bits, the same everywhere.
#pragma once

namespace tenon {

template <typename To, typename From>
__device__ inline To bit_cast(const From& from) {
    return __builtin_bit_cast(To, from);
}

__device__ inline double round_even(double value) { return round_of(value); }

/// Round to nearest even by adding half of the last place; NaN keeps its quiet bit.
__device__ inline uint16 float_to_bfloat16_bits(float value) {
    const uint32 bits = bit_cast<uint32>(value);
    if (value != value) return uint16((bits >> 16) | 0x40);
    return uint16((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The float towards which a second rounding cannot go wrong: inexact results get an odd last bit.
__device__ inline float rounded_to_odd(double value) {
    const float nearest = float(value);
    if (double(nearest) == value || value != value) return nearest;
    uint32 bits = bit_cast<uint32>(nearest);
    const bool beyond = value < 0.0 ? double(nearest) < value : double(nearest) > value;
    if (beyond) --bits;
    return bit_cast<float>(bits | 1);
}

__device__ inline uint16 double_to_half_bits(double value) { return float_to_half_bits(rounded_to_odd(value)); }
__device__ inline uint16 double_to_bfloat16_bits(double value) { return float_to_bfloat16_bits(rounded_to_odd(value)); }

}  // namespace tenon
