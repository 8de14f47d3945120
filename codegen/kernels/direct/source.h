#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Takes every region with an anchor: one output element per thread, any strides and types. Slow where a main loop
/// would pay.
const KernelFamily& direct_family();

}  // namespace tenon::codegen
