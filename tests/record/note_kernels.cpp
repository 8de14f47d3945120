// Part of every test program: notes in the folder TENON_KERNEL_RECORD which kernels were planned (their text) and which
// ran on the emulator (an empty file).

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

#include "engine/kernel_listener.h"

namespace {

namespace fs = std::filesystem;
using tenon::engine::KernelEvent;

void note(KernelEvent event, const tenon::codegen::KernelSource& kernel) {
    static std::mutex mutex;
    static std::set<std::string> noted;
    const bool is_planned = event == KernelEvent::Planned;
    const std::string file = is_planned ? "planned/" + kernel.name + ".cu" : "executed/" + kernel.name;
    const std::lock_guard lock(mutex);
    if (!noted.insert(file).second) return;
    const fs::path path = fs::path(TENON_KERNEL_RECORD) / file;
    std::error_code ignored;
    if (fs::exists(path, ignored)) return;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary) << (is_planned ? kernel.text : "");
}

const bool kIsListening = (tenon::engine::set_kernel_listener(&note), true);

}  // namespace
