#pragma once

#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include <tenon/status.h>

#include "engine/compiled_kernel.h"

namespace tenon::engine {

/// Compiled kernels of this process by key. Threads that ask for a key being made wait for that one making. The kernels
/// used last stay; whoever holds a kernel keeps it.
class KernelCache {
  public:
    using Make = std::function<Result<KernelPtr>()>;

    explicit KernelCache(size_t most_kernels) : most_kernels_(most_kernels) {}

    /// The kernel of `key`, made by `make` if it is not here. A failure is reported to all who wait and then forgotten.
    Result<KernelPtr> get(const std::string& key, const Make& make);
    size_t size() const;

  private:
    using Future = std::shared_future<Result<KernelPtr>>;
    struct Entry {
        Future kernel;
        std::list<const std::string*>::iterator use;
        bool is_made = false;
    };

    void settle(const std::string& key, bool is_ok);

    const size_t most_kernels_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Entry> entries_;
    std::list<const std::string*> uses_;  ///< Keys of the map, the one used last in front.
};

}  // namespace tenon::engine
