#include "codegen/planner/grow.h"

#include <algorithm>
#include <set>

#include "codegen/planner/region_builder.h"
#include "codegen/region/verdict.h"
#include "frontend/graph/graph_view.h"

namespace tenon::codegen {
namespace {

bool is_pointwise(const Op& op) {
    return std::holds_alternative<Pointwise>(op) || std::holds_alternative<Cast>(op) ||
           std::holds_alternative<IndexAlong>(op);
}

/// Assigns every node to a group of nodes that become one kernel.
class Grower {
  public:
    Grower(const GraphData& graph, const std::vector<Storage>& storage, const PlanOptions& options)
        : graph_(graph), storage_(storage), options_(options), view_(graph), group_of_(graph.nodes.size(), kNone) {}

    Status grow() {
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            if (!is_pointwise(graph_.nodes[n].op) && !is_view(n)) start(static_cast<NodeId>(n));
        }
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            if (group_of_[n] == kNone && !is_view(n)) start(static_cast<NodeId>(n));
        }
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            const Node& node = graph_.nodes[n];
            if (node.fusion != Fusion::Required || is_view(n)) continue;
            if (groups_[static_cast<size_t>(group_of_[n])].front() != static_cast<NodeId>(n)) continue;
            return Status(ErrorCode::Unsupported,
                          "'" + node.name + "' must be fused into what feeds it, but " + refusal(node));
        }
        return {};
    }

    /// Groups in an order in which each runs after what it reads; views count with the group of what they show.
    std::vector<size_t> order() const {
        std::vector<size_t> result;
        std::vector<bool> placed(groups_.size(), false);
        for (size_t g = 0; g < groups_.size(); ++g) place(g, placed, result);
        return result;
    }

    const std::vector<std::vector<NodeId>>& groups() const { return groups_; }
    const std::vector<std::vector<Note>>& notes() const { return notes_; }

  private:
    bool is_view(size_t n) const { return is_free_view(graph_, storage_, graph_.nodes[n]); }

    void start(NodeId seed) {
        const size_t group = groups_.size();
        groups_.push_back({seed});
        notes_.emplace_back();
        group_of_[static_cast<size_t>(seed)] = static_cast<int32_t>(group);
        if (!options_.fuse || !takes_epilogue(graph_.node(seed).op)) return;
        for (bool grown = true; grown;) {
            grown = false;
            notes_[group].clear();
            for (size_t i = 0; i < groups_[group].size() && !grown; ++i)
                grown = absorb_reader(group, groups_[group][i]);
        }
    }

    /// Copies have no result of their own to work on.
    static bool takes_epilogue(const Op& op) {
        return !std::holds_alternative<Concat>(op) && !std::holds_alternative<Reshape>(op) &&
               !std::holds_alternative<Transpose>(op) && !std::holds_alternative<Slice>(op) &&
               !std::holds_alternative<Expand>(op);
    }

    bool absorb_reader(size_t group, NodeId member) {
        const ValueId result = graph_.node(member).outputs[0];
        for (const NodeId reader : view_.readers(result)) {
            if (group_of_[static_cast<size_t>(reader)] == static_cast<int32_t>(group)) continue;
            const Verdict fits = may_absorb(group, reader);
            if (fits) {
                groups_[group].push_back(reader);
                group_of_[static_cast<size_t>(reader)] = static_cast<int32_t>(group);
                std::sort(groups_[group].begin() + 1, groups_[group].end());
                return true;
            }
            notes_[group].push_back({fits.code(), "'" + graph_.node(member).name + "' | '" + graph_.node(reader).name +
                                                      "': " + fits.reason()});
        }
        return false;
    }

    Verdict may_absorb(size_t group, NodeId reader) const {
        const Node& node = graph_.node(reader);
        const Node& seed = graph_.node(groups_[group].front());
        const Dims& dims = graph_.value(seed.outputs[0]).dims;
        if (!is_pointwise(node.op))
            return Verdict::no("NOT_POINTWISE", std::string(name_of(node.op)) + " needs a kernel of its own");
        if (node.fusion == Fusion::Forbidden) return Verdict::no("FORBIDDEN_BY_USER", "the graph forbids it");
        if (group_of_[static_cast<size_t>(reader)] != kNone)
            return Verdict::no("TAKEN", "it is already fused elsewhere");
        if (graph_.value(node.outputs[0]).dims != dims) {
            return Verdict::no("OTHER_EXTENTS", "its result is " + tenon::to_text(graph_.value(node.outputs[0]).dims) +
                                                    ", the region's " + tenon::to_text(dims));
        }
        for (const ValueId input : node.inputs) {
            const NodeId producer = graph_.value(input).producer;
            if (producer == kNone || group_of_[static_cast<size_t>(producer)] == static_cast<int32_t>(group)) continue;
            if (depends_on(group, producer)) {
                return Verdict::no("NEEDS_THE_RESULT_EARLIER",
                                   "its operand '" + graph_.value(input).name +
                                       "' is computed from this region's result by another kernel");
            }
        }
        for (const NodeId member : groups_[group]) {
            for (size_t output = 1; output < graph_.node(member).outputs.size(); ++output) {
                const ValueId extra = graph_.node(member).outputs[output];
                if (std::count(node.inputs.begin(), node.inputs.end(), extra) > 0) {
                    return Verdict::no("SECOND_RESULT",
                                       "it reads '" + graph_.value(extra).name + "', which is not the main result");
                }
            }
        }
        return Verdict::yes();
    }

    /// Whether `node`, or the kernel it is part of, reads anything that comes from `group`.
    bool depends_on(size_t group, NodeId node) const {
        std::vector<NodeId> open{node};
        std::set<NodeId> seen{node};
        while (!open.empty()) {
            const NodeId at = open.back();
            open.pop_back();
            const int32_t home = group_of_[static_cast<size_t>(at)];
            if (home == static_cast<int32_t>(group)) return true;
            const std::vector<NodeId> together =
                home == kNone ? std::vector<NodeId>{at} : groups_[static_cast<size_t>(home)];
            for (const NodeId member : together) {
                for (const ValueId input : graph_.node(member).inputs) {
                    const NodeId producer = graph_.value(input).producer;
                    if (producer != kNone && seen.insert(producer).second) open.push_back(producer);
                }
            }
        }
        return false;
    }

    std::string refusal(const Node& node) const {
        for (const std::vector<Note>& notes : notes_) {
            for (const Note& note : notes) {
                if (note.text.find("| '" + node.name + "'") != std::string::npos)
                    return note.text + " (" + note.code + ")";
            }
        }
        return "nothing in front of it is computed by a kernel";
    }

    void place(size_t group, std::vector<bool>& placed, std::vector<size_t>& result) const {
        if (placed[group]) return;
        placed[group] = true;
        for (const NodeId member : groups_[group]) {
            for (const ValueId input : graph_.node(member).inputs) place_producer(input, placed, result);
        }
        result.push_back(group);
    }

    void place_producer(ValueId value, std::vector<bool>& placed, std::vector<size_t>& result) const {
        const NodeId producer = graph_.value(value).producer;
        if (producer == kNone) return;
        const int32_t group = group_of_[static_cast<size_t>(producer)];
        if (group != kNone) return place(static_cast<size_t>(group), placed, result);
        for (const ValueId input : graph_.node(producer).inputs) place_producer(input, placed, result);
    }

    const GraphData& graph_;
    const std::vector<Storage>& storage_;
    const PlanOptions& options_;
    GraphView view_;
    std::vector<int32_t> group_of_;
    std::vector<std::vector<NodeId>> groups_;
    std::vector<std::vector<Note>> notes_;
};

}  // namespace

Result<std::vector<Region>> grow_regions(const GraphData& graph, const std::vector<Storage>& storage,
                                         const PlanOptions& options) {
    Grower grower(graph, storage, options);
    const Status status = grower.grow();
    if (!status.is_ok()) return status;
    std::vector<Region> regions;
    for (const size_t group : grower.order()) {
        for (Region& region : build_regions(graph, storage, grower.groups()[group])) {
            region.notes = grower.notes()[group];
            regions.push_back(std::move(region));
        }
    }
    return regions;
}

}  // namespace tenon::codegen
