// The one place that knows where the code runs: NVRTC for a GPU, or the host's compiler for the emulator.
#pragma once

#include <tenon/arch/integers.cuh>

#ifdef TENON_EMULATED
#include <tenon/arch/host.cuh>
#else
#include <tenon/arch/device.cuh>
#endif
#include <tenon/arch/conversions.cuh>
