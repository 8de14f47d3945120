#pragma once

#include <vector>

#include "codegen/kernels/family.h"
#include "codegen/region/domain.h"
#include "codegen/region/verdict.h"

namespace tenon::codegen {

/// One axis of a linear index of an operand. `window` is the spatial axis whose positions it counts, or -1.
struct OperandAxis {
    int64_t extent = 1;
    int64_t stride = 0;  ///< Elements.
    int window = -1;
};

/// A spatial axis of a convolution; the fields are those of WindowAxis in the device library.
struct OperandWindow {
    int64_t extent = 0, stride = 1, dilation = 1, pad = 0, spread = 1, step = 0;
};

/// Where an anchor input lies, or, if it is computed, how its points are counted: packed in the memory order of what
/// its body loads.
struct InputPlace {
    DataType type = DataType::F32;
    Dims strides;
    int64_t offset = 0;
    int most_lanes = 16;  ///< Neighbouring elements that can be read together.
    Domain domain;        ///< Of the body; empty for a plain input.
};
InputPlace place_of_input(const Region& region, int input);

/// An anchor input as a matrix of outer times depth, in `batch` copies; outermost axes first.
struct OperandView {
    int input = 0;  ///< Of the anchor.
    std::vector<OperandAxis> batch, outer, depth;
    std::vector<OperandWindow> window;  ///< One per spatial axis; only those with an axis that names them count.
    int64_t origin = 0;        ///< Elements from the operand's first element to batch, outer and depth index 0.
    int chunk = 1;             ///< Neighbouring elements that can be moved together.
    bool outer_major = false;  ///< They lie along the outer axis.
    bool outer_first = false;  ///< Neighbouring threads should take neighbouring outer indices.
};

/// A convolution or matrix product as result[row][column] = sum over depth of rows(row, depth) * columns(column,
/// depth).
struct ContractionView {
    int64_t batch = 1, rows = 1, columns = 1, depth = 1;
    bool batch_along_columns = false;  ///< Batches lie side by side in the columns of the result.
    OperandView row_operand, column_operand;
    AxisOrder order;  ///< Of the result: which axes are rows and columns.
    bool columns_are_channels = false;
};

/// Whether the anchor is a contraction that tiles serve, and if not, why.
Verdict is_contraction(const Region& region, const GraphData& graph);
/// Only for what is_contraction took. Rows and columns are chosen so that neighbouring columns of the (first) stored
/// result lie next to each other in memory where they can.
ContractionView view_of(const Region& region, const GraphData& graph);

/// Sets how each operand is brought into shared memory. Only 2-byte elements bound for tensor cores can stay
/// outer-major there; others are turned on the way.
void choose_chunks(ContractionView& view, const Region& region, bool may_be_outer_major);

/// `constexpr TileOperand <name>{…};`
std::string operand_constant(const std::string& name, const OperandView& view);

}  // namespace tenon::codegen
