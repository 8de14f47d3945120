#pragma once

#include <string>

#include "codegen/kernels/family.h"
#include "codegen/kernels/rows/arrangement.h"
#include "codegen/kernels/rows/norm_region.h"
#include "codegen/kernels/rows/tile.h"

namespace tenon::codegen {

/// Scratch memory between the kernels of a norm: parts [splits, fine statistics], then what they merge into.
enum NormScratch { kMeans, kSpreads, kMean, kInverseDeviation };

/// How the statistics lie between the kernels.
struct StatisticsLayout {
    Arrangement arrangement;  ///< Of the gathering kernel.
    Domain input;
    std::vector<Access> loads;
    SliceTile tile;
    int64_t fine = 1;       ///< Statistics that are gathered, in the order of the arrangement.
    int64_t elements = 1;   ///< Behind each of them.
    std::vector<int> kept;  ///< Axes of norm.axes.split_dims() that the final statistics move along, outermost first.
    Dims kept_dims;
    Dims part_dims;        ///< Parts as the merging kernel sees them: [splits, kept…] or [splits, kept…, channels].
    Dims part_strides;     ///< In the scratch memory [splits, fine].
    int64_t channels = 1;  ///< Of a group, where the merging kernel adds them up.

    /// Elements that every split but the last has seen of a slice.
    int64_t elements_of_split() const;
    /// Scratch memory for a statistic over the kept dims; each value has room for all channels of its group.
    Operand statistic(NormScratch number, DataType type, const std::string& role) const;
    int64_t statistic_count() const { return element_count(kept_dims) * channels; }
    /// The same memory as an operand over all axes of x.
    Operand statistic_of_x(NormScratch number, DataType type, const std::string& role, const Dims& x_dims) const;
};

/// Where the norm's input, parts and statistics lie, and the tile of the gathering kernel.
StatisticsLayout lay_out_statistics(const NormRegion& norm, const EmitContext& context);
/// F64 for F64, else F32.
DataType inner_type(const NormRegion& norm);

}  // namespace tenon::codegen
