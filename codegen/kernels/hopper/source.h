#pragma once

#include "codegen/kernels/family.h"
#include "codegen/kernels/hopper/epilogue.h"
#include "codegen/kernels/hopper/product_region.h"

namespace tenon::codegen {

/// Convolutions and matrix products of f16, bf16 and tf32 on sm_90a: factors by tensor maps, products by warpgroups.
const KernelFamily& hopper_family();
/// Predicted time of its best tile for the region.
double best_product_seconds(const Region& region, const EmitContext& context, const ProductRegion& product,
                            const ProductEpilogue& epilogue);

}  // namespace tenon::codegen
