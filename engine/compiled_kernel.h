#pragma once

#include <memory>
#include <string>

#include <tenon/plan.h>

namespace tenon::engine {

/// A kernel as the driver loads it, and what the compiler said about it.
struct CompiledKernel {
    std::string image;            ///< A cubin; PTX text, ended by a zero, for the architectures named "compute_…".
    int registers = 0;            ///< Per thread; 0 for PTX.
    int spill_bytes = 0;          ///< Stores plus loads.
    int static_shared_bytes = 0;  ///< Shared memory declared in the source.
    double compile_seconds = 0.0;
};
using KernelPtr = std::shared_ptr<const CompiledKernel>;

/// The same for the user.
inline CompileReport::Kernel report_of(const std::string& name, const CompiledKernel& kernel) {
    return {name,
            kernel.registers,
            kernel.spill_bytes,
            static_cast<int64_t>(kernel.image.size()),
            kernel.static_shared_bytes,
            kernel.compile_seconds};
}

}  // namespace tenon::engine
