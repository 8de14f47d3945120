#include <iostream>
#include <map>

#include <tenon/json.h>
#include <tenon/tenon.h>

#include "frontend/status_macros.h"
#include "frontend/tool/compare.h"
#include "frontend/tool/device.h"
#include "frontend/tool/exit_codes.h"
#include "frontend/tool/files.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/progress.h"
#include "frontend/tool/regions.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

using Values = std::map<ValueId, std::vector<double>>;

double tolerance_for(DataType type, const VerifyOptions& options) {
    return options.tolerance > 0.0 ? options.tolerance : tolerance_of(type);
}

/// The plan, with edited kernels if there is a folder of them.
Result<Plan> plan_for(const Graph& graph, const Device& device, bool fuse, const VerifyOptions& options) {
    TENON_ASSIGN(Plan plan, Plan::build(graph, device.target(), {.fuse = fuse}));
    if (options.sources.empty()) return plan;
    return plan.with_sources_from(options.sources);
}

/// Numbers of every input and computed tensor, from the reference.
Result<Values> reference_values(const Graph& graph, const Device& device, uint64_t seed) {
    const Graph kept = with_all_kept(graph);
    TENON_ASSIGN(const Plan plan, Plan::build(kept, device.target(), {.fuse = false}));
    HostMemory memory(kept);
    memory.fill_inputs(seed);
    TENON_TRY(plan.run_on_cpu(CpuDevice::Reference, memory.bindings()));
    Values values;
    for (const Tensor tensor : kept.inputs()) values[tensor.id] = memory.values(tensor);
    for (const Tensor tensor : kept.outputs()) values[tensor.id] = memory.values(tensor);
    return values;
}

/// Prints one line about an output; true if it is right.
bool print_difference(const std::string& name, const Difference& difference, double tolerance) {
    std::cout << (difference.is_within ? "    right  '" : "    WRONG  '") << name << "'  difference "
              << difference.largest << " of the largest value, at most " << tolerance;
    if (!difference.is_within) std::cout << ", at element " << difference.worst_at;
    std::cout << "\n";
    return difference.is_within;
}

/// Runs the whole graph one way and prints how its outputs compare.
Result<bool> compare_whole(const Graph& graph, const Device& device, bool fuse, const Values& expected,
                           const VerifyOptions& options) {
    TENON_ASSIGN(const Plan plan, plan_for(graph, device, fuse, options));
    HostMemory memory(graph);
    memory.fill_inputs(options.seed);
    TENON_TRY(device.run(plan, memory.bindings()));
    std::cout << (fuse ? "fused, " : "unfused, ") << plan.kernel_count() << " kernels on " << device.name() << "\n";
    bool is_right = true;
    for (const Tensor output : graph.outputs()) {
        const TensorSpec spec = graph.spec(output);
        const double tolerance = tolerance_for(spec.type, options);
        const Difference difference = difference_of(memory.values(output), expected.at(output.id), tolerance);
        is_right = print_difference(spec.name, difference, tolerance) && is_right;
    }
    return is_right;
}

/// Whether a region alone, fed with the numbers of the reference, gives the numbers of the reference.
Result<bool> is_region_right(const RegionGraph& region, const Device& device, bool fuse, const Values& expected,
                             const VerifyOptions& options) {
    TENON_ASSIGN(const Plan plan, plan_for(region.graph, device, fuse, options));
    HostMemory memory(region.graph);
    for (const auto& [tensor, value] : region.inputs) memory.set_values(tensor, expected.at(value));
    TENON_TRY(device.run(plan, memory.bindings()));
    for (const auto& [tensor, value] : region.outputs) {
        const double tolerance = tolerance_for(region.graph.spec(tensor).type, options);
        if (!difference_of(memory.values(tensor), expected.at(value), tolerance).is_within) return false;
    }
    return true;
}

void print_region(const GraphData& graph, const RegionNodes& region) {
    std::cout << "wrong region:";
    for (const NodeId node : region.nodes) std::cout << " '" << graph.node(node).name << "'";
    std::cout << "  kernels";
    for (const std::string& kernel : region.kernels) std::cout << " " << kernel;
    std::cout << "\n";
}

/// Every region on its own, so that one wrong region does not hide behind another; names the wrong ones.
Status name_wrong_regions(const Graph& graph, const Device& device, bool fuse, const Values& expected,
                          const VerifyOptions& options) {
    TENON_ASSIGN(const Plan plan, plan_for(graph, device, fuse, options));
    TENON_ASSIGN(const std::vector<RegionNodes> regions, regions_of(plan));
    ProgressLine line("region", static_cast<int>(regions.size()));
    int wrong = 0;
    for (size_t i = 0; i < regions.size(); ++i) {
        const RegionGraph region = graph_of(graph.data(), regions[i].nodes);
        TENON_ASSIGN(const bool is_right, is_region_right(region, device, fuse, expected, options));
        line.show(static_cast<int>(i) + 1);
        if (is_right) continue;
        print_region(graph.data(), regions[i]);
        if (wrong++ == 0 && !options.reproducer.empty()) {
            TENON_TRY(write_file(options.reproducer, to_json(region.graph)));
            std::cout << "written to " << options.reproducer << "; run: tenon verify " << options.reproducer << "\n";
        }
    }
    if (wrong == 0) std::cout << "every region alone is right: the difference grows over the graph\n";
    return {};
}

}  // namespace

int verify(const VerifyOptions& options) {
    const Result<Graph> graph = read_graph(options.graph);
    if (!graph.is_ok()) return fail("verify", graph.status());
    const Result<Device> device = Device::open(options.device, options.target);
    if (!device.is_ok()) return fail("verify", device.status());
    const Result<Values> expected = reference_values(*graph, *device, options.seed);
    if (!expected.is_ok()) return fail("verify", expected.status());
    bool is_right = true;
    for (const bool fuse : {true, false}) {
        const Result<bool> one = compare_whole(*graph, *device, fuse, *expected, options);
        if (!one.is_ok()) return fail("verify", one.status());
        if (*one) continue;
        is_right = false;
        const Status named = name_wrong_regions(*graph, *device, fuse, *expected, options);
        if (!named.is_ok()) return fail("verify", named);
    }
    std::cout << (is_right ? "agrees with the reference" : "DIFFERS from the reference") << "\n";
    return is_right ? kRight : kWrong;
}

}  // namespace tenon::tool
