// Matrix products of four warps on operands in shared memory (wgmma, sm_90a).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/warpgroup_matrix.cuh>
#else
#include <tenon/arch/device/warpgroup_matrix.cuh>
#endif
