#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "engine/compiled_kernel.h"

namespace tenon::engine {

/// Compiled kernels as files of one folder, one self-describing file per entry: head line, length, key, kernel,
/// checksum. A file appears whole, by rename; readers check everything and compare the key in full, so neither a torn
/// file nor two keys of one hash can give a wrong kernel. Nothing that goes wrong here is an error: a line to the log,
/// and the kernel is compiled again.
class DiskCache {
  public:
    using Log = std::function<void(const std::string& line)>;
    /// Names the file of a key; tests make all keys collide.
    using NameOf = std::string (*)(std::string_view key);

    DiskCache(std::string folder, int64_t most_bytes, Log log, NameOf name_of);

    std::optional<CompiledKernel> find(const std::string& key);
    void store(const std::string& key, const CompiledKernel& kernel);

    /// The bytes of an entry's file.
    static std::string entry(const std::string& key, const CompiledKernel& kernel);
    /// Nothing if the bytes are no whole entry of that key; `damage` then says why, empty if it is another key's.
    static std::optional<CompiledKernel> read_entry(std::string_view bytes, const std::string& key,
                                                    std::string& damage);

  private:
    bool is_usable();
    bool write_whole(const std::string& path, const std::string& bytes);
    void warn_once(const std::string& what);
    void trim();

    std::string folder_;
    int64_t most_bytes_;
    Log log_;
    NameOf name_of_;
    std::once_flag opened_;
    bool is_usable_ = false;
    std::atomic<bool> has_warned_ = false;
    std::mutex trimming_;
    std::atomic<int64_t> bytes_ = -1;  ///< About what the folder holds; below 0: not counted yet.
};

}  // namespace tenon::engine
