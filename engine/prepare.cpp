#include "engine/prepare.h"

#include "engine/compatibility.h"
#include "engine/compiler.h"
#include "engine/device_info.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// The driver's version as CUDA counts it: "12.4".
std::string driver_version(const Driver& driver) {
    int version = 0;
    if (driver.driver_version(&version) != CUDA_SUCCESS) return "unknown";
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Of the plan's own binaries if they run on the device, so that NVRTC is not needed; else what NVRTC can make.
Result<std::string> architecture_of(const PlanData& plan, KernelCompiler& compiler, int compute_capability) {
    std::string own = binaries_for(plan, compute_capability);
    if (!own.empty()) return own;
    TENON_ASSIGN(const Nvrtc* nvrtc, compiler.nvrtc());
    return architecture_for(*nvrtc, compute_capability);
}

}  // namespace

std::vector<const codegen::KernelSource*> sources_of(const PlanData& plan) {
    std::vector<const codegen::KernelSource*> sources;
    for (const codegen::Step& step : plan.program.steps) sources.push_back(&step.kernel);
    return sources;
}

Result<std::vector<KernelPtr>> kernels_for(const PlanData& plan, KernelCompiler& compiler,
                                           const std::string& architecture) {
    const auto own = plan.binaries.find(architecture);
    if (own != plan.binaries.end()) return own->second;
    return compiler.kernels(sources_of(plan), architecture);
}

Result<std::shared_ptr<const LoadedPlan>> prepare(const Driver& driver, const std::shared_ptr<const PlanData>& plan,
                                                  KernelCompiler& compiler, CUstream stream) {
    TENON_TRY(refuse_capture(driver, stream));
    TENON_ASSIGN(const DeviceInfo device, current_device(driver));
    TENON_ASSIGN(const Target target, describe(driver, device));
    const Compatibility found = compatibility(*plan, target);
    if (found.fit == Fit::Replan || found.fit == Fit::Refused)
        return Status(ErrorCode::IncompatiblePlan, "prepare: " + found.reason + "; build the plan for this device");
    TENON_ASSIGN(const std::string architecture, architecture_of(*plan, compiler, device.compute_capability));
    TENON_ASSIGN(const std::vector<KernelPtr> kernels, kernels_for(*plan, compiler, architecture));
    // Cubins name their architecture "sm_…", PTX for the same one "compute_…".
    const LoadedPlan::Fallback ptx = [&](const codegen::KernelSource& kernel) {
        return compiler.kernel(kernel, "compute_" + architecture.substr(architecture.find('_') + 1));
    };
    Result<std::shared_ptr<const LoadedPlan>> loaded = LoadedPlan::load(driver, plan, kernels, stream, ptx);
    if (loaded.is_ok() || loaded.status().code() != ErrorCode::DriverFailed) return loaded;
    const Result<const Nvrtc*> nvrtc = compiler.nvrtc();
    return Status(ErrorCode::DriverFailed, loaded.status().message() + "; compiled for " + architecture +
                                               ", NVRTC is " +
                                               (nvrtc.is_ok() ? version_text(**nvrtc) : std::string("absent")) +
                                               ", the driver is for CUDA " + driver_version(driver));
}

}  // namespace tenon::engine
