#pragma once

#include <climits>
#include <vector>

#include "codegen/kernels/family.h"
#include "codegen/planner/group.h"
#include "codegen/planner/region_builder.h"
#include "frontend/graph/graph_view.h"

namespace tenon::codegen {

/// Groups under construction, and what can be asked about them.
class FusionState {
  public:
    FusionState(const EmitContext& context, const std::vector<Storage>& storage);

    const GraphData& graph() const { return graph_; }
    const Node& node(NodeId id) const { return graph_.node(id); }
    std::vector<Group>& groups() { return groups_; }
    const std::vector<Group>& groups() const { return groups_; }

    /// Starts a group of one node; its number.
    size_t start(NodeId seed);
    void own(size_t group, NodeId node, Sight sight);
    /// The group that computes the node for all, or kNone.
    int32_t owner(NodeId node) const { return owner_[static_cast<size_t>(node)]; }
    bool is_free_view(NodeId node) const { return free_view_[static_cast<size_t>(node)]; }

    /// Readers of a value, and readers of its reshapes and transposes in their place.
    std::vector<NodeId> readers_through_views(ValueId value) const;
    /// Whether the group computes something from the value instead of loading what another kernel stored.
    bool is_read_from_memory(ValueId value) const;
    /// Whether `node`, or the kernel it is part of, reads anything that comes from `group`.
    bool depends_on(NodeId node, size_t group) const;

    /// Place of the first family that takes the group as it stands. INT_MAX if none does; `refusal` is then, or if the
    /// place is behind `wanted`, why the family at `wanted` does not.
    int rank(size_t group, int wanted, Verdict& refusal) const;
    Verdict build(size_t group, Region& region) const;
    /// Whether the group reads something that is computed from its own results by other kernels.
    bool needs_itself(size_t group) const;

    /// The group as it was before a change that turned out badly.
    void restore(size_t group, Group before);

  private:
    bool reads_from_memory(NodeId reader, ValueId value) const;

    const EmitContext& context_;
    const GraphData& graph_;
    const std::vector<Storage>& storage_;
    GraphView view_;
    std::vector<Group> groups_;
    std::vector<int32_t> owner_;
    std::vector<bool> free_view_;
};

}  // namespace tenon::codegen
