#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include <tenon/compiler.h>
#include <tenon/status.h>

#include "codegen/kernel_source.h"
#include "engine/compiled_kernel.h"
#include "engine/disk_cache.h"
#include "engine/kernel_cache.h"
#include "engine/nvrtc.h"

namespace tenon::engine {

/// What a Compiler is: memory in front of disk in front of NVRTC.
class KernelCompiler {
  public:
    /// Tests give an NVRTC of their own, and a way to name the files of the disk cache.
    explicit KernelCompiler(Settings settings, std::optional<Nvrtc> nvrtc = std::nullopt,
                            DiskCache::NameOf name_of = nullptr);

    /// One kernel for one architecture (as `engine::compile` takes it).
    Result<KernelPtr> kernel(const codegen::KernelSource& source, const std::string& architecture);
    /// Several, in their order, at most `Settings::threads` at once. The first failure in that order, or Cancelled.
    Result<std::vector<KernelPtr>> kernels(const std::vector<const codegen::KernelSource*>& sources,
                                           const std::string& architecture);

    /// Loaded at the first call.
    Result<const Nvrtc*> nvrtc();
    const Settings& settings() const { return settings_; }
    int64_t compiled_count() const { return compiled_; }
    int64_t disk_hits() const { return disk_hits_; }
    size_t remembered() const { return memory_.size(); }
    void log(const std::string& line);

  private:
    Result<KernelPtr> make(const Nvrtc& nvrtc, const std::string& key, const codegen::KernelSource& source,
                           const std::string& architecture);

    const Settings settings_;
    std::once_flag loaded_;
    std::optional<Result<Nvrtc>> nvrtc_;
    std::mutex logging_;
    std::counting_semaphore<> free_threads_;
    KernelCache memory_;
    DiskCache disk_;
    std::atomic<int64_t> compiled_ = 0;
    std::atomic<int64_t> disk_hits_ = 0;
};

}  // namespace tenon::engine
