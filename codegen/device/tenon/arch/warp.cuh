// Exchange between the threads of a warp.
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/warp.cuh>
#else
#include <tenon/arch/device/warp.cuh>
#endif
