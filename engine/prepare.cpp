#include "engine/prepare.h"

#include "engine/compiler.h"
#include "engine/device_info.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

Status check_device(const PlanData& plan, const DeviceInfo& device) {
    if (device.compute_capability == plan.target.compute_capability) return {};
    return Status(ErrorCode::IncompatiblePlan,
                  "prepare: the plan is for compute capability " + std::to_string(plan.target.compute_capability) +
                      " (" + plan.target.name + "), " + device.name + " has " +
                      std::to_string(device.compute_capability) + "; build the plan for Target::current()");
}

/// The driver's version as CUDA counts it: "12.4".
std::string driver_version(const Driver& driver) {
    int version = 0;
    if (driver.driver_version(&version) != CUDA_SUCCESS) return "unknown";
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::vector<const codegen::KernelSource*> sources_of(const PlanData& plan) {
    std::vector<const codegen::KernelSource*> sources;
    for (const codegen::Step& step : plan.program.steps) sources.push_back(&step.kernel);
    return sources;
}

Result<std::shared_ptr<const LoadedPlan>> prepare(const Driver& driver, const std::shared_ptr<const PlanData>& plan,
                                                  KernelCompiler& compiler, CUstream stream) {
    TENON_TRY(refuse_capture(driver, stream));
    TENON_ASSIGN(const DeviceInfo device, current_device(driver));
    TENON_TRY(check_device(*plan, device));
    TENON_ASSIGN(const Nvrtc* nvrtc, compiler.nvrtc());
    TENON_ASSIGN(const std::string architecture, architecture_for(*nvrtc, device.compute_capability));
    TENON_ASSIGN(const std::vector<KernelPtr> kernels, compiler.kernels(sources_of(*plan), architecture));
    // Cubins name their architecture "sm_…", PTX for the same one "compute_…".
    const LoadedPlan::Fallback ptx = [&](const codegen::KernelSource& kernel) {
        return compiler.kernel(kernel, "compute_" + architecture.substr(architecture.find('_') + 1));
    };
    Result<std::shared_ptr<const LoadedPlan>> loaded = LoadedPlan::load(driver, plan, kernels, stream, ptx);
    if (loaded.is_ok() || loaded.status().code() != ErrorCode::DriverFailed) return loaded;
    return Status(ErrorCode::DriverFailed, loaded.status().message() + "; compiled by NVRTC " + version_text(*nvrtc) +
                                               " for " + architecture + ", the driver is for CUDA " +
                                               driver_version(driver));
}

}  // namespace tenon::engine
