// Counts the kernels that the tests planned: executed on the emulator, only compiled (now, with NVRTC), and neither.
// Fails if there is one that is neither.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <string>

#include "engine/compiler.h"

namespace {

namespace fs = std::filesystem;

/// As the kernel's first comment says.
std::string architecture_of(const std::string& text) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(R"rx(Written by tenon \S+ for (\w+)\.)rx")) ? found[1]
                                                                                                 : std::string();
}

/// Empty, or why it does not compile.
std::string compile(const fs::path& file) {
    static const auto nvrtc = tenon::engine::load_nvrtc();
    if (!nvrtc.is_ok()) return nvrtc.status().message();
    std::ifstream stream(file, std::ios::binary);
    tenon::codegen::KernelSource kernel;
    kernel.name = file.stem();
    kernel.text = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    return tenon::engine::compile(*nvrtc, kernel, architecture_of(kernel.text)).status().message();
}

}  // namespace

int main() {
    const fs::path record = TENON_KERNEL_RECORD;
    int executed = 0, compiled = 0, neither = 0;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(record / "planned", error)) {
        if (fs::exists(record / "executed" / entry.path().stem())) {
            ++executed;
            continue;
        }
        const std::string why = compile(entry.path());
        why.empty() ? ++compiled : ++neither;
        if (!why.empty()) std::cout << entry.path().stem().string() << ": " << why << "\n";
    }
    std::cout << "kernels: " << executed << " executed, " << compiled << " compiled only, " << neither << " neither\n";
    return executed > 0 && neither == 0 ? 0 : 1;
}
