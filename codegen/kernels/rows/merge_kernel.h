#pragma once

#include "codegen/kernels/rows/statistics_layout.h"

namespace tenon::codegen {

/// The kernel that merges the moments of splits (and of the channels of a group) into mean and inverse deviation of
/// every slice, and stores what the graph wants of them: saved statistics, running statistics.
Result<Step> merge_kernel(const NormRegion& norm, const StatisticsLayout& layout, const EmitContext& context);

/// Launch shape and the lines of explain of a kernel of `statistics` slices of the tile.
void finish_step(Step& step, const SliceTile& tile, int64_t statistics, int statistic_bytes,
                 const EmitContext& context);

}  // namespace tenon::codegen
