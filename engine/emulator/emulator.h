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

/// Compiles the kernel's own source with the host compiler and runs its grid on the CPU. A kernel that does what it may
/// not do on a GPU comes back as DriverFailed, with the argument or the address, block and thread: accesses outside an
/// argument's or shared memory, misaligned ones, writes to an input, reads of what nobody wrote, barriers that never
/// open. NotFound if there is no host compiler; Unsupported for launches that a GPU would refuse.
Status run_emulated(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments,
                    const EmulatorOptions& options);

}  // namespace tenon::engine
