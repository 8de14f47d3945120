#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::engine {

/// A tensor to read: its description and the address of its first element.
struct Source {
    const Value& value;
    const std::byte* memory;
};

/// A tensor to write. Only its elements are touched, never the gaps between them.
struct Sink {
    const Value& value;
    std::byte* memory;
};

using Sources = std::vector<Source>;
using Sinks = std::vector<Sink>;

/// Visits all coordinates of `dims` in row-major order with the offsets they have under each set of strides.
template <size_t N, typename Visit>
void walk(const Dims& dims, const std::array<Dims, N>& strides, Visit&& visit) {
    if (element_count(dims) == 0) return;
    std::array<int64_t, N> offsets{};
    Dims at(dims.size(), 0);
    for (;;) {
        visit(static_cast<const std::array<int64_t, N>&>(offsets));
        size_t axis = dims.size();
        for (;;) {
            if (axis-- == 0) return;
            const bool moves = ++at[axis] < dims[axis];
            const int64_t steps = moves ? 1 : 1 - dims[axis];
            for (size_t i = 0; i < N; ++i) offsets[i] += steps * strides[i][axis];
            if (moves) break;
            at[axis] = 0;
        }
    }
}

/// The strides of `value` spread over `dims`: axes aligned at the end, 0 where an extent of 1 is repeated.
Dims broadcast_strides(const Value& value, const Dims& dims);

/// All elements in row-major order. T is double, or int64_t for integers and Bool.
template <typename T>
std::vector<T> read(const Source& source);
/// Writes elements given in row-major order by the rules of `store` and `store_integer`.
template <typename T>
void write(const Sink& sink, const std::vector<T>& elements);

/// Copies one element; bits are kept if the types agree.
void copy_element(const Source& source, int64_t from, const Sink& sink, int64_t to);

}  // namespace tenon::engine
