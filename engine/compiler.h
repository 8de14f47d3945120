#pragma once

#include <string>
#include <vector>

#include <tenon/status.h>

#include "codegen/kernel_source.h"
#include "engine/nvrtc.h"

namespace tenon::engine {

/// A kernel as machine code, and what the compiler said about it.
struct CompiledKernel {
    std::vector<char> cubin;
    std::string log;
    int registers = 0;
    int spill_bytes = 0;  ///< Stores plus loads.
};

/// Compiles for one architecture ("sm_90a"). A failure names the kernel and the first error.
Result<CompiledKernel> compile(const Nvrtc& nvrtc, const codegen::KernelSource& kernel,
                               const std::string& architecture);

/// The number in front of `words` on the compiler's report, 0 if there is none: `number_before(log, " registers")`.
int number_before(const std::string& log, const std::string& words);

}  // namespace tenon::engine
