#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Regions without an anchor: any DAG of pointwise functions, any strides and broadcasts, vectorised where strides
/// allow.
const KernelFamily& pointwise_family();

}  // namespace tenon::codegen
