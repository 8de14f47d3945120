#include "frontend/onnx/builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "frontend/status_macros.h"

namespace tenon::onnx {

Operand Builder::of(Known known) {
    Operand operand{known.type, known.dims, {}, {}};
    operand.known = std::move(known);
    return operand;
}

Operand Builder::operand_of(Tensor tensor) const {
    const TensorSpec spec = graph_.spec(tensor);
    return {spec.type, spec.dims, {}, tensor};
}

Operand Builder::number(double value, DataType type) {
    if (is_floating(type)) return of(known_numbers(type, {}, {value}));
    return of(known_integers(type, {}, {static_cast<int64_t>(value)}));
}

Result<Operand> Builder::input(const std::string& name, DataType type, const Dims& dims) {
    const Operand whole{type, dims, {}, graph_.input({name, dims, type})};
    TENON_TRY(graph_.data().first_mistake);
    if (!is_reduced() || type != DataType::F32) return whole;
    return apply(Cast{compute_type_}, {whole});
}

Status Builder::output(const Operand& operand, const std::string& name) {
    Tensor tensor = tensor_of(operand);
    TENON_TRY(graph_.data().first_mistake);
    const Value& value = graph_.data().value(tensor.id);
    const bool is_written = value.kind == ValueKind::Computed && !graph_.data().is_output(tensor.id);
    const As plain{.name = name, .layout = Layout::NCHW};
    if (is_reduced() && value.type == compute_type_) {
        // The output takes the name; the tensor behind it says its type.
        Value& inner = graph_.data().values[static_cast<size_t>(tensor.id)];
        if (inner.name == name) inner.name += "_" + std::string(to_string(compute_type_));
        tensor = graph_.cast(tensor, DataType::F32, plain);
    } else if (!is_written) {  // a graph writes only what a node computes, once
        tensor = graph_.pointwise(PointwiseKind::Identity, {tensor}, plain);
    }
    graph_.output(tensor, plain);
    return graph_.data().first_mistake;
}

Tensor Builder::constant_of(const Known& known, Place place) {
    const auto named = names_.find(known.bytes.get());
    const std::string name =
        named == names_.end() ? "constant_" + std::to_string(graph_.data().values.size()) : named->second;
    const Layout layout = place == Place::Filter ? Layout::NHWC : Layout::NCHW;
    if (layout == Layout::NCHW)
        return graph_.constant({name, known.dims, known.type}, known.bytes->data(), known.bytes->size());
    const Dims strides = packed_strides(known.dims, layout);
    const auto width = static_cast<size_t>(bytes_of(known.type));
    Bytes moved(known.bytes->size());
    Dims at(known.dims.size(), 0);
    for (size_t i = 0; i * width < moved.size(); ++i) {
        const int64_t to = std::inner_product(at.begin(), at.end(), strides.begin(), int64_t{0});
        std::memcpy(moved.data() + static_cast<size_t>(to) * width, known.bytes->data() + i * width, width);
        for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == known.dims[axis];) at[axis] = 0;
    }
    return graph_.constant({name, known.dims, known.type, layout}, moved.data(), moved.size());
}

Tensor Builder::tensor_of(const Operand& operand, bool is_filter) {
    if (!operand.known) return operand.tensor;
    const Known& known = *operand.known;
    const Place place = is_filter && layout_ == Layout::NHWC ? Place::Filter : Place::Plain;
    const auto [entry, is_new] = constants_.try_emplace({known.bytes.get(), known.dims, place});
    if (is_new) entry->second = {known.bytes, constant_of(known, place)};
    return entry->second.tensor;
}

Result<Operands> Builder::in_compute_type(const Operands& inputs) {
    const bool mixes = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const Operand& x) { return !x.known && x.type == compute_type_; });
    if (!mixes) return inputs;
    Operands typed = inputs;
    for (Operand& input : typed) {
        if (input.type != DataType::F32) continue;
        if (!input.known) {
            TENON_ASSIGN(input, apply(Cast{compute_type_}, {input}));
            continue;
        }
        const auto [entry, is_new] = rounded_.try_emplace(input.known->bytes.get());
        if (is_new) {
            entry->second = {known_numbers(compute_type_, input.dims, numbers_of(*input.known)), input.known->bytes};
            const auto named = names_.find(input.known->bytes.get());
            if (named != names_.end()) name_constant(entry->second.first, named->second);
        }
        input = of({compute_type_, input.dims, entry->second.first.bytes});
    }
    return typed;
}

As Builder::wishes(const Op& op, const Operands& inputs) const {
    As as;
    const bool is_convolution = std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op);
    if (is_convolution && layout_ == Layout::NHWC) as.layout = layout_;
    const auto* pointwise = std::get_if<Pointwise>(&op);
    if (!is_reduced() || pointwise == nullptr || info(pointwise->kind).result == PointwiseResult::Bool) return as;
    for (const Operand& input : inputs) {
        if (!input.known && input.type == compute_type_) as.type = compute_type_;
    }
    return as;
}

Result<Operands> Builder::apply_all(const Op& op, const Operands& given) {
    const bool all_known =
        std::all_of(given.begin(), given.end(), [](const Operand& x) { return x.known.has_value(); });
    if (all_known && !given.empty()) {
        std::vector<Known> elements;
        for (const Operand& input : given) elements.push_back(*input.known);
        TENON_ASSIGN(std::optional<Known> result, evaluate_known(op, elements));
        if (result) return Operands{of(std::move(*result))};
    }
    const bool is_convolution = std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op);
    const bool needs_one_type =
        is_convolution || std::holds_alternative<Matmul>(op) || std::holds_alternative<Concat>(op);
    Operands inputs = given;
    if (is_reduced() && needs_one_type) {
        TENON_ASSIGN(inputs, in_compute_type(given));
    }
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) tensors.push_back(tensor_of(inputs[i], is_convolution && i == 1));
    const std::vector<Tensor> results = graph_.apply(op, tensors, wishes(op, inputs));
    TENON_TRY(graph_.data().first_mistake);
    Operands operands;
    for (const Tensor result : results) operands.push_back(operand_of(result));
    return operands;
}

Result<Operand> Builder::apply(const Op& op, const Operands& inputs) {
    TENON_ASSIGN(Operands results, apply_all(op, inputs));
    return std::move(results.front());
}

Result<Operand> Builder::pointwise(PointwiseKind kind, const Operands& inputs, std::array<double, 3> parameters) {
    return apply(Pointwise{kind, parameters}, inputs);
}

Result<Operand> Builder::pointwise(PointwiseKind kind, const Operands& inputs) {
    std::array<double, 3> parameters{};
    for (size_t i = 0; i < 3; ++i) parameters[i] = info(kind).parameters[i].initial;
    return pointwise(kind, inputs, parameters);
}

Result<Operand> Builder::reshape(const Operand& x, const Dims& dims) {
    if (dims == x.dims) return x;
    return apply(Reshape{dims}, {x});
}

Result<Operand> Builder::transpose(const Operand& x, const Dims& permutation) {
    if (std::is_sorted(permutation.begin(), permutation.end()) && permutation.size() == x.rank()) return x;
    return apply(Transpose{permutation}, {x});
}

Result<Operand> Builder::expand(const Operand& x, const Dims& dims) {
    if (dims == x.dims) return x;
    return apply(Expand{dims}, {x});
}

Result<Operand> Builder::cast(const Operand& x, DataType type) {
    if (x.type == type) return x;
    Operand whole = x;
    if (is_floating(x.type) && is_integer(type)) {
        TENON_ASSIGN(whole, pointwise(PointwiseKind::Truncate, {x}));
    }
    return apply(Cast{type}, {whole});
}

Result<Operand> Builder::reduce(const Operand& x, ReduceKind kind, const Dims& axes, bool keep_dims) {
    return apply(Reduce{kind, axes, keep_dims}, {x});
}

}  // namespace tenon::onnx
