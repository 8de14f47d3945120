#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <tenon/status.h>

namespace tenon::engine {

/// Files on disk that are known by the whole text they were made from; a hash of it only names the folder. Several
/// processes may use it at once. Nothing here fails a program: without a folder everything is made anew.
class ObjectCache {
  public:
    /// In TENON_CACHE_DIR, else in the folder for temporary files; only this user may read or write it.
    ObjectCache();
    ~ObjectCache();

    /// The file `name` that `make` once wrote into a folder for this key, or writes now. Empty path: no folder can be
    /// made. `make` gets an empty folder, which it fills or leaves with a failure.
    Result<std::filesystem::path> get(const std::string& key, const std::string& name,
                                      const std::function<Status(const std::filesystem::path&)>& make) const;

  private:
    void remove_old_entries() const;

    std::filesystem::path root_;
    bool is_own_ = false;  ///< Only for this process, removed with it.
};

}  // namespace tenon::engine
