#include "engine/compiler.h"

#include <cctype>
#include <sstream>

#include "codegen/device/device_library.h"

namespace tenon::engine {
namespace {

std::string program_log(const Nvrtc& nvrtc, nvrtcProgram program) {
    size_t size = 0;
    nvrtc.log_size(program, &size);
    std::string log(size, '\0');
    if (size > 0) nvrtc.log(program, log.data());
    while (!log.empty() && log.back() == '\0') log.pop_back();
    return log;
}

std::string first_error(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("error") != std::string::npos) return line;
    }
    return log.substr(0, 200);
}

}  // namespace

int number_before(const std::string& log, const std::string& words) {
    const size_t at = log.find(words);
    if (at == std::string::npos) return 0;
    size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(log[begin - 1])) != 0) --begin;
    return begin == at ? 0 : std::stoi(log.substr(begin, at - begin));
}

Result<CompiledKernel> compile(const Nvrtc& nvrtc, const codegen::KernelSource& kernel,
                               const std::string& architecture) {
    std::vector<std::string> texts, names;
    for (const codegen::DeviceHeader& header : codegen::device_library()) {
        texts.emplace_back(header.text);
        names.emplace_back(header.name);
    }
    std::vector<const char*> text_pointers, name_pointers;
    for (size_t i = 0; i < texts.size(); ++i) {
        text_pointers.push_back(texts[i].c_str());
        name_pointers.push_back(names[i].c_str());
    }
    nvrtcProgram program = nullptr;
    nvrtcResult result =
        nvrtc.create_program(&program, kernel.text.c_str(), (kernel.name + ".cu").c_str(),
                             static_cast<int>(texts.size()), text_pointers.data(), name_pointers.data());
    if (result != NVRTC_SUCCESS)
        return Status(ErrorCode::CompileFailed, kernel.name + ": " + nvrtc.error_string(result));
    const std::string target = "--gpu-architecture=" + architecture;
    // Contraction is off: every fused multiply-add of a kernel is written as one, so the CPU and the GPU round alike.
    const char* options[] = {target.c_str(), "--std=c++20", "--fmad=false", "--device-as-default-execution-space",
                             "--ptxas-options=-v"};
    result = nvrtc.compile_program(program, 5, options);
    CompiledKernel compiled;
    compiled.log = program_log(nvrtc, program);
    Status status;
    if (result != NVRTC_SUCCESS) {
        status = Status(ErrorCode::CompileFailed, kernel.name + " for " + architecture + ": " +
                                                      nvrtc.error_string(result) + ": " + first_error(compiled.log));
    } else {
        size_t size = 0;
        nvrtc.cubin_size(program, &size);
        compiled.cubin.resize(size);
        nvrtc.cubin(program, compiled.cubin.data());
        compiled.registers = number_before(compiled.log, " registers");
        compiled.spill_bytes =
            number_before(compiled.log, " bytes spill stores") + number_before(compiled.log, " bytes spill loads");
    }
    nvrtc.destroy_program(&program);
    if (!status.is_ok()) return status;
    return compiled;
}

}  // namespace tenon::engine
