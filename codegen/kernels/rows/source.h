#pragma once

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// Norms and softmax over any axes, see <tenon/norm.cuh>: statistics of rows or columns, elements in registers between
/// the two passes where they fit.
const KernelFamily& rows_family();

}  // namespace tenon::codegen
