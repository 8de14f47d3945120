// Operands of a contraction: where the element lies that belongs to an outer index (row or column of the result) and a depth index.
#pragma once

#include <tenon/domain.cuh>

namespace tenon {

/// One axis of a linear index: how many positions it has and how many elements a step moves.
struct Axis {
    int64 extent;
    int64 stride;
};

/// A spatial axis of a convolution. position = output * stride + tap * dilation - pad has to lie in [0, extent) and has to be
/// a multiple of `spread` in steps of which the image moves; elsewhere the image is zero.
struct WindowAxis {
    int outer;     ///< Which outer axis counts the outputs.
    int depth;     ///< Which depth axis counts the taps.
    int64 extent;  ///< In positions: image extent times spread.
    int64 stride, dilation, pad;
    int64 spread;  ///< Above 1 for transposed convolutions: image elements lie that many positions apart.
    int64 step;    ///< Elements to the next image element along the axis; used only where spread > 1.
};

/// An operand as a matrix of outer times depth, in `batch` copies. Lists run from the outermost axis and end at extent 0.
struct TileOperand {
    Axis batch[kMaxAxes];
    Axis outer[kMaxAxes];
    Axis depth[kMaxAxes];
    WindowAxis window[3];
    int64 origin;      ///< Elements from the pointer to batch, outer and depth index 0; negative before a padded image.
    int chunk;         ///< Neighbouring elements that are moved together, along depth or (outer_major) along outer.
    bool outer_major;  ///< The tile in shared memory has one line per depth index instead of one per outer index.
    bool outer_first;  ///< Neighbouring threads take neighbouring outer indices, where those are neighbours in memory.
};

template <int kAxes>
__device__ constexpr int axes_of(const Axis (&axes)[kAxes]) {
    int count = 0;
    while (count < kAxes && axes[count].extent != 0) ++count;
    return count;
}
__device__ constexpr int windows_of(const TileOperand& operand) {
    int count = 0;
    while (count < 3 && operand.window[count].extent != 0) ++count;
    return count;
}

/// One side of an element's place: an outer or a depth index taken apart.
template <typename Index>
struct TilePlace {
    Index offset;
    int32 position[3];  ///< Its share of the position along each window axis.
    bool inside;
};

/// Elements from the start of batch 0 to the start of `batch`.
template <TileOperand O, typename Index>
__device__ inline Index batch_offset(Index batch) {
    constexpr int kAxes = axes_of(O.batch);
    Index offset = 0;
#pragma unroll
    for (int axis = kAxes - 1; axis >= 0; --axis) {
        const Index extent = Index(O.batch[axis].extent);
        offset += (axis == 0 ? batch : batch % extent) * Index(O.batch[axis].stride);
        batch /= extent;
    }
    return offset;
}

template <TileOperand O, typename Index>
__device__ inline TilePlace<Index> outer_place(Index outer, Index count) {
    constexpr int kAxes = axes_of(O.outer);
    TilePlace<Index> place{0, {}, outer < count};
#pragma unroll
    for (int axis = kAxes - 1; axis >= 0; --axis) {
        const Index extent = Index(O.outer[axis].extent);
        const Index coordinate = axis == 0 ? outer : outer % extent;
        outer /= extent;
        place.offset += coordinate * Index(O.outer[axis].stride);
#pragma unroll
        for (int w = 0; w < windows_of(O); ++w) {
            if (O.window[w].outer == axis) place.position[w] = int32(coordinate * Index(O.window[w].stride) - Index(O.window[w].pad));
        }
    }
    return place;
}

template <TileOperand O, typename Index>
__device__ inline TilePlace<Index> depth_place(Index depth, Index count) {
    constexpr int kAxes = axes_of(O.depth);
    TilePlace<Index> place{0, {}, depth < count};
#pragma unroll
    for (int axis = kAxes - 1; axis >= 0; --axis) {
        const Index extent = Index(O.depth[axis].extent);
        const Index coordinate = axis == 0 ? depth : depth % extent;
        depth /= extent;
        place.offset += coordinate * Index(O.depth[axis].stride);
#pragma unroll
        for (int w = 0; w < windows_of(O); ++w) {
            if (O.window[w].depth == axis) place.position[w] = int32(coordinate * Index(O.window[w].dilation));
        }
    }
    return place;
}

/// An element's offset from the start of its batch, and whether it exists; if not, it counts as zero.
template <typename Index>
struct TileElement {
    Index offset;
    bool exists;
};

template <TileOperand O, typename Index>
__device__ inline TileElement<Index> element_at(const TilePlace<Index>& outer, const TilePlace<Index>& depth) {
    TileElement<Index> element{outer.offset + depth.offset, outer.inside && depth.inside};
#pragma unroll
    for (int w = 0; w < windows_of(O); ++w) {
        const int32 position = outer.position[w] + depth.position[w];
        element.exists = element.exists && uint32(position) < uint32(O.window[w].extent);
        if (O.window[w].spread > 1) {
            element.exists = element.exists && position % int32(O.window[w].spread) == 0;
            element.offset += Index(position / int32(O.window[w].spread)) * Index(O.window[w].step);
        }
    }
    return element;
}

}  // namespace tenon
