#include <algorithm>
#include <cstdio>
#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/files.h"
#include "frontend/tool/gpu.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

struct Times {
    int kernels = 0;
    double median = 0.0, least = 0.0, greatest = 0.0;  ///< Seconds of one run.
};

Result<Times> time_plan(const Gpu& gpu, const Graph& graph, bool fuse, const BenchOptions& options) {
    const Result<Plan> plan = Plan::build(graph, gpu.target(), {.fuse = fuse});
    if (!plan.is_ok()) return plan.status();
    HostMemory memory(graph);
    memory.fill_inputs(options.seed);
    Result<std::vector<double>> seconds = gpu.time(*plan, memory.bindings(), options.samples, options.launches);
    if (!seconds.is_ok()) return seconds.status();
    std::sort(seconds->begin(), seconds->end());
    return Times{plan->kernel_count(), (*seconds)[seconds->size() / 2], seconds->front(), seconds->back()};
}

void print(const char* name, const Times& times, const BenchOptions& options) {
    char line[200];
    const char* form =
        options.json ? "{\"plan\": \"%s\", \"kernels\": %d, \"median_us\": %.3f, \"least_us\": %.3f, "
                       "\"greatest_us\": %.3f, \"samples\": %d, \"launches\": %d}\n"
                     : "%-8s  %d kernels  median %.2f us  least %.2f us  greatest %.2f us  (%d samples of %d runs)\n";
    std::snprintf(line, sizeof line, form, name, times.kernels, times.median * 1e6, times.least * 1e6,
                  times.greatest * 1e6, options.samples, options.launches);
    std::cout << line;
}

}  // namespace

int bench(const BenchOptions& options) {
    const Result<Graph> graph = read_graph(options.graph);
    if (!graph.is_ok()) return fail("bench", graph.status());
    const Result<Gpu> gpu = Gpu::open();
    if (!gpu.is_ok()) return fail("bench", gpu.status());
    const Result<Times> fused = time_plan(*gpu, *graph, true, options);
    if (!fused.is_ok()) return fail("bench", fused.status());
    const Result<Times> unfused = time_plan(*gpu, *graph, false, options);
    if (!unfused.is_ok()) return fail("bench", unfused.status());
    if (!options.json) std::cout << "on " << gpu->target().name << ", inputs in the caches as the runs leave them\n";
    print("fused", *fused, options);
    print("unfused", *unfused, options);
    return kRight;
}

}  // namespace tenon::tool
