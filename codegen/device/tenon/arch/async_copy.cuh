// Copies from global to shared memory that run beside the program (sm_80).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/async_copy.cuh>
#else
#include <tenon/arch/device/async_copy.cuh>
#endif
