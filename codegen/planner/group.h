#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/planner/seen.h"
#include "codegen/program.h"

namespace tenon::codegen {

/// Pointwise functions, casts and coordinates: what a body can hold.
bool is_pointwise(const Op& op);

/// Nodes that become one kernel.
struct Group {
    NodeId seed = kNone;             ///< The anchor, or the first pointwise node.
    std::vector<NodeId> members;     ///< The seed and the pointwise nodes that are computed here for all who read them.
    std::map<NodeId, Sight> sights;  ///< Of each member: from its result to the axes of the seed's result.
    std::set<NodeId> recomputed;     ///< Pointwise nodes in front that are computed here for this kernel's own use.
    std::vector<Note> notes;

    bool computes(NodeId node) const { return node != kNone && (sights.contains(node) || recomputed.contains(node)); }
};

/// How the axes of `value` are seen from the group's result, if it is the main result of a member or a reshape or
/// transpose of one.
std::optional<Sight> sight_of(const GraphData& graph, const Group& group, ValueId value);

/// The node that computes `value`, looking through shape-only nodes; kNone for inputs and constants.
NodeId computing_node(const GraphData& graph, ValueId value);

/// `step` in front of `sight`; a step that changes nothing or undoes the next one is left out.
Sight in_front(const GraphData& graph, SeenThrough step, const Dims& dims, Sight sight);

}  // namespace tenon::codegen
