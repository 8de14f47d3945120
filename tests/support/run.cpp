#include "tests/support/run.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/reference/number.h"
#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"

namespace tenon::test {
namespace {

RunPlan stand_in = nullptr;

int64_t memory_offset(const Value& value, int64_t number) {
    int64_t offset = 0;
    for (size_t axis = value.dims.size(); axis-- > 0;) {
        offset += number % value.dims[axis] * value.strides[axis];
        number /= value.dims[axis];
    }
    return offset;
}

/// Aligned like device memory.
struct Memory {
    explicit Memory(const Value& value)
        : bytes(static_cast<size_t>(span_of(value.dims, value.strides) * bytes_of(value.type) + 272), 0xff) {}
    void* data() { return bytes.data() + (16 - reinterpret_cast<uintptr_t>(bytes.data()) % 16) % 16; }
    std::vector<uint8_t> bytes;
};

/// One unit in the last place at 1.
double unit(DataType type) {
    switch (type) {
        case DataType::F16:
            return std::ldexp(1.0, -10);
        case DataType::BF16:
            return std::ldexp(1.0, -7);
        case DataType::F32:
            return std::ldexp(1.0, -21);  // sums in float, not exact ones
        case DataType::F64:
            return std::ldexp(1.0, -48);
        default:
            return 0.0;
    }
}

std::string compare(const std::string& name, DataType type, const Numbers& found, const Numbers& expected,
                    double slack) {
    double largest = 0.0;
    for (const double value : expected) largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
    const double allowed = slack * unit(type) * std::max(largest, 1e-3);
    for (size_t i = 0; i < expected.size(); ++i) {
        const bool both_nan = std::isnan(found[i]) && std::isnan(expected[i]);
        if (both_nan || found[i] == expected[i] || std::fabs(found[i] - expected[i]) <= allowed) continue;
        return name + "[" + std::to_string(i) + "] is " + std::to_string(found[i]) + ", expected " +
               std::to_string(expected[i]) + " within " + std::to_string(allowed);
    }
    return {};
}

}  // namespace

Result<std::map<std::string, Numbers>> run(const Graph& graph, CpuDevice device,
                                           const std::map<std::string, Numbers>& inputs, const PlanOptions& options,
                                           uint64_t seed) {
    TENON_ASSIGN(const Target target, Target::named("h200"));
    TENON_ASSIGN(const Plan plan, Plan::build(graph, target, options));
    std::map<std::string, Memory> memory;
    Bindings bindings;
    const auto bind = [&](Tensor tensor) -> Memory& {
        const Value& value = graph.data().value(tensor.id);
        Memory& place = memory.emplace(value.name, Memory(value)).first->second;
        bindings[tensor] = place.data();
        return place;
    };
    for (const Tensor tensor : graph.inputs()) {
        const Value& value = graph.data().value(tensor.id);
        Memory& place = bind(tensor);
        const Numbers& numbers = inputs.at(value.name);
        for (size_t i = 0; i < numbers.size(); ++i) {
            engine::store(place.data(), value.type, memory_offset(value, static_cast<int64_t>(i)),
                          engine::rounded(value.type, numbers[i]));
        }
    }
    for (const Tensor tensor : graph.outputs()) bind(tensor);
    if (device == CpuDevice::Emulator) {
        TENON_TRY(run_kernels(plan, bindings, seed));
    } else {
        TENON_TRY(plan.run_on_cpu(device, bindings, seed));
    }
    std::map<std::string, Numbers> outputs;
    for (const Tensor tensor : graph.outputs()) {
        const Value& value = graph.data().value(tensor.id);
        Numbers& numbers = outputs[value.name];
        for (int64_t i = 0; i < element_count(value.dims); ++i) {
            numbers.push_back(
                static_cast<double>(engine::load(memory.at(value.name).data(), value.type, memory_offset(value, i))));
        }
    }
    return outputs;
}

void stand_in_for_emulator(RunPlan run_plan) { stand_in = run_plan; }

Status run_kernels(const Plan& plan, const Bindings& bindings, uint64_t seed) {
    if (stand_in != nullptr) return stand_in(plan, bindings);
    return plan.run_on_cpu(CpuDevice::Emulator, bindings, seed);
}

Target target_for_kernels(const std::string& name) {
    const Target target = *Target::named(name);
    if (stand_in == nullptr) return target;
    const Result<Target> device = Target::current();
    return device.is_ok() ? *device : target;
}

std::map<std::string, Numbers> random_inputs(const Graph& graph, uint32_t seed) {
    std::mt19937 generator(seed);
    std::map<std::string, Numbers> inputs;
    for (const Tensor tensor : graph.inputs()) {
        const Value& value = graph.data().value(tensor.id);
        Numbers& numbers = inputs[value.name];
        for (int64_t i = 0; i < element_count(value.dims); ++i) {
            const int draw = static_cast<int>(generator() % 4001) - 2000;
            if (is_floating(value.type)) numbers.push_back(draw / 1000.0);
            if (value.type == DataType::Bool) numbers.push_back(draw > 0);
            if (is_integer(value.type)) numbers.push_back(value.type == DataType::U8 ? std::abs(draw % 9) : draw % 9);
        }
    }
    return inputs;
}

std::string disagreement(const Graph& graph, const std::map<std::string, Numbers>& inputs, double slack,
                         PlanOptions options) {
    const auto expected = run(graph, CpuDevice::Reference, inputs);
    if (!expected.is_ok()) return "reference: " + expected.status().message();
    for (const bool fuse : {true, false}) {
        options.fuse = fuse;
        const auto found = run(graph, CpuDevice::Emulator, inputs, options, fuse ? 7 : 0);
        const std::string way = fuse ? "fused: " : "unfused: ";
        if (!found.is_ok()) return way + found.status().message();
        for (const Tensor tensor : graph.outputs()) {
            const Value& value = graph.data().value(tensor.id);
            const std::string difference =
                compare(value.name, value.type, found->at(value.name), expected->at(value.name), slack);
            if (!difference.empty()) return way + difference;
        }
    }
    return {};
}

}  // namespace tenon::test
