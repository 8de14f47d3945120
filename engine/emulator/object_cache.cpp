#include "engine/emulator/object_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;

constexpr auto kOldestEntry = std::chrono::hours(24 * 14);

std::string hash(const std::string& text) {
    const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(value.high64),
                  static_cast<unsigned long long>(value.low64));
    return digits;
}

std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Whether the folder is there and nobody else can put files into it.
bool is_private_folder(const fs::path& folder) {
    struct stat found {};
    return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & 0077) == 0;
}

fs::path shared_root() {
    std::error_code error;
    const char* named = std::getenv("TENON_CACHE_DIR");
    const bool is_named = named != nullptr && *named != '\0';
    const fs::path temporary = fs::temp_directory_path(error);
    if (!is_named && error) return {};
    const fs::path root =
        is_named ? fs::path(named) / "emulator" : temporary / ("tenon-emulator-" + std::to_string(geteuid()));
    if (is_named) fs::create_directories(named, error);
    mkdir(root.c_str(), 0700);
    return is_private_folder(root) ? root : fs::path();
}

fs::path fresh_folder(const fs::path& parent) {
    std::string pattern = (parent / "new-XXXXXX").string();
    return mkdtemp(pattern.data()) == nullptr ? fs::path() : fs::path(pattern);
}

}  // namespace

ObjectCache::ObjectCache() : root_(shared_root()) {
    if (!root_.empty()) return;
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    if (!error) root_ = fresh_folder(temporary);
    is_own_ = !root_.empty();
}

ObjectCache::~ObjectCache() {
    std::error_code ignored;
    if (is_own_) fs::remove_all(root_, ignored);
}

void ObjectCache::remove_old_entries() const {
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (const fs::directory_entry& entry : fs::directory_iterator(root_, error)) {
        std::error_code ignored;
        const fs::file_time_type written = entry.last_write_time(ignored);
        if (!ignored && now - written > kOldestEntry) fs::remove_all(entry.path(), ignored);
    }
}

// An entry is a folder with the file `name`, and `key` with its size and the key. It is written in full beside its
// place and then renamed, so that it is there whole or not at all.
Result<fs::path> ObjectCache::get(const std::string& key, const std::string& name,
                                  const std::function<Status(const fs::path&)>& make) const {
    std::error_code error;
    const fs::path entry = root_ / hash(key);
    const auto full_key = [&](const fs::path& folder) {
        return std::to_string(fs::file_size(folder / name, error)) + "\n" + key;
    };
    const auto is_entry_sound = [&] { return contents(entry / "key") == full_key(entry); };
    if (!root_.empty() && is_entry_sound()) return entry / name;

    const fs::path fresh = root_.empty() ? fs::path() : fresh_folder(root_);
    if (fresh.empty())
        return Status(ErrorCode::NotFound,
                      "emulator: no temporary folder can be made; the reference device needs none");
    if (const Status made = make(fresh); !made.is_ok()) {
        fs::remove_all(fresh, error);
        return made;
    }
    std::ofstream(fresh / "key", std::ios::binary) << full_key(fresh);
    if (hash(key).ends_with("00")) remove_old_entries();
    fs::rename(fresh, entry, error);
    if (!error) return entry / name;
    if (is_entry_sound()) {  // another process was faster
        fs::remove_all(fresh, error);
        return entry / name;
    }
    fs::remove_all(entry, error);
    fs::rename(fresh, entry, error);
    return error ? fresh / name : entry / name;
}

}  // namespace tenon::engine
