#pragma once

#include <string>

#include <nvrtc.h>

#include <tenon/status.h>

namespace tenon::engine {

/// NVRTC's functions, found at run time; nothing is linked.
struct Nvrtc {
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) error_string = nullptr;
    decltype(&nvrtcCreateProgram) create_program = nullptr;
    decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
    decltype(&nvrtcCompileProgram) compile_program = nullptr;
    decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
    decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&nvrtcGetPTX) ptx = nullptr;
    /// What it can compile for; absent before CUDA 11.2.
    decltype(&nvrtcGetNumSupportedArchs) architecture_count = nullptr;
    decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
};

/// Loads libnvrtc from `path`, or from the usual places; a failure names every place tried.
Result<Nvrtc> load_nvrtc(const std::string& path = {});

}  // namespace tenon::engine
