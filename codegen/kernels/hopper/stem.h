#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// First layers on sm_90a: f16 and bf16 convolutions of channels-last images with few channels, whose rows are copied
/// to shared memory whole.
const KernelFamily& stem_family();

}  // namespace tenon::codegen
