#include "codegen/planner/region_builder.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "frontend/graph/graph_view.h"

namespace tenon::codegen {
namespace {

bool is_pointwise(const Op& op) {
    return std::holds_alternative<Pointwise>(op) || std::holds_alternative<Cast>(op) ||
           std::holds_alternative<IndexAlong>(op);
}

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

class Builder {
  public:
    Builder(const GraphData& graph, const std::vector<Storage>& storage)
        : graph_(graph), storage_(storage), view_(graph) {}

    Region build(const std::vector<NodeId>& group) {
        const Node& seed = graph_.node(group.front());
        region_.nodes = group;
        region_.epilogue.dims = graph_.value(seed.outputs[0]).dims;
        if (!is_pointwise(seed.op)) add_anchor(group.front());
        for (const NodeId id : group) {
            if (is_pointwise(graph_.node(id).op)) add_pointwise(id);
        }
        for (const NodeId id : group) add_stores(id, group);
        return std::move(region_);
    }

    /// `to` receives `from`, at the place of `to` given by `storage`.
    Region copy(ValueId from, ValueId to, const Storage& place, NodeId node) {
        region_.nodes = {node};
        region_.epilogue.dims = graph_.value(from).dims;
        const int term = load(from);
        const Operand target = operand(to, place, graph_.value(from).dims);
        region_.operands.push_back(target);
        region_.stores.push_back({term, static_cast<int>(region_.operands.size() - 1)});
        return std::move(region_);
    }

  private:
    Operand operand(ValueId id, const Storage& place, const Dims& own_dims) const {
        // Axes aligned at the end; broadcast axes do not move.
        const Dims& dims = region_.epilogue.dims;
        Operand result{id,
                       graph_.value(id).type,
                       place.root,
                       Dims(dims.size(), 0),
                       place.offset,
                       {},
                       graph_.value(id).kind == ValueKind::HostScalar};
        const size_t missing = dims.size() - own_dims.size();
        for (size_t axis = 0; axis < own_dims.size(); ++axis) {
            if (own_dims[axis] != 1) result.strides[missing + axis] = place.strides[axis];
        }
        return result;
    }

    void add_anchor(NodeId id) {
        const Node& node = graph_.node(id);
        region_.anchor = id;
        for (const ValueId input : node.inputs) {
            const Storage& place = storage_[static_cast<size_t>(input)];
            const Value& value = graph_.value(input);
            region_.operands.push_back(
                {input, value.type, place.root, place.strides, place.offset, {}, value.kind == ValueKind::HostScalar});
            Term element{.kind = Term::Kind::Load,
                         .type = value.type,
                         .operand = static_cast<int>(region_.operands.size() - 1),
                         .value = input};
            region_.inputs.push_back({value.dims, {element}});
        }
        const ValueId result = node.outputs[0];
        region_.epilogue.terms.push_back(
            {.kind = Term::Kind::Anchor, .type = graph_.value(result).type, .value = result});
        term_of_[result] = 0;
    }

    int load(ValueId id) {
        const auto known = term_of_.find(id);
        if (known != term_of_.end()) return known->second;
        const Value& value = graph_.value(id);
        Term term{.kind = Term::Kind::Load, .type = value.type, .value = id};
        if (!read_literal(value, term)) {
            region_.operands.push_back(operand(id, storage_[static_cast<size_t>(id)], value.dims));
            term.operand = static_cast<int>(region_.operands.size() - 1);
        }
        return append(std::move(term), id);
    }

    int append(Term term, ValueId id) {
        region_.epilogue.terms.push_back(std::move(term));
        return term_of_[id] = static_cast<int>(region_.epilogue.terms.size() - 1);
    }

    void add_pointwise(NodeId id) {
        const Node& node = graph_.node(id);
        const ValueId result = node.outputs[0];
        Term term{.type = graph_.value(result).type, .value = result};
        if (const auto* index = std::get_if<IndexAlong>(&node.op)) {
            const int64_t rank = static_cast<int64_t>(region_.epilogue.dims.size());
            term.kind = Term::Kind::Index;
            term.axis = static_cast<int>(index->axis < 0 ? index->axis + rank : index->axis);
        } else {
            for (const ValueId input : node.inputs) term.arguments.push_back(load(input));
            term.kind = std::holds_alternative<Cast>(node.op) ? Term::Kind::Cast : Term::Kind::Apply;
            if (const auto* pointwise = std::get_if<Pointwise>(&node.op)) term.function = *pointwise;
        }
        append(std::move(term), result);
    }

    /// Results that someone outside the group reads, and graph outputs, go to memory.
    void add_stores(NodeId id, const std::vector<NodeId>& group) {
        const Node& node = graph_.node(id);
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueId result = node.outputs[i];
            const auto outside = [&](NodeId reader) {
                return std::find(group.begin(), group.end(), reader) == group.end();
            };
            const std::vector<NodeId>& readers = view_.readers(result);
            const bool needed =
                graph_.is_output(result) || std::any_of(readers.begin(), readers.end(), outside) || group.size() == 1;
            if (!needed) continue;
            const Storage& place = storage_[static_cast<size_t>(result)];
            if (i == 0) {
                region_.operands.push_back(operand(result, place, graph_.value(result).dims));
            } else {
                region_.operands.push_back(
                    {result, graph_.value(result).type, place.root, place.strides, place.offset, {}, false});
            }
            const Store store{i == 0 ? term_of_[result] : static_cast<int>(i),
                              static_cast<int>(region_.operands.size() - 1)};
            (i == 0 ? region_.stores : region_.anchor_stores).push_back(store);
        }
    }

    const GraphData& graph_;
    const std::vector<Storage>& storage_;
    GraphView view_;
    Region region_;
    std::map<ValueId, int> term_of_;
};

bool lies_in(const Storage& place, const Storage& slice) {
    return place.root == slice.root && place.offset == slice.offset && place.strides == slice.strides;
}

std::vector<Region> concat_copies(const GraphData& graph, const std::vector<Storage>& storage, NodeId id) {
    const Node& node = graph.node(id);
    const Storage& whole = storage[static_cast<size_t>(node.outputs[0])];
    const int64_t rank = static_cast<int64_t>(graph.value(node.outputs[0]).dims.size());
    const int64_t named = std::get<Concat>(node.op).axis;
    const size_t axis = static_cast<size_t>(named < 0 ? named + rank : named);
    std::vector<Region> regions;
    int64_t start = 0;
    for (const ValueId input : node.inputs) {
        const Storage slice{whole.root, whole.strides, whole.offset + start * whole.strides[axis]};
        start += graph.value(input).dims[axis];
        if (lies_in(storage[static_cast<size_t>(input)], slice)) continue;
        regions.push_back(Builder(graph, storage).copy(input, node.outputs[0], slice, id));
    }
    return regions;
}

bool is_shape_only(const Op& op) {
    return std::holds_alternative<Reshape>(op) || std::holds_alternative<Transpose>(op) ||
           std::holds_alternative<Slice>(op) || std::holds_alternative<Expand>(op);
}

/// A shape-only node whose result has memory of its own: its input, seen through the result's axes, is copied there.
Region view_copy(const GraphData& graph, const std::vector<Storage>& storage, NodeId id) {
    const Node& node = graph.node(id);
    Region region = Builder(graph, storage).build({id});
    const bool strided = !std::holds_alternative<Reshape>(node.op);
    if (!strided) return region;  // a reshape without strides is an anchor of the direct family
    const ValueId input = node.inputs[0], output = node.outputs[0];
    const Storage& from = storage[static_cast<size_t>(input)];
    Storage seen{from.root, Dims(graph.value(output).dims.size(), 0), from.offset};
    if (const auto* transpose = std::get_if<Transpose>(&node.op)) {
        for (size_t i = 0; i < seen.strides.size(); ++i)
            seen.strides[i] = from.strides[static_cast<size_t>(transpose->permutation[i])];
    } else if (const auto* slice = std::get_if<Slice>(&node.op)) {
        for (size_t i = 0; i < seen.strides.size(); ++i) {
            seen.offset += slice->start[i] * from.strides[i];
            seen.strides[i] = slice->step[i] * from.strides[i];
        }
    } else {
        const Dims& dims = graph.value(input).dims;
        const size_t missing = seen.strides.size() - dims.size();
        for (size_t i = 0; i < dims.size(); ++i) seen.strides[missing + i] = dims[i] == 1 ? 0 : from.strides[i];
    }
    region.anchor = kNone;
    region.inputs.clear();
    region.operands[0].strides = seen.strides;
    region.operands[0].offset = seen.offset;
    region.epilogue.terms[0].kind = Term::Kind::Load;
    region.epilogue.terms[0].operand = 0;
    return region;
}

}  // namespace

std::vector<Region> build_regions(const GraphData& graph, const std::vector<Storage>& storage,
                                  const std::vector<NodeId>& group) {
    const Op& op = graph.node(group.front()).op;
    if (std::holds_alternative<Concat>(op)) return concat_copies(graph, storage, group.front());
    if (is_shape_only(op) && group.size() == 1) return {view_copy(graph, storage, group.front())};
    return {Builder(graph, storage).build(group)};
}

}  // namespace tenon::codegen
