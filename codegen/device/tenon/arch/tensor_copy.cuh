// Copies of boxes of a tensor by the tensor memory accelerator (sm_90).
#pragma once

#ifdef TENON_EMULATED
#include <tenon/arch/host/tensor_copy.cuh>
#else
#include <tenon/arch/device/tensor_copy.cuh>
#endif
