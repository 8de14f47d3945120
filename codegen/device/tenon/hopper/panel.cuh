// Pieces of a tile in shared memory, laid out as the copy engine writes and reads them, under the words of kernel bodies.
#pragma once

#include <tenon/arch/tensor_copy.cuh>
#include <tenon/epilogue.cuh>

namespace tenon {

/// Rows of kBytes (64 or 128) whose 16-byte pieces are swapped by the row, so that neither rows nor columns collide in
/// the banks. Element (first_row, first_column) of the tensor lies at `base`, which is aligned to 1024 bytes.
template <typename T, int kBytes>
struct Panel {
    static constexpr int kColumns = kBytes / sizeof(T);

    uint8* base;
    int32 first_row;
    int32 first_column;

    template <typename Place>
    __device__ T* element(const Place& at) const {
        const int32 row = int32(at.row) - first_row, byte = (int32(at.column) - first_column) * int32(sizeof(T));
        const int32 swap = kBytes == 128 ? row & 7 : (row >> 1) & 3;
        return reinterpret_cast<T*>(base + row * kBytes + (byte ^ swap << 4));
    }
};

/// N neighbouring elements of a panel; they lie within 16 bytes.
template <typename T, int kBytes, Domain D, int N>
__device__ inline auto per_element(const Panel<T, kBytes>& from, const At<D, N>& at) {
    using Raw = typename Word<N * sizeof(T)>::type;
    const auto raw = bit_cast<Lanes<T, N>>(load_shared(reinterpret_cast<const Raw*>(from.element(at))));
    return each(raw, [](auto element) { return widened(element); });
}

template <typename T, int kBytes, Domain D, int N, typename A>
__device__ inline void store(const Panel<T, kBytes>& to, const At<D, N>& at, const A& value) {
    using Raw = typename Word<N * sizeof(T)>::type;
    store_shared(reinterpret_cast<Raw*>(to.element(at)), bit_cast<Raw>(narrowed_lanes<T, N>(value)));
}

}  // namespace tenon
