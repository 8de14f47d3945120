#pragma once

#include <vector>

#include <tenon/plan.h>

#include "codegen/planner/storage.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// Cuts the graph into regions in an order in which they can run. Every node that is no free view is in exactly one
/// region.
Result<std::vector<Region>> grow_regions(const GraphData& graph, const std::vector<Storage>& storage,
                                         const PlanOptions& options);

}  // namespace tenon::codegen
