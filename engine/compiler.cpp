#include "engine/compiler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <sstream>

#include "codegen/device/device_library.h"

namespace tenon::engine {
namespace {

/// Contraction is off: every fused multiply-add of a kernel is written as one, so the CPU and the GPU round alike.
constexpr std::array<const char*, 3> kOptions = {"--std=c++20", "--fmad=false", "--device-as-default-execution-space"};
/// Makes the compiler report registers; changes no code.
constexpr const char* kReport = "--ptxas-options=-v";

bool is_virtual(const std::string& architecture) { return architecture.compare(0, 8, "compute_") == 0; }

std::vector<int> known_capabilities(const Nvrtc& nvrtc) {
    int count = 0;
    if (nvrtc.architecture_count == nullptr || nvrtc.architecture_count(&count) != NVRTC_SUCCESS) return {};
    std::vector<int> known(static_cast<size_t>(count));
    if (nvrtc.architectures(known.data()) != NVRTC_SUCCESS) return {};
    std::sort(known.begin(), known.end());
    return known;
}

std::string known_text(const Nvrtc& nvrtc) {
    std::string text = "NVRTC " + version_text(nvrtc) + " knows";
    for (const int capability : known_capabilities(nvrtc)) text += " " + std::to_string(capability);
    return text;
}

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

/// The device library as NVRTC takes it.
struct Headers {
    Headers() {
        for (const codegen::DeviceHeader& header : codegen::device_library()) {
            owned.emplace_back(header.text);
            owned.emplace_back(header.name);
        }
        for (size_t i = 0; i < owned.size(); i += 2) {
            texts.push_back(owned[i].c_str());
            names.push_back(owned[i + 1].c_str());
        }
    }
    std::vector<std::string> owned;
    std::vector<const char*> texts, names;
};

/// Destroys the program at the end.
class Program {
  public:
    Program(const Nvrtc& nvrtc, const codegen::KernelSource& kernel) : nvrtc_(nvrtc) {
        static const Headers headers;
        created_ =
            nvrtc.create_program(&program_, kernel.text.c_str(), (kernel.name + ".cu").c_str(),
                                 static_cast<int>(headers.texts.size()), headers.texts.data(), headers.names.data());
    }
    ~Program() {
        if (created_ == NVRTC_SUCCESS) nvrtc_.destroy_program(&program_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    nvrtcResult compile(const std::string& architecture) {
        if (created_ != NVRTC_SUCCESS) return created_;
        const std::string target = "--gpu-architecture=" + architecture;
        std::vector<const char*> options(kOptions.begin(), kOptions.end());
        options.push_back(target.c_str());
        if (!is_virtual(architecture)) options.push_back(kReport);
        return nvrtc_.compile_program(program_, static_cast<int>(options.size()), options.data());
    }
    nvrtcResult image(bool is_ptx, std::string& image) const {
        size_t size = 0;
        const nvrtcResult sized = is_ptx ? nvrtc_.ptx_size(program_, &size) : nvrtc_.cubin_size(program_, &size);
        if (sized != NVRTC_SUCCESS) return sized;
        image.resize(size);
        return is_ptx ? nvrtc_.ptx(program_, image.data()) : nvrtc_.cubin(program_, image.data());
    }
    std::string log() const { return created_ == NVRTC_SUCCESS ? program_log(nvrtc_, program_) : std::string(); }

  private:
    const Nvrtc& nvrtc_;
    nvrtcProgram program_ = nullptr;
    nvrtcResult created_;
};

}  // namespace

std::string version_text(const Nvrtc& nvrtc) {
    int major = 0, minor = 0;
    nvrtc.version(&major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string kernel_key(const Nvrtc& nvrtc, const codegen::KernelSource& kernel, const std::string& architecture) {
    std::string key = "nvrtc " + version_text(nvrtc) + "\narchitecture " + architecture + "\noptions";
    for (const char* option : kOptions) key += " " + std::string(option);
    return key + "\nlibrary " + std::string(codegen::device_library_hash()) + "\n\n" + kernel.text;
}

Result<std::string> architecture_for(const Nvrtc& nvrtc, int compute_capability) {
    const std::vector<int> known = known_capabilities(nvrtc);
    const std::string number = std::to_string(compute_capability);
    // An NVRTC that cannot say what it knows is asked for the device's own.
    if (known.empty() || std::binary_search(known.begin(), known.end(), compute_capability))
        return "sm_" + number + (compute_capability >= 90 ? "a" : "");
    const auto above = std::upper_bound(known.begin(), known.end(), compute_capability);
    if (above == known.begin())
        return Status(ErrorCode::Unsupported, "the device has compute capability " + number + ", " + known_text(nvrtc));
    return "compute_" + std::to_string(*(above - 1));
}

int number_before(const std::string& log, const std::string& words) {
    const size_t at = log.find(words);
    if (at == std::string::npos) return 0;
    size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(log[begin - 1])) != 0) --begin;
    return begin == at ? 0 : std::stoi(log.substr(begin, at - begin));
}

Result<CompiledKernel> compile(const Nvrtc& nvrtc, const codegen::KernelSource& kernel,
                               const std::string& architecture) {
    const auto begin = std::chrono::steady_clock::now();
    Program program(nvrtc, kernel);
    CompiledKernel compiled;
    nvrtcResult result = program.compile(architecture);
    const std::string log = program.log();
    if (result == NVRTC_SUCCESS) result = program.image(is_virtual(architecture), compiled.image);
    if (result != NVRTC_SUCCESS) {
        std::string text =
            kernel.name + " for " + architecture + ": " + nvrtc.error_string(result) + ": " + first_error(log);
        if (result == NVRTC_ERROR_INVALID_OPTION) text += "; " + known_text(nvrtc);
        return Status(ErrorCode::CompileFailed, text);
    }
    compiled.registers = number_before(log, " registers");
    compiled.spill_bytes = number_before(log, " bytes spill stores") + number_before(log, " bytes spill loads");
    compiled.static_shared_bytes = number_before(log, " bytes smem");
    compiled.compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return compiled;
}

}  // namespace tenon::engine
