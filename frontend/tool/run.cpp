#include <algorithm>
#include <cmath>
#include <iostream>

#include <tenon/tenon.h>

#include "frontend/status_macros.h"
#include "frontend/tool/device.h"
#include "frontend/tool/exit_codes.h"
#include "frontend/tool/files.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

/// "y  f32 1x32x14x14  least 0  mean 0.41  greatest 2.5  NaN 0".
void print_summary(const Graph& graph, Tensor output, const std::vector<double>& values) {
    const TensorSpec spec = graph.spec(output);
    std::cout << spec.name << "  " << to_string(spec.type) << " " << to_text(spec.dims);
    double least = kInfinity, greatest = -kInfinity, sum = 0.0;
    size_t numbers = 0;
    for (const double value : values) {
        if (std::isnan(value)) continue;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        sum += value;
        ++numbers;
    }
    if (numbers > 0)
        std::cout << "  least " << least << "  mean " << sum / static_cast<double>(numbers) << "  greatest "
                  << greatest;
    std::cout << "  NaN " << values.size() - numbers << "\n";
}

Status read_inputs(const std::vector<std::string>& arguments, HostMemory& memory) {
    for (const std::string& argument : arguments) {
        const size_t split = argument.find('=');
        if (split == std::string::npos)
            return Status(ErrorCode::InvalidArgument, "--input is '" + argument + "', needs NAME=FILE");
        const Status status = memory.read_input(argument.substr(0, split), argument.substr(split + 1));
        if (!status.is_ok()) return status;
    }
    return {};
}

/// A plan file as it is; any other graph planned for the device.
Result<Plan> plan_for(const RunOptions& options, const Target& target) {
    if (is_plan_file(options.graph.path)) {
        TENON_ASSIGN(const std::string bytes, read_file(options.graph.path));
        return Plan::from_bytes(bytes);
    }
    TENON_ASSIGN(const Graph graph, read_graph(options.graph));
    return Plan::build(graph, target, {.fuse = !options.unfused});
}

}  // namespace

int run(const RunOptions& options) {
    const Result<Device> device = Device::open(options.device, options.target);
    if (!device.is_ok()) return fail("run", device.status());
    const Result<Plan> plan = plan_for(options, device->target());
    if (!plan.is_ok()) return fail("run", plan.status());

    const Graph& graph = plan->graph();
    HostMemory memory(graph);
    memory.fill_inputs(options.seed);
    if (const Status status = read_inputs(options.inputs, memory); !status.is_ok()) return fail("run", status);
    if (const Status status = device->run(*plan, memory.bindings()); !status.is_ok()) return fail("run", status);
    for (const Tensor output : graph.outputs()) print_summary(graph, output, memory.values(output));
    if (!options.output_folder.empty()) {
        if (const Status status = memory.write_outputs(options.output_folder); !status.is_ok())
            return fail("run", status);
        std::cout << "outputs written to " << options.output_folder << "\n";
    }
    std::cout << plan->kernel_count() << " kernels planned for " << plan->target().name << ", run on " << device->name()
              << "\n";
    return kRight;
}

}  // namespace tenon::tool
