#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Convolutions whose output channels read one input channel each, and pools: f16, bf16 and f32 images of one to three
/// spatial axes, sums in f32.
const KernelFamily& window_family();

}  // namespace tenon::codegen
