#include "frontend/tool/demo.h"

#include <cmath>
#include <iostream>
#include <vector>

#include <tenon/tenon.h>

namespace tenon::tool {
namespace {

/// A block as it stands in residual networks, small enough for a CPU.
Graph block() {
    Graph graph;
    const Tensor x = graph.input({"x", {1, 16, 14, 14}, DataType::F32, Layout::NHWC});
    const Tensor w = graph.input({"w", {32, 16, 3, 3}, DataType::F32, Layout::NHWC});
    const Tensor bias = graph.input({"bias", {1, 32, 1, 1}});
    const Tensor residual = graph.input({"residual", {1, 32, 14, 14}, DataType::F32, Layout::NHWC});
    const Tensor conv = graph.conv2d(x, w, {.pad = {1, 1, 1, 1}}, {.name = "conv"});
    const Tensor sum = graph.add(graph.add(conv, bias, {.name = "add_bias"}), residual, {.name = "add_residual"});
    graph.output(graph.relu(sum, {.name = "y"}));
    return graph;
}

/// The same numbers in every run.
std::vector<float> numbers(size_t count, uint32_t seed) {
    std::vector<float> values(count);
    for (float& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(seed >> 8) / static_cast<float>(1 << 23) - 1.0f;
    }
    return values;
}

int fail(const Status& status) {
    std::cerr << "tenon demo: " << to_string(status.code()) << ": " << status.message() << "\n";
    return 1;
}

}  // namespace

int demo(const std::string& profile) {
    const Graph graph = block();
    const Result<Target> target = Target::named(profile);
    if (!target.is_ok()) return fail(target.status());
    const Result<Plan> plan = Plan::build(graph, *target);
    if (!plan.is_ok()) return fail(plan.status());
    std::cout << plan->explain() << "\n" << plan->source() << "\n";

    int compiled = 0;
    const Result<CompileReport> report = plan->compile();
    if (report.is_ok()) {
        for (const CompileReport::Kernel& kernel : report->kernels) {
            std::cout << "compiled " << kernel.name << " for " << report->architecture << ": " << kernel.registers
                      << " registers, " << kernel.spill_bytes << " B spilled\n";
            ++compiled;
        }
    } else if (report.status().code() == ErrorCode::NotFound) {
        std::cout << "not compiled: " << report.status().message() << "\n";
    } else {
        return fail(report.status());
    }

    std::vector<std::vector<float>> memory;
    Bindings bindings;
    for (const Tensor input : graph.inputs())
        memory.push_back(
            numbers(static_cast<size_t>(element_count(graph.spec(input).dims)), static_cast<uint32_t>(input.id) + 1));
    for (size_t i = 0; i < memory.size(); ++i) bindings[graph.inputs()[i]] = memory[i].data();
    const Tensor y = graph.outputs().front();
    std::vector<float> emulated(static_cast<size_t>(element_count(graph.spec(y).dims))), expected = emulated;
    bindings[y] = emulated.data();
    const Status ran = plan->run_on_cpu(CpuDevice::Emulator, bindings);
    if (!ran.is_ok()) return fail(ran);
    bindings[y] = expected.data();
    const Status checked = plan->run_on_cpu(CpuDevice::Reference, bindings);
    if (!checked.is_ok()) return fail(checked);

    double worst = 0.0;
    for (size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::fabs(emulated[i] - expected[i])));
    std::cout << "largest difference from the reference: " << worst << " over " << expected.size() << " values\n";
    const bool agrees = worst < 1e-4;
    std::cout << plan->kernel_count() << " kernels planned for " << profile << ", " << compiled << " compiled, "
              << plan->kernel_count() << " run on the emulator, 0 on a GPU: "
              << (agrees ? "agrees with the reference" : "DIFFERS from the reference") << "\n";
    return agrees ? 0 : 1;
}

}  // namespace tenon::tool
