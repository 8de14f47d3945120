#pragma once

#include <cstdint>
#include <vector>

#include <tenon/status.h>

#include "codegen/kernel_source.h"

namespace tenon::engine {

/// One kernel argument on the host: memory, or a scalar's address.
struct EmulatedArgument {
    void* pointer_or_scalar = nullptr;
    const void* memory_begin = nullptr;  ///< Of the whole buffer; unused for scalars.
    int64_t memory_bytes = 0;
    bool is_scalar = false;
    bool written = false;
};

struct EmulatorOptions {
    uint64_t seed = 0;  ///< Decides the order of threads; results must not depend on it.
};

/// Compiles the kernel's own source with the host compiler and runs its grid on the CPU. An access outside the
/// arguments' memory, a misaligned one, or a write to an input comes back as DriverFailed with role, block and thread.
/// NotFound if there is no host compiler.
Status run_emulated(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments,
                    const EmulatorOptions& options);

}  // namespace tenon::engine
