#include "codegen/planner/fusion_state.h"

#include <algorithm>

namespace tenon::codegen {

FusionState::FusionState(const EmitContext& context, const std::vector<Storage>& storage)
    : context_(context),
      graph_(context.graph),
      storage_(storage),
      view_(context.graph),
      owner_(context.graph.nodes.size(), kNone),
      free_view_(context.graph.nodes.size()) {
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
        free_view_[n] = codegen::is_free_view(graph_, storage, graph_.nodes[n]);
}

size_t FusionState::start(NodeId seed) {
    groups_.push_back({.seed = seed});
    own(groups_.size() - 1, seed, {});
    return groups_.size() - 1;
}

void FusionState::own(size_t group, NodeId node, Sight sight) {
    groups_[group].members.push_back(node);
    groups_[group].sights[node] = std::move(sight);
    groups_[group].recomputed.erase(node);
    owner_[static_cast<size_t>(node)] = static_cast<int32_t>(group);
}

std::vector<NodeId> FusionState::readers_through_views(ValueId value) const {
    std::vector<NodeId> all;
    for (const NodeId reader : view_.readers(value)) {
        if (!is_bijective_view(graph_, node(reader)) || !is_free_view(reader)) {
            all.push_back(reader);
            continue;
        }
        for (const NodeId behind : readers_through_views(node(reader).outputs[0])) all.push_back(behind);
    }
    return all;
}

bool FusionState::is_read_from_memory(ValueId value) const {
    if (graph_.is_output(value)) return true;
    const std::vector<NodeId>& readers = view_.readers(value);
    return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return reads_from_memory(reader, value); });
}

bool FusionState::reads_from_memory(NodeId reader, ValueId value) const {
    if (is_free_view(reader)) return is_read_from_memory(node(reader).outputs[0]);
    const NodeId producer = computing_node(graph_, value);
    bool is_used = owner(reader) != kNone;
    for (const Group& group : groups_) {
        if (!group.computes(reader)) continue;
        is_used = true;
        if (!group.computes(producer)) return true;
    }
    // A node that no kernel computes yet will read it, unless nobody needs that node any more.
    return !is_used && is_read_from_memory(node(reader).outputs[0]);
}

bool FusionState::depends_on(NodeId start, size_t group) const {
    std::vector<NodeId> open{start};
    std::vector<bool> seen(graph_.nodes.size(), false);
    seen[static_cast<size_t>(start)] = true;
    const auto visit = [&](NodeId id) {
        for (const ValueId input : node(id).inputs) {
            const NodeId producer = graph_.value(input).producer;
            if (producer == kNone || seen[static_cast<size_t>(producer)]) continue;
            seen[static_cast<size_t>(producer)] = true;
            open.push_back(producer);
        }
    };
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        const int32_t home = owner(at);
        if (home == static_cast<int32_t>(group)) return true;
        visit(at);
        if (home == kNone) continue;
        for (const NodeId member : groups_[static_cast<size_t>(home)].members) visit(member);
        for (const NodeId copied : groups_[static_cast<size_t>(home)].recomputed) visit(copied);
    }
    return false;
}

bool FusionState::needs_itself(size_t number) const {
    const Group& group = groups_[number];
    const auto reads_own = [&](NodeId id) {
        // What comes before the result: the anchor, and what is computed again.
        const bool is_early = group.recomputed.contains(id) || (id == group.seed && !is_pointwise(node(id).op));
        const std::vector<ValueId>& inputs = node(id).inputs;
        return std::any_of(inputs.begin(), inputs.end(), [&](ValueId input) {
            const NodeId producer = computing_node(graph_, input);
            if (producer == kNone) return false;
            if (group.computes(producer)) return is_early && group.sights.contains(producer);
            return depends_on(producer, number);
        });
    };
    return std::any_of(group.members.begin(), group.members.end(), reads_own) ||
           std::any_of(group.recomputed.begin(), group.recomputed.end(), reads_own);
}

void FusionState::restore(size_t number, Group before) {
    for (const NodeId member : groups_[number].members) {
        if (!before.sights.contains(member)) owner_[static_cast<size_t>(member)] = kNone;
    }
    groups_[number] = std::move(before);
}

Verdict FusionState::build(size_t group, Region& region) const {
    const auto is_stored = [&](ValueId value) { return is_read_from_memory(value); };
    return build_region(graph_, storage_, groups_[group], is_stored, region);
}

int FusionState::rank(size_t group, int wanted, Verdict& refusal) const {
    Region region;
    refusal = build(group, region);
    if (!refusal) return INT_MAX;
    const std::span<const KernelFamily* const> all = families();
    for (size_t i = 0; i < all.size(); ++i) {
        const Verdict taken = all[i]->takes(region, context_);
        if (taken) return static_cast<int>(i);
        if (static_cast<int>(i) <= wanted) refusal = taken;
    }
    return INT_MAX;
}

}  // namespace tenon::codegen
