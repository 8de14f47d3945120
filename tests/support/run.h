#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenon/tenon.h>

namespace tenon::test {

/// Numbers of a tensor in row-major order of its logical axes, whatever its layout in memory.
using Numbers = std::vector<double>;

/// Runs a graph on a CPU device with inputs by name and returns its outputs by name. A failure is the Status.
Result<std::map<std::string, Numbers>> run(const Graph& graph, CpuDevice device,
                                           const std::map<std::string, Numbers>& inputs,
                                           const PlanOptions& options = {}, uint64_t seed = 0);

/// Runs a plan on host memory of its inputs, host scalars and outputs.
using RunPlan = Status (*)(const Plan& plan, const Bindings& bindings);
/// From now on `run_plan` runs wherever the emulator is asked for: so the tests of the generated kernels run on a GPU.
void stand_in_for_emulator(RunPlan run_plan);
/// Runs a plan's kernels: on the emulator, or on what stands in for it.
Status run_kernels(const Plan& plan, const Bindings& bindings, uint64_t seed = 0);
/// The profile of this name; where a GPU stands in for the emulator, with the compute capability of that GPU.
Target target_for_kernels(const std::string& name);

/// Seeded values for every input: small integers for integer types, about ±2 for floats.
std::map<std::string, Numbers> random_inputs(const Graph& graph, uint32_t seed);

/// Empty if the graph gives the same on the emulator, fused and unfused, as on the reference within the rounding of
/// each output's type
/// (`slack` units in the last place of the largest expected value); else what differs first.
std::string disagreement(const Graph& graph, const std::map<std::string, Numbers>& inputs, double slack = 4.0,
                         PlanOptions options = {});

}  // namespace tenon::test
