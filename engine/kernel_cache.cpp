#include "engine/kernel_cache.h"

namespace tenon::engine {

Result<KernelPtr> KernelCache::get(const std::string& key, const Make& make) {
    std::promise<Result<KernelPtr>> promise;
    Future kernel;
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        const auto [entry, inserted] = entries_.try_emplace(key);
        if (inserted) {
            entry->second.kernel = promise.get_future().share();
            entry->second.use = uses_.insert(uses_.begin(), &entry->first);
        } else {
            uses_.splice(uses_.begin(), uses_, entry->second.use);
        }
        kernel = entry->second.kernel;
        is_first = inserted;
    }
    if (!is_first) return kernel.get();
    Result<KernelPtr> made = make();
    promise.set_value(made);
    settle(key, made.is_ok());
    return made;
}

void KernelCache::settle(const std::string& key, bool is_ok) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(key);
    entry->second.is_made = true;
    if (!is_ok) {
        uses_.erase(entry->second.use);
        entries_.erase(entry);
        return;
    }
    // One being made stays, so the map may hold more than its bound for as long as that takes.
    for (auto use = uses_.end(); entries_.size() > most_kernels_ && use != uses_.begin();) {
        --use;
        const auto oldest = entries_.find(**use);
        if (!oldest->second.is_made) continue;
        use = uses_.erase(use);
        entries_.erase(oldest);
    }
}

size_t KernelCache::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

}  // namespace tenon::engine
