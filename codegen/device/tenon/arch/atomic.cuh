// Atomic operations and ordering on global memory.
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/atomic.cuh>
#else
#include <tenon/arch/device/atomic.cuh>
#endif
