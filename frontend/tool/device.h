#pragma once

#include <optional>
#include <string>

#include <tenon/plan.h>

#include "frontend/tool/gpu.h"

namespace tenon::tool {

/// Where plans run: the GPU, or one of the two CPU devices with a profile to plan for.
class Device {
  public:
    /// `name` is gpu, emulator, reference, or auto: the GPU if there is one, else the emulator. `profile` names the
    /// GPU to plan for on a CPU; a GPU plans for itself.
    static Result<Device> open(const std::string& name, const std::string& profile);

    /// "NVIDIA H200", "emulator", "reference".
    const std::string& name() const { return name_; }
    const Target& target() const { return target_; }
    const std::optional<Gpu>& gpu() const { return gpu_; }
    /// Why auto took no GPU; empty otherwise.
    const std::string& why_no_gpu() const { return why_no_gpu_; }
    /// Runs on host memory; returns when the outputs are there.
    Status run(const Plan& plan, const Bindings& host) const;

  private:
    std::string name_;
    Target target_;
    std::optional<Gpu> gpu_;
    std::string why_no_gpu_;
};

}  // namespace tenon::tool
