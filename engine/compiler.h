#pragma once

#include <string>
#include <vector>

#include <tenon/status.h>

#include "codegen/kernel_source.h"
#include "engine/compiled_kernel.h"
#include "engine/nvrtc.h"

namespace tenon::engine {

/// "13.0".
std::string version_text(const Nvrtc& nvrtc);

/// Everything that decides the binary, in full: format, compiler version, architecture, options, device library and
/// source. Nothing else: no path, name, time or machine.
std::string kernel_key(const Nvrtc& nvrtc, const codegen::KernelSource& kernel, const std::string& architecture);

/// What to compile for on a device: its own architecture ("sm_90a") where NVRTC knows it; for a newer device the newest
/// one NVRTC knows, as PTX ("compute_121"), which the driver finishes. Unsupported, with the list, for an older one.
Result<std::string> architecture_for(const Nvrtc& nvrtc, int compute_capability);

/// Compiles for one architecture: a cubin for "sm_90a", PTX for "compute_90". A failure names the kernel, the
/// architecture and the first error.
Result<CompiledKernel> compile(const Nvrtc& nvrtc, const codegen::KernelSource& kernel,
                               const std::string& architecture);

/// The number in front of `words` on the compiler's report, 0 if there is none: `number_before(log, " registers")`.
int number_before(const std::string& log, const std::string& words);

}  // namespace tenon::engine
