#pragma once

#include "codegen/kernel_source.h"
#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// A convolution or matrix product as warpgroups compute it: what of the region is fixed before a tile is chosen.
struct ProductRegion {
    std::string function;            ///< "conv" or "matmul".
    std::vector<std::string> roles;  ///< Of the two factors.
    DataType type = DataType::F16;   ///< Of the factors.
    int64_t rows = 0;                ///< Pixels, or rows of the first matrix.
    int64_t columns = 0;             ///< Channels, or columns of the second.
    int64_t depth = 0;               ///< Channels of a tap, in elements.
    Dims taps{1, 1};                 ///< Filter rows and columns.
    bool is_windowed = false;        ///< Rows are fetched in im2col mode.
    Dims image{1, 1}, stride{1, 1}, dilation{1, 1}, pad{0, 0};
    bool columns_innermost = false;
    TensorMapShape row_map;     ///< Without its box, or the pixels of a column in im2col mode.
    TensorMapShape column_map;  ///< Without its box.
};

/// The region as a product, or why the copy engine or the tensor cores of sm_90a cannot take it.
Verdict read_product(const Region& region, const EmitContext& context, ProductRegion& product);

}  // namespace tenon::codegen
