#include "tests/engine/fake_nvrtc.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace tenon::engine::test {
namespace {

struct FakeProgram {
    std::string source, image;
};

FakeProgram* program_of(nvrtcProgram program) { return reinterpret_cast<FakeProgram*>(program); }

nvrtcResult create(nvrtcProgram* program, const char* source, const char*, int, const char* const*,
                   const char* const*) {
    *program = reinterpret_cast<nvrtcProgram>(new FakeProgram{source, {}});
    return NVRTC_SUCCESS;
}

nvrtcResult compile(nvrtcProgram program, int count, const char* const* options) {
    FakeCompiler& state = fake_compiler();
    ++state.compilations;
    const int now = ++state.at_once;
    for (int most = state.most_at_once; now > most && !state.most_at_once.compare_exchange_weak(most, now);) {
    }
    if (state.milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(state.milliseconds));
    --state.at_once;
    const std::string_view prefix = "--gpu-architecture=";
    for (int i = 0; i < count; ++i) {
        const std::string_view option = options[i];
        if (option.substr(0, prefix.size()) != prefix) continue;
        const std::string architecture(option.substr(prefix.size()));
        const std::string form = architecture.compare(0, 3, "sm_") == 0 ? "cubin " : "PTX ";
        program_of(program)->image = form + architecture + "\n" + program_of(program)->source;
    }
    return state.result;
}

nvrtcResult size_of(nvrtcProgram program, size_t* size) {
    *size = program_of(program)->image.size();
    return NVRTC_SUCCESS;
}

nvrtcResult copy(nvrtcProgram program, char* image) {
    std::memcpy(image, program_of(program)->image.data(), program_of(program)->image.size());
    return NVRTC_SUCCESS;
}

}  // namespace

FakeCompiler& fake_compiler() {
    static std::unique_ptr<FakeCompiler> state = std::make_unique<FakeCompiler>();
    return *state;
}

Nvrtc fake_nvrtc() {
    std::destroy_at(&fake_compiler());
    std::construct_at(&fake_compiler());
    Nvrtc nvrtc;
    nvrtc.version = [](int* major, int* minor) {
        *major = fake_compiler().major;
        *minor = fake_compiler().minor;
        return NVRTC_SUCCESS;
    };
    nvrtc.error_string = [](nvrtcResult) { return "as the test wants"; };
    nvrtc.create_program = create;
    nvrtc.destroy_program = [](nvrtcProgram* program) {
        delete program_of(*program);
        return NVRTC_SUCCESS;
    };
    nvrtc.compile_program = compile;
    nvrtc.log_size = [](nvrtcProgram, size_t* size) {
        *size = fake_compiler().log.size() + 1;
        return NVRTC_SUCCESS;
    };
    nvrtc.log = [](nvrtcProgram, char* log) {
        std::strcpy(log, fake_compiler().log.c_str());
        return NVRTC_SUCCESS;
    };
    nvrtc.cubin_size = nvrtc.ptx_size = size_of;
    nvrtc.cubin = nvrtc.ptx = copy;
    nvrtc.architecture_count = [](int* count) {
        *count = static_cast<int>(fake_compiler().known.size());
        return NVRTC_SUCCESS;
    };
    nvrtc.architectures = [](int* known) {
        for (const int capability : fake_compiler().known) *known++ = capability;
        return NVRTC_SUCCESS;
    };
    return nvrtc;
}

}  // namespace tenon::engine::test
