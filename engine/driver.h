#pragma once

#include <string>

#include <cuda.h>

#include <tenon/status.h>

namespace tenon::engine {

/// The CUDA driver's functions, found at run time; nothing is linked. Tests fill one with functions of their own.
struct Driver {
    decltype(&cuInit) init = nullptr;
    decltype(&cuDriverGetVersion) driver_version = nullptr;
    decltype(&cuGetErrorName) error_name = nullptr;
    decltype(&cuGetErrorString) error_string = nullptr;
    decltype(&cuDeviceGet) device = nullptr;
    decltype(&cuDeviceGetName) device_name = nullptr;
    decltype(&cuDeviceGetAttribute) device_attribute = nullptr;
    decltype(&cuCtxGetCurrent) current_context = nullptr;
    decltype(&cuCtxGetDevice) current_device = nullptr;
    decltype(&cuCtxPushCurrent) push_context = nullptr;
    decltype(&cuCtxPopCurrent) pop_context = nullptr;
    decltype(&cuModuleLoadData) load_module = nullptr;
    decltype(&cuModuleUnload) unload_module = nullptr;
    decltype(&cuModuleGetFunction) module_function = nullptr;
    decltype(&cuFuncSetAttribute) set_function_attribute = nullptr;
    decltype(&cuStreamIsCapturing) stream_is_capturing = nullptr;
    decltype(&cuMemcpyHtoDAsync) copy_to_device = nullptr;
    decltype(&cuLaunchKernelEx) launch = nullptr;
    /// Tensor maps; absent before CUDA 12.
    decltype(&cuTensorMapEncodeTiled) encode_tiled = nullptr;
    decltype(&cuTensorMapEncodeIm2col) encode_im2col = nullptr;
    decltype(&cuTensorMapReplaceAddress) replace_map_address = nullptr;
    /// Loads a function now instead of at its first launch; absent before CUDA 12.4.
    decltype(&cuFuncLoad) load_function = nullptr;
};

/// Loads libcuda from `path`. NotFound if it is absent or too old.
Result<Driver> load_driver(const std::string& path);

/// The machine's driver, loaded and initialised once. Null never comes back; a failure says why there is none.
Result<const Driver*> driver();

/// Success, or the driver's error as a Status that starts with `what`.
Status check(const Driver& driver, CUresult result, const std::string& what);

}  // namespace tenon::engine
