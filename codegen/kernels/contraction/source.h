#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Convolutions, transposed convolutions and matrix products by tiles in shared memory: tensor cores through mma.sync
/// on sm_75 and later, multiply-adds where there are none for the type. Any strides and layouts.
const KernelFamily& contraction_family();

}  // namespace tenon::codegen
