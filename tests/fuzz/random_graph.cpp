#include "tests/fuzz/random_graph.h"

#include <algorithm>
#include <numeric>

#include "frontend/graph/graph_data.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/random_steps.h"

namespace tenon::testing {
namespace {

std::vector<double> special_numbers(int64_t count, Dice& dice) {
    const std::vector<double> choices{0.0, -0.0, 1.0, -1.0, 2.0, -3.0, kInfinity, -kInfinity, __builtin_nan("")};
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(dice.pick(choices));
    return numbers;
}

HostTensor filled(const TensorSpec& spec, NumberKind numbers, bool positive, uint32_t seed) {
    HostTensor tensor(spec);
    if (!is_floating(spec.type) || numbers == NumberKind::Integers) {
        const bool no_sign = spec.type == DataType::U8 || positive;
        tensor.fill_small_integers(seed, spec.type == DataType::Bool || no_sign ? 0 : -3,
                                   spec.type == DataType::Bool ? 1 : 3);
    } else if (numbers == NumberKind::Special) {
        Dice dice(seed);
        tensor.set(special_numbers(element_count(spec.dims), dice));
    } else {
        tensor.fill_normal(seed, 0.7);
        if (positive) {
            std::vector<double> values = tensor.values();
            for (double& value : values) value = std::abs(value) + 0.25;
            tensor.set(values);
        }
    }
    return tensor;
}

}  // namespace

RandomGraph random_graph(uint32_t seed) {
    Dice dice(seed * 7919u + 17u);
    const int64_t kind = dice.below(10);
    RandomGraph made;
    made.numbers = kind < 4 ? NumberKind::Integers : kind < 5 ? NumberKind::Special : NumberKind::Real;
    RandomSteps steps(dice, made.numbers);
    const int64_t count = dice.between(1, 9);
    for (int64_t tries = 0, taken = 0; taken < count && tries < 60; ++tries) taken += steps.step() ? 1 : 0;
    steps.mark_outputs();
    made.graph = steps.take_graph();
    for (const Tensor input : made.graph.inputs()) {
        const TensorSpec spec = made.graph.spec(input);
        made.inputs.emplace(spec.name, filled(spec, made.numbers, spec.name.ends_with("_positive"),
                                              seed * 131u + static_cast<uint32_t>(input.id)));
    }
    return made;
}

}  // namespace tenon::testing
