#include "engine/reference/pointwise.h"

#include <cmath>

#include "engine/reference/number.h"
#include "engine/reference/operations.h"

namespace tenon::engine {
namespace {

/// The type in which the operands are computed: f64 if one of them is, f32 for other floats. Parameters are numbers of
/// that type, so that x > 0.1 means the same for an f32 x here and in a kernel; for integers they lose their fraction.
std::array<double, 3> real_parameters(const Pointwise& op, const Sources& inputs) {
    std::array<double, 3> parameters = op.parameters;
    for (const Source& input : inputs) {
        if (input.value.type == DataType::F64) return parameters;
    }
    // Not by a cast here: GCC 12 at -O2 drops a cast to float and back on neighbouring elements.
    for (double& parameter : parameters) parameter = rounded(DataType::F32, parameter);
    return parameters;
}

std::array<int64_t, 3> whole_parameters(const Pointwise& op) {
    std::array<int64_t, 3> parameters{};
    for (size_t i = 0; i < parameters.size(); ++i) parameters[i] = to_integer(std::trunc(op.parameters[i]));
    return parameters;
}

/// Visits the elements with their offsets in the output and in the three (or fewer) inputs.
template <typename Visit>
void for_each_element(const Sources& inputs, const Sink& output, Visit&& visit) {
    std::array<Dims, 4> strides;
    strides.fill(Dims(output.value.dims.size(), 0));
    strides[0] = output.value.strides;
    for (size_t i = 0; i < inputs.size(); ++i) strides[i + 1] = broadcast_strides(inputs[i].value, output.value.dims);
    walk<4>(output.value.dims, strides, visit);
}

void evaluate_real(const Pointwise& op, const Sources& inputs, const Sink& output) {
    const RealFunction function = real_function(op.kind);
    const std::array<double, 3> parameters = real_parameters(op, inputs);
    for_each_element(inputs, output, [&](const auto& at) {
        std::array<double, 3> x{};
        for (size_t i = 0; i < inputs.size(); ++i) x[i] = load(inputs[i].memory, inputs[i].value.type, at[i + 1]);
        store(output.memory, output.value.type, at[0], function(x[0], x[1], x[2], parameters));
    });
}

void evaluate_whole(const Pointwise& op, const Sources& inputs, const Sink& output) {
    const WholeFunction function = whole_function(op.kind);
    const DataType type = inputs.back().value.type;
    const WholeParameters parameters{whole_parameters(op), static_cast<int>(8 * bytes_of(type))};
    for_each_element(inputs, output, [&](const auto& at) {
        std::array<int64_t, 3> x{};
        for (size_t i = 0; i < inputs.size(); ++i)
            x[i] = load_integer(inputs[i].memory, inputs[i].value.type, at[i + 1]);
        const int64_t result = wrapped(function(x[0], x[1], x[2], parameters), type);
        store_integer(output.memory, output.value.type, at[0], result);
    });
}

}  // namespace

Status evaluate(const Pointwise& op, const Sources& inputs, const Sinks& outputs) {
    // The last input is a data input in every function; the first of Select is its mask.
    if (is_floating(inputs.back().value.type))
        evaluate_real(op, inputs, outputs[0]);
    else
        evaluate_whole(op, inputs, outputs[0]);
    return {};
}

Status evaluate(const Cast&, const Sources& inputs, const Sinks& outputs) {
    const Source& x = inputs[0];
    const Sink& y = outputs[0];
    walk<2>(y.value.dims, {y.value.strides, x.value.strides},
            [&](const auto& at) { copy_element(x, at[1], y, at[0]); });
    return {};
}

}  // namespace tenon::engine
