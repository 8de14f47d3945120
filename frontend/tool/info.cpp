#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

/// y = relu(x) on four numbers: enough to see whether a compiler works.
Graph small_graph() {
    Graph graph;
    graph.output(graph.relu(graph.input({"x", {4}}), {.name = "y"}));
    return graph;
}

void print_gpu() {
    const Result<Target> gpu = Target::current();
    if (!gpu.is_ok()) {
        std::cout << "GPU            none: " << gpu.status().message() << "\n";
        return;
    }
    std::cout << "GPU            " << gpu->name << ", " << gpu->architecture() << ", " << gpu->multiprocessors
              << " multiprocessors, rates " << (gpu->measured ? "measured" : "not measured") << "\n";
}

/// Compiles a kernel anew, past every cache.
void print_nvrtc(const Plan& plan) {
    const Compiler compiler{Settings{}};
    const Result<CompileReport> report = plan.compile({}, compiler);
    std::cout << "NVRTC          ";
    if (report.is_ok())
        std::cout << "compiles for " << report->architecture << ", a small kernel in "
                  << static_cast<int>(report->kernels.front().compile_seconds * 1e3 + 0.5) << " ms\n";
    else
        std::cout << report.status().message() << "\n";
}

void print_emulator(const Plan& plan) {
    HostMemory memory(plan.graph());
    memory.fill_inputs(1);
    const Status status = plan.run_on_cpu(CpuDevice::Emulator, memory.bindings());
    std::cout << "emulator       " << (status.is_ok() ? "runs kernels with the host compiler" : status.message())
              << "\n";
}

}  // namespace

int info() {
    std::cout << "tenon          " << kVersion << "\n";
    std::cout << "built with     " << __VERSION__ << "\n";
    print_gpu();
    const Result<Target> target = Target::named("h200");
    if (!target.is_ok()) return fail("info", target.status());
    const Result<Plan> plan = Plan::build(small_graph(), *target);
    if (!plan.is_ok()) return fail("info", plan.status());
    print_nvrtc(*plan);
    print_emulator(*plan);
    const std::string folder = Settings::from_environment().cache_folder;
    std::cout << "kernel cache   " << (folder.empty() ? "none" : folder) << "\n";
    std::cout << "profiles\n";
    for (const std::string& name : Target::names()) {
        const Result<Target> profile = Target::named(name);
        if (!profile.is_ok()) return fail("info", profile.status());
        std::cout << "    " << profile->name << "  " << profile->architecture() << "  " << profile->multiprocessors
                  << " multiprocessors  " << (profile->measured ? "measured" : "from the datasheet") << "\n";
    }
    return kRight;
}

}  // namespace tenon::tool
