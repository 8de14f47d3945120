#include <filesystem>
#include <iostream>

#include <tenon/settings.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

/// Files of the cache folder that hold a kernel; nothing else there is touched.
std::vector<std::filesystem::path> kernels_in(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->path().extension() == ".kernel" &&
            at->symlink_status(ignored).type() == std::filesystem::file_type::regular)
            files.push_back(at->path());
    }
    return files;
}

/// The folder, or a message that there is none.
bool find_folder(std::string& folder) {
    folder = Settings::from_environment().cache_folder;
    if (folder.empty()) std::cout << "kernels are kept by the process only (TENON_CACHE_DIR is empty)\n";
    return !folder.empty();
}

}  // namespace

int cache_info() {
    std::string folder;
    if (!find_folder(folder)) return kRight;
    uintmax_t bytes = 0;
    const auto files = kernels_in(folder);
    for (const auto& file : files) {
        std::error_code error;
        const uintmax_t size = std::filesystem::file_size(file, error);
        if (!error) bytes += size;
    }
    std::cout << folder << ": " << files.size() << " kernels, " << bytes << " bytes of at most "
              << Settings::from_environment().cache_bytes << "\n";
    return kRight;
}

int cache_clear() {
    std::string folder;
    if (!find_folder(folder)) return kRight;
    size_t removed = 0;
    for (const auto& file : kernels_in(folder)) {
        std::error_code error;
        if (std::filesystem::remove(file, error)) ++removed;
        if (error)
            return fail("cache",
                        Status(ErrorCode::BadFile, "cannot remove '" + file.string() + "': " + error.message()));
    }
    std::cout << folder << ": " << removed << " kernels removed\n";
    return kRight;
}

}  // namespace tenon::tool
