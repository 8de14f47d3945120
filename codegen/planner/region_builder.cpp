#include "codegen/planner/region_builder.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tenon::codegen {
namespace {

/// Reads a rank-0 or one-element constant that can stand in the source as a literal.
bool read_literal(const Value& value, Term& term) {
    if (value.kind != ValueKind::Constant || element_count(value.dims) != 1 || !value.data) return false;
    const void* bytes = value.data->data();
    const auto as = [&](auto zero) {
        std::memcpy(&zero, bytes, sizeof zero);
        return zero;
    };
    switch (value.type) {
        case DataType::F32:
            term.literal = as(0.0f);
            break;
        case DataType::F64:
            term.literal = as(0.0);
            break;
        case DataType::I8:
            term.integer = as(int8_t{});
            break;
        case DataType::U8:
        case DataType::Bool:
            term.integer = as(uint8_t{});
            break;
        case DataType::I32:
            term.integer = as(int32_t{});
            break;
        case DataType::I64:
            term.integer = as(int64_t{});
            break;
        case DataType::F16:
        case DataType::BF16:
            return false;
    }
    term.kind = Term::Kind::Literal;
    return true;
}

/// Fills one body of a region: what the body computes becomes terms, the rest is loaded.
class BodyBuilder {
  public:
    BodyBuilder(const GraphData& graph, const std::vector<Storage>& storage, const Group& group, Region& region,
                Body& body)
        : graph_(graph), storage_(storage), group_(group), region_(region), body_(body) {}

    /// The term that is `value` at every point of the body.
    int term(ValueId value, const Sight& sight) {
        const auto known = terms_.find({value, key(sight)});
        if (known != terms_.end()) return known->second;
        const NodeId producer = graph_.value(value).producer;
        const bool is_here = group_.computes(computing_node(graph_, value));
        if (is_here && is_shape_only(graph_, graph_.node(producer)) && !group_.computes(producer)) {
            const ValueId shown = graph_.node(producer).inputs[0];
            return term(shown, in_front(graph_, {SeenThrough::Kind::View, producer}, graph_.value(shown).dims, sight));
        }
        if (producer != kNone && group_.recomputed.contains(producer)) return compute(producer, sight);
        if (is_here) {
            verdict = Verdict::no("OTHER_ORDER", "'" + graph_.value(value).name +
                                                     "' is a result of this kernel and read in another order");
        }
        return load(value, sight);
    }

    /// A term for the result of a pointwise node.
    int compute(NodeId id, const Sight& sight) {
        const Node& node = graph_.node(id);
        const ValueId result = node.outputs[0];
        Term term{.type = graph_.value(result).type, .value = result};
        if (const auto* index = std::get_if<IndexAlong>(&node.op)) {
            term.kind = Term::Kind::Index;
            term.axis = body_axis(*index, graph_.value(result).dims, sight);
        } else {
            for (const ValueId input : node.inputs) {
                const Sight through =
                    in_front(graph_, {SeenThrough::Kind::Broadcast, id}, graph_.value(input).dims, sight);
                term.arguments.push_back(this->term(input, through));
            }
            term.kind = std::holds_alternative<Cast>(node.op) ? Term::Kind::Cast : Term::Kind::Apply;
            if (const auto* pointwise = std::get_if<Pointwise>(&node.op)) term.function = *pointwise;
        }
        return append(std::move(term), result, sight);
    }

    int append(Term term, ValueId value, const Sight& sight) {
        body_.terms.push_back(std::move(term));
        return terms_[{value, key(sight)}] = static_cast<int>(body_.terms.size() - 1);
    }

    /// Adds an operand that lies where `value` does; its number in the region.
    int add_operand(ValueId value, const Sight& sight) {
        const Value& tensor = graph_.value(value);
        const std::optional<Storage> place =
            seen_storage(graph_, tensor.dims, storage_[static_cast<size_t>(value)], sight, body_.dims);
        if (!place)
            verdict =
                Verdict::no("NO_STRIDES", "no strides say how '" + tensor.name + "' (" + tenon::to_text(tensor.dims) +
                                              ") moves over " + tenon::to_text(body_.dims));
        Operand operand{.value = value, .type = tensor.type};
        operand.root = place ? place->root : kNone;
        operand.strides = place ? place->strides : Dims(body_.dims.size(), 0);
        operand.offset = place ? place->offset : 0;
        operand.is_host_scalar = tensor.kind == ValueKind::HostScalar;
        region_.operands.push_back(std::move(operand));
        return static_cast<int>(region_.operands.size() - 1);
    }

    Verdict verdict = Verdict::yes();

  private:
    using Key = std::vector<std::pair<SeenThrough::Kind, NodeId>>;

    static Key key(const Sight& sight) {
        Key steps;
        for (const SeenThrough& step : sight) steps.emplace_back(step.kind, step.node);
        return steps;
    }

    int load(ValueId value, const Sight& sight) {
        Term term{.kind = Term::Kind::Load, .type = graph_.value(value).type, .value = value};
        if (!read_literal(graph_.value(value), term)) term.operand = add_operand(value, sight);
        return append(std::move(term), value, sight);
    }

    /// The axis of the body along which the coordinate of `dims` runs.
    int body_axis(const IndexAlong& index, const Dims& dims, const Sight& sight) {
        const bool renamed = std::any_of(sight.begin(), sight.end(), [](const SeenThrough& step) {
            return step.kind != SeenThrough::Kind::Broadcast;
        });
        const int64_t rank = static_cast<int64_t>(dims.size());
        const int64_t axis = index.axis < 0 ? index.axis + rank : index.axis;
        const int64_t seen = axis + static_cast<int64_t>(body_.dims.size()) - rank;
        if (renamed || body_.dims[static_cast<size_t>(seen)] != dims[static_cast<size_t>(axis)])
            verdict =
                Verdict::no("NO_COORDINATE", "the coordinate along axis " + std::to_string(axis) + " of " +
                                                 tenon::to_text(dims) + " is none of " + tenon::to_text(body_.dims));
        return static_cast<int>(seen);
    }

    const GraphData& graph_;
    const std::vector<Storage>& storage_;
    const Group& group_;
    Region& region_;
    Body& body_;
    std::map<std::pair<ValueId, Key>, int> terms_;
};

class RegionBuilder {
  public:
    RegionBuilder(const GraphData& graph, const std::vector<Storage>& storage, const Group& group, Region& region)
        : graph_(graph), storage_(storage), group_(group), region_(region) {}

    Verdict build(const IsStored& is_stored) {
        region_ = {};
        region_.nodes = group_.members;
        region_.nodes.insert(region_.nodes.end(), group_.recomputed.begin(), group_.recomputed.end());
        region_.notes = group_.notes;
        const Node& seed = graph_.node(group_.seed);
        const ValueId result = seed.outputs[0];
        region_.epilogue.dims = graph_.value(result).dims;
        const bool anchored = !is_pointwise(seed.op);
        if (anchored) {
            const Verdict inputs = add_inputs(seed);
            if (!inputs) return inputs;
        }
        BodyBuilder body(graph_, storage_, group_, region_, region_.epilogue);
        if (anchored) {
            body.append({.kind = Term::Kind::Anchor, .type = graph_.value(result).type, .value = result}, result, {});
        }
        std::vector<NodeId> members = group_.members;
        std::sort(members.begin(), members.end());
        std::map<NodeId, int> terms;
        for (const NodeId id : members) {
            terms[id] = id == group_.seed && anchored ? 0 : body.compute(id, group_.sights.at(id));
        }
        add_stores(body, terms, is_stored);
        return body.verdict;
    }

  private:
    Verdict add_inputs(const Node& seed) {
        region_.anchor = group_.seed;
        region_.inputs.resize(seed.inputs.size());
        for (size_t i = 0; i < seed.inputs.size(); ++i) {
            Body& input = region_.inputs[i];
            input.dims = graph_.value(seed.inputs[i]).dims;
            const NodeId front = computing_node(graph_, seed.inputs[i]);
            BodyBuilder body(graph_, storage_, group_, region_, input);
            if (front != kNone && group_.recomputed.contains(front)) {
                body.term(seed.inputs[i], {});
                if (!body.verdict) return body.verdict;
                continue;
            }
            add_plain_input(seed.inputs[i], input);
        }
        return Verdict::yes();
    }

    /// As it lies in memory: strides of extent-1 axes are kept, constants are not written out.
    void add_plain_input(ValueId id, Body& input) {
        const Storage& place = storage_[static_cast<size_t>(id)];
        const Value& value = graph_.value(id);
        Operand operand{
            .value = id, .type = value.type, .root = place.root, .strides = place.strides, .offset = place.offset};
        operand.is_host_scalar = value.kind == ValueKind::HostScalar;
        region_.operands.push_back(std::move(operand));
        input.terms = {{.kind = Term::Kind::Load,
                        .type = value.type,
                        .operand = static_cast<int>(region_.operands.size() - 1),
                        .value = id}};
    }

    void add_stores(BodyBuilder& body, const std::map<NodeId, int>& terms, const IsStored& is_stored) {
        for (const NodeId id : group_.members) {
            const std::vector<ValueId>& results = graph_.node(id).outputs;
            for (size_t i = 0; i < results.size(); ++i) {
                if (!is_stored(results[i])) continue;
                if (i == 0) {
                    region_.stores.push_back({terms.at(id), body.add_operand(results[i], group_.sights.at(id))});
                    continue;
                }
                const Storage& place = storage_[static_cast<size_t>(results[i])];
                region_.operands.push_back({.value = results[i],
                                            .type = graph_.value(results[i]).type,
                                            .root = place.root,
                                            .strides = place.strides,
                                            .offset = place.offset});
                region_.anchor_stores.push_back({static_cast<int>(i), static_cast<int>(region_.operands.size() - 1)});
            }
        }
    }

    const GraphData& graph_;
    const std::vector<Storage>& storage_;
    const Group& group_;
    Region& region_;
};

}  // namespace

Verdict build_region(const GraphData& graph, const std::vector<Storage>& storage, const Group& group,
                     const IsStored& is_stored, Region& region) {
    return RegionBuilder(graph, storage, group, region).build(is_stored);
}

}  // namespace tenon::codegen
