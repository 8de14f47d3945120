#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/compare.h"
#include "frontend/tool/device.h"
#include "frontend/tool/exit_codes.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/verbs.h"

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

/// How many kernels NVRTC compiled; without NVRTC none, which is no failure.
Result<int> compile_and_report(const Plan& plan) {
    const Result<CompileReport> report = plan.compile();
    if (!report.is_ok() && report.status().code() != ErrorCode::NotFound) return report.status();
    if (!report.is_ok()) {
        std::cout << "not compiled: " << report.status().message() << "\n";
        return 0;
    }
    for (const CompileReport::Kernel& kernel : report->kernels)
        std::cout << "compiled " << kernel.name << " for " << report->architecture << ": " << kernel.registers
                  << " registers, " << kernel.spill_bytes << " B spilled\n";
    return static_cast<int>(report->kernels.size());
}

/// The largest difference from the reference as a part of the largest number, or a failure.
Result<Difference> run_and_compare(const Plan& plan, const Device& device) {
    HostMemory found(plan.graph()), expected(plan.graph());
    found.fill_inputs(1);
    expected.fill_inputs(1);
    if (const Status status = device.run(plan, found.bindings()); !status.is_ok()) return status;
    const Status checked = plan.run_on_cpu(CpuDevice::Reference, expected.bindings());
    if (!checked.is_ok()) return checked;
    const Tensor y = plan.graph().outputs().front();
    return difference_of(found.values(y), expected.values(y), tolerance_of(DataType::F32));
}

}  // namespace

int demo(const DemoOptions& options) {
    const Result<Device> device = Device::open("auto", options.target);
    if (!device.is_ok()) return fail("demo", device.status());
    if (!device->gpu())
        std::cout << "no GPU (" << device->why_no_gpu() << "): planning for " << device->target().name
                  << ", running on the emulator\n";
    const Result<Plan> plan = Plan::build(block(), device->target());
    if (!plan.is_ok()) return fail("demo", plan.status());
    std::cout << plan->explain() << "\n" << plan->source() << "\n";
    const Result<int> compiled = compile_and_report(*plan);
    if (!compiled.is_ok()) return fail("demo", compiled.status());
    const Result<Difference> difference = run_and_compare(*plan, *device);
    if (!difference.is_ok()) return fail("demo", difference.status());

    const int kernels = plan->kernel_count();
    std::cout << "largest difference from the reference: " << difference->largest << " of the largest value\n"
              << kernels << " kernels planned for " << device->target().name << ", " << *compiled << " compiled, "
              << (device->gpu() ? 0 : kernels) << " run on the emulator, " << (device->gpu() ? kernels : 0)
              << " on a GPU: " << (difference->is_within ? "agrees with the reference" : "DIFFERS from the reference")
              << "\n";
    return difference->is_within ? kRight : kWrong;
}

}  // namespace tenon::tool
