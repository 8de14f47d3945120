#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Convolutions of images with channels innermost whose groups have few channels, f16 and bf16, on tensor cores
/// (sm_80).
const KernelFamily& grouped_family();

}  // namespace tenon::codegen
