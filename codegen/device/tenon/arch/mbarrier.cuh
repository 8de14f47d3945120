// Barriers in shared memory that also count bytes (sm_90).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/mbarrier.cuh>
#else
#include <tenon/arch/device/mbarrier.cuh>
#endif
