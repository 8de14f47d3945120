#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// f16 and bf16 convolutions of 64 channels to at most 64 on sm_90a whose filter stays in shared memory.
const KernelFamily& halo_family();

}  // namespace tenon::codegen
