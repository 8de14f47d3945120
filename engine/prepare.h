#pragma once

#include <memory>

#include "engine/kernel_compiler.h"
#include "engine/loaded_plan.h"

namespace tenon::engine {

/// Gets every kernel of a plan (from the plan, a cache or NVRTC) and loads it into the current context. A driver that
/// refuses a binary is offered PTX.
Result<std::shared_ptr<const LoadedPlan>> prepare(const Driver& driver, const std::shared_ptr<const PlanData>& plan,
                                                  KernelCompiler& compiler, CUstream stream);

/// Sources of a plan's kernels in launch order.
std::vector<const codegen::KernelSource*> sources_of(const PlanData& plan);
/// The plan's own binaries for an architecture, else what the compiler has or makes.
Result<std::vector<KernelPtr>> kernels_for(const PlanData& plan, KernelCompiler& compiler,
                                           const std::string& architecture);

}  // namespace tenon::engine
