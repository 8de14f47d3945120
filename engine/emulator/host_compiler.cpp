#include "engine/emulator/host_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "codegen/device/device_library.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;

/// A private folder with the device library, removed when the process ends.
class WorkFolder {
  public:
    WorkFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "tenon-emulator-XXXXXX").string();
        if (error || mkdtemp(pattern.data()) == nullptr) return;
        path_ = pattern;
        for (const codegen::DeviceHeader& header : codegen::device_library()) {
            const fs::path file = path_ / header.name;
            fs::create_directories(file.parent_path(), error);
            std::ofstream(file, std::ios::binary) << header.text;
        }
    }
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

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

Result<RunGrid> build(const codegen::KernelSource& kernel, const fs::path& folder, size_t number) {
    if (folder.empty())
        return Status(ErrorCode::NotFound,
                      "emulator: no temporary folder can be made; the reference device needs none");
    const std::string stem = (folder / ("kernel" + std::to_string(number))).string();
    {
        std::ofstream source(stem + ".cpp", std::ios::binary);
        source << kernel.text << "\nextern \"C\" void tenon_run(tenon::EmulatedLaunch* launch) { tenon::run_grid(&"
               << kernel.name << ", *launch); }\n";
    }
    // -O1 gives the least total of compiling and running at test sizes; contraction would change rounding against the
    // GPU's explicit fma.
    const int code = run_program({host_compiler(), "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-ffp-contract=off",
                                  "-DTENON_EMULATED", "-I" + folder.string(), stem + ".cpp", "-o", stem + ".so"},
                                 stem + ".log");
    if (code == 127)
        return Status(ErrorCode::NotFound, "emulator: no host compiler '" + host_compiler() +
                                               "' (set TENON_HOST_COMPILER); the reference device needs none");
    if (code != 0)
        return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": " + first_error_line(stem + ".log"));
    void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": " + dlerror());
    void* entry = dlsym(library, "tenon_run");
    if (entry == nullptr)
        return Status(ErrorCode::CompileFailed, "emulator: " + kernel.name + ": the shared object has no entry");
    return reinterpret_cast<RunGrid>(entry);
}

}  // namespace

Result<RunGrid> compile_for_host(const codegen::KernelSource& kernel) {
    static std::mutex mutex;
    static WorkFolder folder;
    static std::map<std::string, RunGrid> known;  // by full text
    static size_t count = 0;
    size_t number = 0;
    {
        const std::lock_guard lock(mutex);
        const auto found = known.find(kernel.text);
        if (found != known.end()) return found->second;
        number = count++;
    }
    TENON_ASSIGN(const RunGrid run, build(kernel, folder.path(), number));
    const std::lock_guard lock(mutex);
    known.emplace(kernel.text, run);
    return run;
}

}  // namespace tenon::engine
