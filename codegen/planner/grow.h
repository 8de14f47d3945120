#pragma once

#include <vector>

#include <tenon/plan.h>

#include "codegen/kernels/family.h"
#include "codegen/planner/storage.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// Cuts the graph into regions in an order in which they can run. Every node that an output needs and that is no free
/// view is computed by a region, some by several. A node joins a region only if the family that takes the region then
/// stands no lower in the list than the one that takes it without the node. The context's graph is the one cut.
Result<std::vector<Region>> grow_regions(const EmitContext& context, const std::vector<Storage>& storage,
                                         const PlanOptions& options);

}  // namespace tenon::codegen
