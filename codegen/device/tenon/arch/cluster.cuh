// Blocks of a cluster, and kernels that follow each other (sm_90).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/cluster.cuh>
#else
#include <tenon/arch/device/cluster.cuh>
#endif
