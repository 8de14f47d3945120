// Threads of a block and the memory they share.
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/block.cuh>
#else
#include <tenon/arch/device/block.cuh>
#endif
