// The one place that knows where the code runs: NVRTC for a GPU, or the host's compiler for the emulator.
#pragma once

namespace tenon {

typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

}  // namespace tenon

#ifdef TENON_EMULATED
#include <tenon/arch/host.cuh>
#else
#include <tenon/arch/device.cuh>
#endif
#include <tenon/arch/conversions.cuh>
