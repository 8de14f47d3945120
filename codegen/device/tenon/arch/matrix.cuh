// Matrix fragments and products of a warp (ldmatrix, stmatrix, mma.sync).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/matrix.cuh>
#else
#include <tenon/arch/device/matrix.cuh>
#endif
