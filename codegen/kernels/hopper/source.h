#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Convolutions and matrix products of f16, bf16 and tf32 on sm_90a: factors by tensor maps, products by warpgroups.
const KernelFamily& hopper_family();

}  // namespace tenon::codegen
