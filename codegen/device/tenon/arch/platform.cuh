// The one place that knows where the code runs: NVRTC for a GPU, or the host's compiler for the emulator.
#pragma once

#include <tenon/arch/integers.cuh>

#ifdef TENON_EMULATED
#include <tenon/arch/host.cuh>
#else
#include <tenon/arch/device.cuh>
#endif

namespace tenon {

/// Of the GPU the kernel is compiled for: major * 10 + minor. The emulator has everything.
#ifdef TENON_EMULATED
inline constexpr int kComputeCapability = 1000;
#else
inline constexpr int kComputeCapability = __CUDA_ARCH__ / 10;
#endif

}  // namespace tenon

#include <tenon/arch/conversions.cuh>
