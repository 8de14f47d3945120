#include "engine/emulator/host_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>

#include "codegen/device/device_library.h"
#include "engine/emulator/object_cache.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;

/// Runs a program without a shell and returns its exit code; its messages go to `log`.
int run_program(const std::vector<std::string>& words, const fs::path& log) {
    // Everything is made before the fork: the child of a process with threads may not allocate.
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int messages = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (messages < 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(messages, STDERR_FILENO) < 0) _exit(127);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    close(messages);
    if (child < 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string first_error_line(const fs::path& log) {
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) {
        if (line.find("error") != std::string::npos) return line;
    }
    return "no message";
}

std::string host_compiler() {
    const char* named = std::getenv("TENON_HOST_COMPILER");
    return named != nullptr && *named != '\0' ? named : "c++";
}

/// The compiler's file with its size and time: another version is another file.
std::string identity_of(const std::string& compiler) {
    std::error_code error;
    std::string folders = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    if (compiler.find('/') != std::string::npos) folders.clear();
    std::istringstream list(folders);
    fs::path file = compiler;
    for (std::string folder; std::getline(list, folder, ':') && !fs::exists(file, error);)
        file = fs::path(folder) / compiler;
    file = fs::canonical(file, error);
    if (error) return compiler;
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    return file.string() + " " + std::to_string(fs::file_size(file, error)) + " " + std::to_string(written);
}

// -O1 gives the least total of compiling and running at test sizes, and a precompiled header saves less than reading it
// costs; contraction would change rounding against the GPU's explicit fma.
constexpr const char* kFlags[] = {
    "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-fvisibility=hidden", "-DTENON_EMULATED"};

Status write_library(const fs::path& folder) {
    std::error_code error;
    for (const codegen::DeviceHeader& header : codegen::device_library()) {
        const fs::path file = folder / "library" / header.name;
        fs::create_directories(file.parent_path(), error);
        std::ofstream stream(file, std::ios::binary);
        stream << header.text;
        if (!stream) return Status(ErrorCode::NotFound, "emulator: " + file.string() + " cannot be written");
    }
    std::ofstream(folder / "done") << "1";
    return {};
}

Status compile_into(const codegen::KernelSource& kernel, const std::string& text, const fs::path& library,
                    const fs::path& folder) {
    std::ofstream(folder / "kernel.cpp", std::ios::binary) << text;
    std::vector<std::string> words{host_compiler()};
    words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
    words.insert(words.end(),
                 {"-I" + library.string(), (folder / "kernel.cpp").string(), "-o", (folder / "kernel.so").string()});
    const int code = run_program(words, folder / "log");
    if (code == 127)
        return Status(ErrorCode::NotFound, "emulator: no host compiler '" + host_compiler() +
                                               "' (set TENON_HOST_COMPILER); the reference device needs none");
    if (code == 0) return {};
    return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": " + first_error_line(folder / "log"));
}

Result<const HostKernel*> build(const codegen::KernelSource& kernel) {
    static const ObjectCache cache;
    static const std::string kEnvironment = [] {
        std::string text = identity_of(host_compiler()) + "\n" + std::string(codegen::device_library_hash());
        for (const char* flag : kFlags) text += std::string(" ") + flag;
        return text;
    }();
    const std::string text = kernel.text + "\nTENON_EMULATED_KERNEL(" + kernel.name + ")\n";
    TENON_ASSIGN(const fs::path object, cache.get(kEnvironment + "\n" + text, "kernel.so", [&](const fs::path& folder) {
        TENON_ASSIGN(const fs::path done,
                     cache.get("library " + std::string(codegen::device_library_hash()), "done", write_library));
        return compile_into(kernel, text, done.parent_path() / "library", folder);
    }));
    void* library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": " + dlerror());
    const auto* entry = static_cast<const EmulatedKernel*>(dlsym(library, "tenon_kernel"));
    if (entry == nullptr)
        return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": the shared object has no entry");
    // Never unloaded: other threads may run it until the process ends.
    return new HostKernel{*entry, {}};
}

}  // namespace

Result<const HostKernel*> compile_for_host(const codegen::KernelSource& kernel) {
    using Compiled = Result<const HostKernel*>;
    static std::mutex mutex;
    static std::map<std::string, std::shared_future<Compiled>> known;  // by full text
    std::promise<Compiled> promise;
    std::shared_future<Compiled> compiled;
    bool is_first = false;
    {
        const std::lock_guard lock(mutex);
        const auto [entry, is_new] = known.try_emplace(kernel.text);
        if (is_new) entry->second = promise.get_future().share();
        compiled = entry->second;
        is_first = is_new;
    }
    if (!is_first) return compiled.get();
    promise.set_value(build(kernel));
    if (!compiled.get().is_ok()) {  // a failure is told once, never remembered
        const std::lock_guard lock(mutex);
        known.erase(kernel.text);
    }
    return compiled.get();
}

}  // namespace tenon::engine
