#include "codegen/kernels/rows/norm_region.h"

#include <algorithm>

#include "codegen/source/literal.h"

namespace tenon::codegen {
namespace {

size_t positive(int64_t axis, size_t rank) {
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

/// Axes from `first` on are gathered.
GatheredAxes from_axis(const Dims& dims, size_t first) {
    GatheredAxes axes{.dims = dims, .gathered = std::vector<bool>(dims.size(), false)};
    for (size_t axis = first; axis < dims.size(); ++axis) axes.gathered[axis] = true;
    return axes;
}

GatheredAxes axes_of(const Norm& norm, const Dims& dims) {
    if (norm.kind == NormKind::Instance) return from_axis(dims, 2);
    if (norm.kind != NormKind::Group) return from_axis(dims, positive(norm.axis, dims.size()));
    GatheredAxes axes{.dims = dims, .gathered = {false, false, true}, .split_axis = 1, .parts = norm.groups};
    axes.gathered.resize(dims.size() + 1, true);
    return axes;
}

bool is_per_channel(const Norm& norm) { return norm.kind == NormKind::Instance || norm.kind == NormKind::Group; }

std::string name_of_norm(NormKind kind) {
    switch (kind) {
        case NormKind::Layer:
            return "layer_norm";
        case NormKind::Rms:
            return "rms_norm";
        case NormKind::Instance:
            return "instance_norm";
        case NormKind::Group:
            return "group_norm";
    }
    return {};
}

/// Writes the epilogue again with terms in front of it.
class EpilogueWriter {
  public:
    EpilogueWriter(Region& region, DataType inner) : region_(region), old_(std::move(region.epilogue.terms)) {
        region_.epilogue.terms.clear();
        const auto anchor = std::find_if(old_.begin(), old_.end(), is_anchor);
        result_type_ = anchor->type;
        value_ = anchor->value;
        add({.kind = Term::Kind::Anchor, .type = inner, .value = value_});
    }

    /// The body of a vector that lies along axes [first, …) of the epilogue, applied to the result so far.
    void apply(PointwiseKind kind, const Body& body, size_t first) {
        const int result = last();
        for (const Term& term : body.terms) {
            Term moved = term;
            for (int& argument : moved.arguments) argument += result + 1;
            if (term.kind == Term::Kind::Index) moved.axis += static_cast<int>(first);
            if (term.kind == Term::Kind::Load) spread(region_.operands[static_cast<size_t>(term.operand)], first);
            add(std::move(moved));
        }
        const DataType inner = region_.epilogue.terms.front().type;
        add({.kind = Term::Kind::Apply,
             .type = inner,
             .function = {kind, {}},
             .arguments = {result, last()},
             .value = value_});
    }

    /// The old epilogue on what is there now.
    void finish() {
        region_.epilogue.terms.back().type = result_type_;
        const int result = last();
        std::vector<int> place(old_.size(), result);
        for (size_t t = 0; t < old_.size(); ++t) {
            if (is_anchor(old_[t])) continue;
            Term moved = old_[t];
            for (int& argument : moved.arguments) argument = place[static_cast<size_t>(argument)];
            add(std::move(moved));
            place[t] = last();
        }
        for (Store& store : region_.stores) store.term = place[static_cast<size_t>(store.term)];
    }

  private:
    static bool is_anchor(const Term& term) { return term.kind == Term::Kind::Anchor; }

    void add(Term term) { region_.epilogue.terms.push_back(std::move(term)); }
    int last() const { return static_cast<int>(region_.epilogue.terms.size()) - 1; }

    void spread(Operand& operand, size_t first) const {
        if (operand.is_host_scalar) return;
        Dims strides(region_.epilogue.dims.size(), 0);
        std::copy(operand.strides.begin(), operand.strides.end(), strides.begin() + static_cast<std::ptrdiff_t>(first));
        operand.strides = std::move(strides);
    }

    Region& region_;
    std::vector<Term> old_;
    DataType result_type_ = DataType::F32;
    ValueId value_ = kNone;
};

/// Strides of a stored statistic over all axes of x, the channels split into groups if they are.
Dims statistic_strides(const Operand& operand, const GatheredAxes& axes, bool per_channel) {
    Dims strides = operand.strides;
    if (per_channel) strides.resize(axes.gathered.size(), 0);
    for (size_t axis = 0; axis < strides.size(); ++axis) {
        if (axes.gathered[axis]) strides[axis] = 0;
    }
    return strides;
}

}  // namespace

bool is_row_norm(const Op& op) {
    const auto* batch_norm = std::get_if<BatchNorm>(&op);
    return std::holds_alternative<Norm>(op) || std::holds_alternative<Softmax>(op) ||
           (batch_norm != nullptr && batch_norm->training);
}

NormRegion norm_region(const Region& given, const GraphData& graph) {
    NormRegion result{.given = given, .region = given};
    const Op& op = graph.node(given.anchor).op;
    const Dims& dims = given.inputs[0].dims;
    if (const auto* softmax = std::get_if<Softmax>(&op)) {
        result.axes = GatheredAxes{.dims = dims, .gathered = std::vector<bool>(dims.size(), false)};
        result.axes.gathered[positive(softmax->axis, dims.size())] = true;
        result.function = softmax->log ? "log_softmax" : "softmax";
        result.device_norm = softmax->log ? "LogSoftmax{}" : "Softmax{}";
        return result;
    }
    const auto* batch_norm = std::get_if<BatchNorm>(&op);
    const Norm norm = batch_norm != nullptr ? Norm{.kind = NormKind::Instance} : std::get<Norm>(op);
    result.axes = axes_of(norm, dims);
    result.function = name_of_norm(norm.kind);
    result.centred = norm.kind != NormKind::Rms;
    result.epsilon = norm.epsilon;
    if (batch_norm != nullptr) {
        result.axes.gathered[0] = true;
        result.function = "batch_norm";
        result.epsilon = batch_norm->epsilon;
    }
    result.device_norm =
        std::string(result.centred ? "LayerNorm" : "RmsNorm") + "{.epsilon = " + double_literal(result.epsilon) + "}";
    const DataType type = graph.value(graph.node(given.anchor).inputs[0]).type;
    const size_t first = is_per_channel(norm) ? 1 : positive(norm.axis, dims.size());
    EpilogueWriter writer(result.region, type == DataType::F64 ? DataType::F64 : DataType::F32);
    if (given.inputs.size() > 1) writer.apply(PointwiseKind::Multiply, given.inputs[1], first);
    if (given.inputs.size() > 2) writer.apply(PointwiseKind::Add, given.inputs[2], first);
    writer.finish();
    result.region.inputs.resize(1);
    for (const Store& store : result.region.anchor_stores) {
        const Operand& operand = result.region.operands[static_cast<size_t>(store.operand)];
        result.statistic_strides.push_back(statistic_strides(operand, result.axes, is_per_channel(norm)));
    }
    return result;
}

Region apply_statistics(const NormRegion& norm, const Operand& mean, const Operand& inverse_deviation) {
    Region region = norm.region;
    const std::vector<Term> epilogue = std::move(region.epilogue.terms);
    std::vector<Term> terms = region.inputs[0].terms;
    const DataType inner = terms.back().type == DataType::F64 ? DataType::F64 : DataType::F32;
    const int element = static_cast<int>(terms.size()) - 1;
    const auto load = [&](const Operand& operand) {
        terms.push_back({.kind = Term::Kind::Load, .type = inner, .operand = static_cast<int>(region.operands.size())});
        region.operands.push_back(operand);
        return static_cast<int>(terms.size()) - 1;
    };
    const auto apply = [&](PointwiseKind kind, int a, int b) {
        terms.push_back({.kind = Term::Kind::Apply, .type = inner, .function = {kind, {}}, .arguments = {a, b}});
        return static_cast<int>(terms.size()) - 1;
    };
    const int centred = apply(PointwiseKind::Subtract, element, load(mean));
    const int result = apply(PointwiseKind::Multiply, centred, load(inverse_deviation));
    // The old anchor is the product; what follows it keeps its order.
    std::vector<int> place(epilogue.size(), result);
    for (size_t t = 0; t < epilogue.size(); ++t) {
        if (epilogue[t].kind == Term::Kind::Anchor) {
            terms.back().type = epilogue[t].type;
            continue;
        }
        terms.push_back(epilogue[t]);
        for (int& argument : terms.back().arguments) argument = place[static_cast<size_t>(argument)];
        place[t] = static_cast<int>(terms.size()) - 1;
    }
    for (Store& store : region.stores) store.term = place[static_cast<size_t>(store.term)];
    region.epilogue = {norm.axes.dims, std::move(terms)};
    region.inputs.clear();
    region.anchor_stores.clear();
    region.anchor = kNone;
    return region;
}

}  // namespace tenon::codegen
