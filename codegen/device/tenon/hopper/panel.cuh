// Pieces of a tile in shared memory, laid out as the copy engine writes and reads them, under the words of kernel bodies.
#pragma once

#include <tenon/arch/tensor_copy.cuh>
#include <tenon/epilogue.cuh>

namespace tenon {

/// Byte of a panel at (row, byte in the row). Rows have kBytes (64 or 128); their 16-byte pieces are swapped by the row, so that
/// neither rows nor columns collide in the banks. A panel is aligned to 1024 bytes.
template <int kBytes>
__device__ inline int32 panel_byte(int32 row, int32 byte) {
    const int32 swap = kBytes == 128 ? row & 7 : (row >> 1) & 3;
    return row * kBytes + (byte ^ swap << 4);
}

/// A place in a panel that stands for an operand or a result of the body, whatever place of the domain the body is run at:
/// beyond the result's last row and column it is run at the last ones, and what it puts here is dropped.
template <typename T>
struct PanelPlace {
    uint8* at;
};

/// N neighbouring elements; they lie within 16 bytes.
template <typename T, Domain D, int N>
__device__ inline auto per_element(const PanelPlace<T>& from, const At<D, N>&) {
    using Raw = typename Word<N * sizeof(T)>::type;
    const auto raw = bit_cast<Lanes<T, N>>(load_shared(reinterpret_cast<const Raw*>(from.at)));
    return each(raw, [](auto element) { return widened(element); });
}

template <typename T, Domain D, int N, typename A>
__device__ inline void store(const PanelPlace<T>& to, const At<D, N>&, const A& value) {
    using Raw = typename Word<N * sizeof(T)>::type;
    store_shared(reinterpret_cast<Raw*>(to.at), bit_cast<Raw>(narrowed_lanes<T, N>(value)));
}

}  // namespace tenon
