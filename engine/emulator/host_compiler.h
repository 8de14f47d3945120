#pragma once

#include <mutex>

#include <tenon/status.h>

#include "codegen/device/tenon/arch/host/machine.cuh"
#include "codegen/kernel_source.h"

namespace tenon::engine {

/// A kernel as host code. It belongs to one machine at a time.
struct HostKernel {
    EmulatedKernel kernel;
    mutable std::mutex in_use;
};

/// Compiles the kernel's own text, once per text in a process; the objects stay on disk for others. NotFound if there
/// is no host compiler.
Result<const HostKernel*> compile_for_host(const codegen::KernelSource& kernel);

}  // namespace tenon::engine
