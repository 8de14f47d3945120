#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/kernel_source.h"
#include "codegen/source/body_text.h"

namespace tenon::codegen {

/// The epilogue of a product over rows (pixels) and columns (channels), and what of it may pass through shared memory.
struct ProductEpilogue {
    std::vector<Access> list;
    Domain domain;
    int lanes = 1;    ///< Neighbouring columns that every operand allows at once, up to 8.
    int result = -1;  ///< Operand that may leave through the copy engine, or -1.
    bool is_only_result = false;
    int operand = -1;  ///< Operand whose place in shared memory the result may take, or -1.
};

ProductEpilogue read_epilogue(const Region& region);

/// Whether any of the strides is not 0.
bool moves(const Dims& strides);
/// Gives operands that are read both as a factor and by the epilogue a parameter for each.
void part_factors(Region& region);
/// Map of a packed operand of `rows` x `columns` for panels of tiles that are `tile_columns` wide.
TensorMapShape panel_map(const Operand& operand, int64_t rows, int64_t columns, int64_t tile_columns);
/// Raises the alignment the kernel needs of pointers that the epilogue accesses `lanes` at a time.
void align_epilogue(KernelSource& kernel, const ProductEpilogue& epilogue, int lanes);

}  // namespace tenon::codegen
