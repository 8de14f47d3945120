#include "engine/driver.h"

#include <dlfcn.h>

#include "frontend/status_macros.h"

// The name a function has in the library: cuda.h maps many to a versioned one (cuMemcpyHtoDAsync_v2).
#define TENON_TEXT_OF(name) #name
#define TENON_FIND(function, member) find(library, TENON_TEXT_OF(function), driver.member)

namespace tenon::engine {
namespace {

template <typename Function>
const char* find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr ? nullptr : name;
}

/// The first function that is missing, or null.
const char* fill(void* library, Driver& driver) {
    TENON_FIND(cuFuncLoad, load_function);
    TENON_FIND(cuTensorMapEncodeTiled, encode_tiled);
    TENON_FIND(cuTensorMapEncodeIm2col, encode_im2col);
    TENON_FIND(cuTensorMapReplaceAddress, replace_map_address);
    for (const char* missing : {
             TENON_FIND(cuInit, init),
             TENON_FIND(cuDriverGetVersion, driver_version),
             TENON_FIND(cuGetErrorName, error_name),
             TENON_FIND(cuGetErrorString, error_string),
             TENON_FIND(cuDeviceGet, device),
             TENON_FIND(cuDeviceGetName, device_name),
             TENON_FIND(cuDeviceGetAttribute, device_attribute),
             TENON_FIND(cuCtxGetCurrent, current_context),
             TENON_FIND(cuCtxGetDevice, current_device),
             TENON_FIND(cuCtxPushCurrent, push_context),
             TENON_FIND(cuCtxPopCurrent, pop_context),
             TENON_FIND(cuModuleLoadData, load_module),
             TENON_FIND(cuModuleUnload, unload_module),
             TENON_FIND(cuModuleGetFunction, module_function),
             TENON_FIND(cuFuncSetAttribute, set_function_attribute),
             TENON_FIND(cuStreamIsCapturing, stream_is_capturing),
             TENON_FIND(cuMemcpyHtoDAsync, copy_to_device),
             TENON_FIND(cuLaunchKernelEx, launch),
         }) {
        if (missing != nullptr) return missing;
    }
    return nullptr;
}

Result<Driver> load_and_initialise() {
    TENON_ASSIGN(const Driver driver, load_driver("libcuda.so.1"));
    TENON_TRY(check(driver, driver.init(0), "cuInit"));
    return driver;
}

}  // namespace

Result<Driver> load_driver(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Status(ErrorCode::NotFound, "no CUDA driver: " + std::string(dlerror()));
    Driver driver;
    if (const char* missing = fill(library, driver); missing != nullptr) {
        dlclose(library);
        return Status(ErrorCode::NotFound, "the CUDA driver " + path + " is too old: it has no " + missing);
    }
    return driver;
}

Result<const Driver*> driver() {
    static const Result<Driver> loaded = load_and_initialise();
    if (!loaded.is_ok()) return loaded.status();
    return &loaded.value();
}

Status check(const Driver& driver, CUresult result, const std::string& what) {
    if (result == CUDA_SUCCESS) return {};
    const char *name = nullptr, *text = nullptr;
    if (driver.error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
    if (driver.error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
    const bool is_memory = result == CUDA_ERROR_OUT_OF_MEMORY;
    const bool is_capture =
        result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const ErrorCode code = is_memory    ? ErrorCode::OutOfMemory
                           : is_capture ? ErrorCode::CaptureUnsafe
                                        : ErrorCode::DriverFailed;
    return Status(code, what + ": " + name + " (" + text + ")");
}

}  // namespace tenon::engine
