#pragma once

#include <string>
#include <vector>

#include "codegen/kernels/rows/arrangement.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// A norm or softmax as the row kernels see it: one input, everything behind the statistics in the epilogue.
struct NormRegion {
    Region given;
    Region region;            ///< Scale and bias are part of the epilogue; `inputs` has the body of x alone.
    GatheredAxes axes;        ///< Of x.
    std::string function;     ///< "layer_norm", "rms_norm", "group_norm", "softmax", …
    std::string device_norm;  ///< "LayerNorm{.epsilon = 1e-05}"
    double epsilon = 0.0;
    bool centred = false;                 ///< Has a mean to report.
    std::vector<Dims> statistic_strides;  ///< Of each anchor store over `axes.split_dims()`.
};

/// Whether the row kernels know this anchor: a Norm, a Softmax, or a BatchNorm in training.
bool is_row_norm(const Op& op);
/// Only for such anchors.
NormRegion norm_region(const Region& region, const GraphData& graph);

/// The norm as a pointwise region that loads mean and inverse deviation from two operands over all axes of x. Only for
/// norms that have a mean.
Region apply_statistics(const NormRegion& norm, const Operand& mean, const Operand& inverse_deviation);

}  // namespace tenon::codegen
