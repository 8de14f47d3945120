#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Reductions over any axes, see <tenon/reduce.cuh>. Where there are too few results to fill the GPU, several blocks
/// share a result and a second kernel merges their parts, always in the same order.
const KernelFamily& reduce_family();

}  // namespace tenon::codegen
