#include "frontend/tool/device.h"

#include "frontend/status_macros.h"

namespace tenon::tool {

Result<Device> Device::open(const std::string& name, const std::string& profile) {
    Device device;
    if (name == "gpu" || name == "auto") {
        Result<Gpu> gpu = Gpu::open();
        if (!gpu.is_ok() && name == "gpu") return gpu.status();
        if (gpu.is_ok()) {
            device.name_ = gpu->target().name;
            device.target_ = gpu->target();
            device.gpu_ = std::move(*gpu);
            return device;
        }
        device.why_no_gpu_ = gpu.status().message();
    }
    device.name_ = name == "reference" ? "reference" : "emulator";
    TENON_ASSIGN(device.target_, Target::named(profile));
    return device;
}

Status Device::run(const Plan& plan, const Bindings& host) const {
    if (gpu_) return gpu_->run(plan, host);
    return plan.run_on_cpu(name_ == "reference" ? CpuDevice::Reference : CpuDevice::Emulator, host);
}

}  // namespace tenon::tool
