#pragma once

#include <functional>
#include <vector>

#include "codegen/planner/group.h"
#include "codegen/region/region.h"
#include "codegen/region/verdict.h"

namespace tenon::codegen {

/// Whether a result of a member must go to memory: an output, or read by another kernel.
using IsStored = std::function<bool(ValueId)>;

/// Writes down the bodies of a group whose seed is an anchor or a pointwise node. "No" if an operand or result has no
/// strides over the body's axes.
Verdict build_region(const GraphData& graph, const std::vector<Storage>& storage, const Group& group,
                     const IsStored& is_stored, Region& region);

/// The kernels of a node that only moves elements (concat, or a shape-only node whose result is no view): a copy per
/// input that does not already lie in the result.
std::vector<Region> build_copies(const GraphData& graph, const std::vector<Storage>& storage, NodeId id);

}  // namespace tenon::codegen
