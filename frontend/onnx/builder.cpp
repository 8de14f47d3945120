#include "frontend/onnx/builder.h"

#include <algorithm>

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
    if (type == DataType::F16 || type == DataType::BF16) return operand_of(graph_.scalar(value, type));
    if (is_floating(type)) return of(known_numbers(type, {}, {value}));
    return of(known_integers(type, {}, {static_cast<int64_t>(value)}));
}

Operand Builder::input(const std::string& name, DataType type, const Dims& dims) {
    return {type, dims, {}, graph_.input({name, dims, type})};
}

Tensor Builder::tensor_of(const Operand& operand) {
    if (!operand.known) return operand.tensor;
    const Known& known = *operand.known;
    const auto [entry, is_new] = constants_.try_emplace({known.bytes.get(), known.dims});
    if (is_new) {
        const auto named = names_.find(known.bytes.get());
        const std::string name =
            named == names_.end() ? "constant_" + std::to_string(graph_.data().values.size()) : named->second;
        entry->second = {known.bytes,
                         graph_.constant({name, known.dims, known.type}, known.bytes->data(), known.bytes->size())};
    }
    return entry->second.tensor;
}

Result<Operands> Builder::apply_all(const Op& op, const Operands& inputs) {
    const bool all_known =
        std::all_of(inputs.begin(), inputs.end(), [](const Operand& x) { return x.known.has_value(); });
    if (all_known && !inputs.empty()) {
        std::vector<Known> elements;
        for (const Operand& input : inputs) elements.push_back(*input.known);
        TENON_ASSIGN(std::optional<Known> result, evaluate_known(op, elements));
        if (result) return Operands{of(std::move(*result))};
    }
    std::vector<Tensor> tensors;
    for (const Operand& input : inputs) tensors.push_back(tensor_of(input));
    const std::vector<Tensor> results = graph_.apply(op, tensors);
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
