#include "engine/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/bytes.h"
#include "engine/files.h"

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;

/// The number is the format's version.
constexpr std::string_view kHead = "tenon kernel 1\n";
constexpr std::string_view kSuffix = ".kernel";
constexpr std::string_view kTemporary = ".writing-";
constexpr size_t kChecksumBytes = 16;
/// A temporary file this old was left by a process that died.
constexpr std::chrono::hours kStale{1};

}  // namespace

DiskCache::DiskCache(std::string folder, int64_t most_bytes, Log log, NameOf name_of)
    : folder_(std::move(folder)), most_bytes_(most_bytes), log_(std::move(log)), name_of_(name_of) {}

std::string DiskCache::entry(const std::string& key, const CompiledKernel& kernel) {
    ByteWriter body;
    body.text(key);
    body.number<int32_t>(kernel.registers);
    body.number<int32_t>(kernel.spill_bytes);
    body.number<int32_t>(kernel.static_shared_bytes);
    body.number<double>(kernel.compile_seconds);
    body.text(kernel.image);
    ByteWriter file;
    file.raw(kHead);
    file.text(body.bytes());
    const std::array<char, kChecksumBytes> checksum = hash_of(file.bytes());
    file.raw({checksum.data(), checksum.size()});
    return file.bytes();
}

std::optional<CompiledKernel> DiskCache::read_entry(std::string_view bytes, const std::string& key,
                                                    std::string& damage) {
    damage = "it is damaged";
    if (bytes.substr(0, kHead.size()) != kHead || bytes.size() < kHead.size() + kChecksumBytes) return std::nullopt;
    const std::string_view checked = bytes.substr(0, bytes.size() - kChecksumBytes);
    const std::array<char, kChecksumBytes> checksum = hash_of(checked);
    if (bytes.substr(checked.size()) != std::string_view(checksum.data(), checksum.size())) return std::nullopt;
    ByteReader file(checked.substr(kHead.size()));
    ByteReader body(file.text());
    const std::string_view found = body.text();
    CompiledKernel kernel;
    kernel.registers = body.number<int32_t>();
    kernel.spill_bytes = body.number<int32_t>();
    kernel.static_shared_bytes = body.number<int32_t>();
    kernel.compile_seconds = body.number<double>();
    kernel.image = body.text();
    if (!file.is_ok() || !body.is_ok() || file.remaining() > 0 || body.remaining() > 0 || kernel.image.empty())
        return std::nullopt;
    damage.clear();
    if (found != key) return std::nullopt;
    return kernel;
}

void DiskCache::warn_once(const std::string& what) {
    if (!has_warned_.exchange(true))
        log_("kernel cache '" + folder_ + "' (TENON_CACHE_DIR, Settings::cache_folder): " + what);
}

bool DiskCache::is_usable() {
    std::call_once(opened_, [this] {
        if (folder_.empty()) return;
        if (const std::string problem = make_private_folder(folder_); !problem.empty()) {
            warn_once(problem + "; kernels are not kept on disk");
            return;
        }
        is_usable_ = true;
    });
    return is_usable_;
}

std::optional<CompiledKernel> DiskCache::find(const std::string& key) {
    if (!is_usable()) return std::nullopt;
    const std::string path = folder_ + "/" + name_of_(key) + std::string(kSuffix);
    std::string bytes, problem;
    if (!read_whole(path, bytes, problem)) {
        if (!problem.empty()) warn_once("cannot read " + path + ": " + problem);
        return std::nullopt;
    }
    std::string damage;
    std::optional<CompiledKernel> kernel = read_entry(bytes, key, damage);
    if (!damage.empty()) log_("kernel cache: " + path + " is ignored: " + damage);
    // The time of the last use decides what goes first.
    if (kernel) utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
    return kernel;
}

void DiskCache::store(const std::string& key, const CompiledKernel& kernel) {
    if (!is_usable()) return;
    const std::string bytes = entry(key, kernel);
    const std::string path = folder_ + "/" + name_of_(key) + std::string(kSuffix);
    if (!write_whole(path, bytes)) return;
    const auto size = static_cast<int64_t>(bytes.size());
    if (bytes_ < 0 || bytes_.fetch_add(size) + size > most_bytes_) trim();
}

bool DiskCache::write_whole(const std::string& path, const std::string& bytes) {
    const std::string problem = replace_file(path, folder_ + "/" + std::string(kTemporary), bytes);
    if (!problem.empty()) warn_once("cannot write " + path + ": " + problem);
    return problem.empty();
}

void DiskCache::trim() {
    const std::unique_lock lock(trimming_, std::try_to_lock);
    if (!lock.owns_lock()) return;  // another thread is at it
    struct Entry {
        fs::file_time_type time;
        int64_t bytes;
        fs::path path;
    };
    std::vector<Entry> entries;
    int64_t total = 0;
    std::error_code error;
    const fs::file_time_type now = fs::file_time_type::clock::now();
    for (fs::directory_iterator file(folder_, error), end; !error && file != end; file.increment(error)) {
        std::error_code gone;  // by another process
        const std::string name = file->path().filename().string();
        const fs::file_time_type time = fs::last_write_time(file->path(), gone);
        const auto bytes = static_cast<int64_t>(fs::is_regular_file(file->path(), gone) ? file->file_size(gone) : 0);
        if (gone) continue;
        if (name.compare(0, kTemporary.size(), kTemporary) == 0) {
            if (now - time > kStale) fs::remove(file->path(), gone);
        } else if (file->path().extension() == kSuffix && bytes > 0) {
            entries.push_back({time, bytes, file->path()});
            total += bytes;
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.time != b.time ? a.time < b.time : a.path < b.path; });
    // Down to three quarters, so that a full folder is not read again at every store.
    const int64_t goal = total > most_bytes_ ? most_bytes_ / 4 * 3 : total;
    for (const Entry& entry : entries) {
        if (total <= goal) break;
        std::error_code gone;
        fs::remove(entry.path, gone);
        total -= entry.bytes;
    }
    bytes_ = total;
}

}  // namespace tenon::engine
