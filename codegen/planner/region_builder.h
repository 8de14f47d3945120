#pragma once

#include <vector>

#include "codegen/planner/storage.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// Writes down the bodies of a group of nodes whose first is the anchor or a pointwise node. One region, except that a
/// concat becomes a copy per input that does not already lie in its result.
std::vector<Region> build_regions(const GraphData& graph, const std::vector<Storage>& storage,
                                  const std::vector<NodeId>& group);

}  // namespace tenon::codegen
