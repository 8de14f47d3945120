#include "codegen/planner/grow.h"

#include <algorithm>

#include "codegen/planner/fusion_state.h"
#include "codegen/planner/recompute_cost.h"

namespace tenon::codegen {
namespace {

/// Nodes that only move elements; each input becomes a copy of its own.
bool is_copy(const Op& op) {
    return std::holds_alternative<Concat>(op) || std::holds_alternative<Reshape>(op) ||
           std::holds_alternative<Transpose>(op) || std::holds_alternative<Slice>(op) ||
           std::holds_alternative<Expand>(op);
}

/// Assigns every node to groups of nodes that become one kernel.
class Grower {
  public:
    Grower(const EmitContext& context, const std::vector<Storage>& storage, const PlanOptions& options)
        : graph_(context.graph), state_(context, storage), fuse_(options.fuse) {}

    Status grow() {
        const NodeId count = static_cast<NodeId>(graph_.nodes.size());
        for (NodeId n = 0; n < count; ++n) {
            if (!is_pointwise(graph_.node(n).op) && !state_.is_free_view(n)) start(n);
        }
        // Once more: what was left to an anchor that saves more, and was refused there.
        prefer_larger_ = false;
        for (size_t group = 0; group < state_.groups().size(); ++group) {
            const std::vector<Note> first = at(group).notes;
            if (!spread(group)) at(group).notes = first;
        }
        for (NodeId n = count; n-- > 0 && fuse_;) recompute_everywhere(n);
        for (NodeId n = count; n-- > 0;) {
            if (state_.owner(n) != kNone || state_.is_free_view(n)) continue;
            if (!is_needed(n)) continue;
            const size_t group = start(n);
            for (NodeId front = n; front-- > 0 && fuse_;) recompute(group, front);
        }
        return check_required();
    }

    /// Groups in an order in which each runs after what it reads.
    std::vector<size_t> order() const {
        std::vector<size_t> result;
        std::vector<bool> placed(state_.groups().size(), false);
        for (size_t g = 0; g < placed.size(); ++g) place(g, placed, result);
        return result;
    }

    const FusionState& state() const { return state_; }

  private:
    size_t start(NodeId seed) {
        const size_t group = state_.start(seed);
        Verdict refusal = Verdict::yes();
        ranks_.push_back(is_copy(graph_.node(seed).op) ? INT_MAX : state_.rank(group, INT_MAX, refusal));
        spread(group);
        return group;
    }

    Group& at(size_t group) { return state_.groups()[group]; }

    /// Lets the group own pointwise nodes of its extents, behind its members or beside them, while any joins; whether
    /// any did.
    bool spread(size_t group) {
        if (!fuse_ || is_copy(graph_.node(at(group).seed).op)) return false;
        const size_t before = at(group).members.size();
        for (bool grown = true; grown;) {
            grown = false;
            at(group).notes.clear();
            const std::vector<NodeId> members = at(group).members;
            for (size_t i = 0; i < members.size() && !grown; ++i)
                grown = own_reader(group, members[i]) || own_operand(group, members[i]);
        }
        return at(group).members.size() > before;
    }

    bool own_reader(size_t group, NodeId member) {
        for (const NodeId reader : state_.readers_through_views(graph_.node(member).outputs[0])) {
            if (at(group).computes(reader) || !is_needed(reader)) continue;
            // Whether an anchor computes this node on its way in was decided before.
            if (is_pointwise(graph_.node(at(group).seed).op) && !is_pointwise(graph_.node(reader).op)) continue;
            Sight sight;
            Verdict fits = may_own(group, reader, sight);
            if (fits) fits = try_own(group, reader, std::move(sight));
            if (fits) return true;
            refuse(group, member, reader, fits);
        }
        return false;
    }

    /// Nodes that all their readers compute again need no kernel.
    bool is_needed(NodeId id) const {
        const std::vector<ValueId>& results = graph_.node(id).outputs;
        return std::any_of(results.begin(), results.end(),
                           [&](ValueId result) { return state_.is_read_from_memory(result); });
    }

    /// What a member reads besides results of the group may be computed here too.
    bool own_operand(size_t group, NodeId member) {
        const Node& node = graph_.node(member);
        if (!is_pointwise(node.op) || node.fusion == Fusion::Forbidden) return false;
        for (const ValueId input : node.inputs) {
            const NodeId front = computing_node(graph_, input);
            if (front == kNone || !is_pointwise(graph_.node(front).op) || state_.owner(front) != kNone) continue;
            const std::optional<Sight> sight = sight_of_operand(group, member, input);
            if (sight && try_own(group, front, *sight)) return true;
        }
        return false;
    }

    /// How the result behind operand `input` of a member is seen, if it has one element for each of the group's.
    std::optional<Sight> sight_of_operand(size_t group, NodeId member, ValueId input) {
        if (graph_.value(input).dims != graph_.value(graph_.node(member).outputs[0]).dims) return std::nullopt;
        Sight sight = at(group).sights.at(member);
        NodeId producer = graph_.value(input).producer;
        while (!is_pointwise(graph_.node(producer).op)) {
            const Node& view = graph_.node(producer);
            if (!is_bijective_view(graph_, view) || !state_.is_free_view(producer)) return std::nullopt;
            sight = in_front(graph_, {SeenThrough::Kind::View, producer}, graph_.value(view.inputs[0]).dims, sight);
            producer = graph_.value(view.inputs[0]).producer;
        }
        return sight;
    }

    Verdict may_own(size_t group, NodeId reader, Sight& sight) {
        const Node& node = graph_.node(reader);
        if (state_.is_free_view(reader))
            return Verdict::no("PART_OF_THE_RESULT",
                               std::string(name_of(node.op)) + " shows its elements in other numbers than there are");
        if (!is_pointwise(node.op))
            return Verdict::no("NOT_POINTWISE", std::string(name_of(node.op)) + " needs a kernel of its own");
        if (node.fusion == Fusion::Forbidden) return Verdict::no("FORBIDDEN_BY_USER", "the graph forbids it");
        if (state_.owner(reader) != kNone) return Verdict::no("TAKEN", "it is already fused elsewhere");
        const Dims& dims = graph_.value(node.outputs[0]).dims;
        bool seen = false;
        for (const ValueId input : node.inputs) {
            const std::optional<Sight> from = sight_of(graph_, at(group), input);
            if (!from && at(group).computes(graph_.value(input).producer))
                return Verdict::no("SECOND_RESULT",
                                   "it reads '" + graph_.value(input).name + "', which is not the main result");
            if (!from) continue;
            if (graph_.value(input).dims != dims)
                return Verdict::no("OTHER_EXTENTS", "its result is " + tenon::to_text(dims) + ", the region's " +
                                                        tenon::to_text(graph_.value(input).dims));
            if (seen && *from != sight)
                return Verdict::no("OTHER_ORDER", "it reads the region's result in two orders of the elements");
            sight = *from;
            seen = true;
        }
        return prefer_larger_ ? better_elsewhere(group, node) : Verdict::yes();
    }

    /// "No" if another operand of the node comes from an anchor whose result would also stay in registers, and saves
    /// more bytes than this group's.
    Verdict better_elsewhere(size_t group, const Node& node) {
        int64_t here = 0, elsewhere = 0;
        ValueId other = kNone;
        for (const ValueId input : node.inputs) {
            const Value& value = graph_.value(input);
            const int64_t bytes = element_count(value.dims) * bytes_of(value.type) *
                                  (state_.readers_through_views(input).size() == 1 && !graph_.is_output(input) ? 2 : 1);
            const NodeId front = computing_node(graph_, input);
            if (front == kNone || value.dims != graph_.value(node.outputs[0]).dims) continue;
            if (at(group).computes(front)) {
                here = std::max(here, bytes);
            } else if (!is_pointwise(graph_.node(front).op) && !is_copy(graph_.node(front).op) && bytes > elsewhere) {
                elsewhere = bytes;
                other = input;
            }
        }
        if (elsewhere <= here) return Verdict::yes();
        return Verdict::no("BETTER_ELSEWHERE", "behind '" + graph_.value(other).name + "' it saves " +
                                                   std::to_string(elsewhere) + " bytes, here " + std::to_string(here));
    }

    Verdict try_own(size_t group, NodeId node, Sight sight) {
        Group before = at(group);
        state_.own(group, node, std::move(sight));
        return keep_or_restore(group, std::move(before));
    }

    /// Keeps a change if the group can run and no worse family takes it.
    Verdict keep_or_restore(size_t group, Group before) {
        Verdict verdict = Verdict::yes();
        if (state_.needs_itself(group)) {
            verdict = Verdict::no("NEEDS_THE_RESULT_EARLIER",
                                  "another operand is computed from this region's result by another kernel");
        } else {
            const int rank = state_.rank(group, ranks_[group], verdict);
            if (rank <= ranks_[group] && rank != INT_MAX) {
                ranks_[group] = rank;
                return Verdict::yes();
            }
        }
        state_.restore(group, std::move(before));
        return verdict;
    }

    void recompute_everywhere(NodeId front) {
        for (size_t group = 0; group < state_.groups().size(); ++group) recompute(group, front);
    }

    /// Computes a pointwise node in front of the group, if the group reads it.
    void recompute(size_t group, NodeId front) {
        const Node& node = graph_.node(front);
        if (!is_pointwise(node.op) || state_.owner(front) != kNone || at(group).computes(front)) return;
        if (is_copy(graph_.node(at(group).seed).op)) return;
        const NodeId reader = reader_in(group, front);
        if (reader == kNone) return;
        Verdict fits = may_recompute(group, front, reader);
        if (fits) {
            Group before = at(group);
            at(group).recomputed.insert(front);
            fits = keep_or_restore(group, std::move(before));
        }
        if (!fits) refuse(group, front, reader, fits);
    }

    /// A node the group computes that reads the result of `front`.
    NodeId reader_in(size_t group, NodeId front) {
        const auto reads = [&](NodeId id) {
            const std::vector<ValueId>& inputs = graph_.node(id).inputs;
            return std::any_of(inputs.begin(), inputs.end(),
                               [&](ValueId input) { return computing_node(graph_, input) == front; });
        };
        const Group& now = at(group);
        const auto member = std::find_if(now.members.begin(), now.members.end(), reads);
        if (member != now.members.end()) return *member;
        const auto copied = std::find_if(now.recomputed.begin(), now.recomputed.end(), reads);
        return copied != now.recomputed.end() ? *copied : kNone;
    }

    Verdict may_recompute(size_t group, NodeId front, NodeId reader) {
        if (graph_.node(reader).fusion == Fusion::Forbidden)
            return Verdict::no("FORBIDDEN_BY_USER", "the graph forbids it");
        if (graph_.is_output(graph_.node(front).outputs[0]) && !reads_no_more_than_it_writes(graph_, front))
            return Verdict::no("LOADS_LESS_FROM_MEMORY", "it is stored anyway, and smaller than what it is made of");
        return worth_recomputing(graph_, at(group), front);
    }

    void refuse(size_t group, NodeId from, NodeId to, const Verdict& verdict) {
        const std::string text =
            "'" + graph_.node(from).name + "' | '" + graph_.node(to).name + "': " + verdict.reason();
        at(group).notes.push_back({verdict.code(), text});
        refusals_[to] = text + " (" + verdict.code() + ")";
    }

    Status check_required() {
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            const Node& node = graph_.nodes[n];
            const NodeId id = static_cast<NodeId>(n);
            if (node.fusion != Fusion::Required || state_.is_free_view(id)) continue;
            const auto is_joined = [&](const Group& group) {
                return group.computes(id) && std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
                           return group.computes(computing_node(graph_, input));
                       });
            };
            if (std::any_of(state_.groups().begin(), state_.groups().end(), is_joined)) continue;
            const auto refusal = refusals_.find(id);
            return Status(
                ErrorCode::Unsupported,
                "'" + node.name + "' must be fused into what feeds it, but " +
                    (refusal == refusals_.end() ? "nothing in front of it is computed by a kernel" : refusal->second));
        }
        return {};
    }

    void place(size_t group, std::vector<bool>& placed, std::vector<size_t>& result) const {
        if (placed[group]) return;
        placed[group] = true;
        const Group& now = state_.groups()[group];
        for (const NodeId member : now.members) place_inputs(member, group, placed, result);
        for (const NodeId copied : now.recomputed) place_inputs(copied, group, placed, result);
        result.push_back(group);
    }

    void place_inputs(NodeId reader, size_t group, std::vector<bool>& placed, std::vector<size_t>& result) const {
        for (const ValueId input : graph_.node(reader).inputs) {
            const NodeId producer = computing_node(graph_, input);
            if (producer != kNone && state_.groups()[group].computes(producer)) continue;
            place_producer(graph_.value(input).producer, placed, result);
        }
    }

    /// Views, and nodes nobody loads, count with what they are made of.
    void place_producer(NodeId producer, std::vector<bool>& placed, std::vector<size_t>& result) const {
        if (producer == kNone) return;
        const int32_t group = state_.owner(producer);
        if (group != kNone) return place(static_cast<size_t>(group), placed, result);
        for (const ValueId input : graph_.node(producer).inputs)
            place_producer(graph_.value(input).producer, placed, result);
    }

    const GraphData& graph_;
    FusionState state_;
    bool fuse_;
    bool prefer_larger_ = true;
    std::vector<int> ranks_;  // of each group: place of the family that takes it
    std::map<NodeId, std::string> refusals_;
};

}  // namespace

Result<std::vector<Region>> grow_regions(const EmitContext& context, const std::vector<Storage>& storage,
                                         const PlanOptions& options) {
    Grower grower(context, storage, options);
    const Status status = grower.grow();
    if (!status.is_ok()) return status;
    std::vector<Region> regions;
    for (const size_t number : grower.order()) {
        const Group& group = grower.state().groups()[number];
        if (is_copy(context.graph.node(group.seed).op)) {
            for (Region& region : build_copies(context.graph, storage, group.seed)) {
                region.notes = group.notes;
                regions.push_back(std::move(region));
            }
            continue;
        }
        Region region;
        const Verdict built = grower.state().build(number, region);
        if (!built) return Status(ErrorCode::Unsupported, built.reason() + " (" + built.code() + ")");
        regions.push_back(std::move(region));
    }
    return regions;
}

}  // namespace tenon::codegen
