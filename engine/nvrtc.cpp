#include "engine/nvrtc.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace tenon::engine {
namespace {

std::vector<std::string> places(const std::string& path) {
    if (!path.empty()) return {path};
    std::vector<std::string> list{"libnvrtc.so.13", "libnvrtc.so.12"};
    const char* home = std::getenv("CUDA_HOME");
    for (const std::string& root : {std::string(home != nullptr ? home : ""), std::string("/usr/local/cuda")}) {
        if (!root.empty()) list.push_back(root + "/lib64/libnvrtc.so");
    }
    return list;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

Result<Nvrtc> load_nvrtc(const std::string& path) {
    std::string tried;
    for (const std::string& place : places(path)) {
        tried += (tried.empty() ? "" : ", ") + place;
        void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        Nvrtc table;
        const bool complete =
            find(library, "nvrtcVersion", table.version) && find(library, "nvrtcGetErrorString", table.error_string) &&
            find(library, "nvrtcCreateProgram", table.create_program) &&
            find(library, "nvrtcDestroyProgram", table.destroy_program) &&
            find(library, "nvrtcCompileProgram", table.compile_program) &&
            find(library, "nvrtcGetProgramLogSize", table.log_size) && find(library, "nvrtcGetProgramLog", table.log) &&
            find(library, "nvrtcGetCUBINSize", table.cubin_size) && find(library, "nvrtcGetCUBIN", table.cubin) &&
            find(library, "nvrtcGetPTXSize", table.ptx_size) && find(library, "nvrtcGetPTX", table.ptx);
        if (!find(library, "nvrtcGetSupportedArchs", table.architectures) ||
            !find(library, "nvrtcGetNumSupportedArchs", table.architecture_count))
            table.architecture_count = nullptr;
        if (complete) return table;
    }
    return Status(ErrorCode::NotFound, "NVRTC was not found; tried " + tried);
}

}  // namespace tenon::engine
