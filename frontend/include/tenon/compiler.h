#pragma once

#include <memory>

#include <tenon/settings.h>

namespace tenon {

namespace engine {
class KernelCompiler;  // internal: engine/kernel_compiler.h
}

/// NVRTC with a cache in memory and one on disk. Copies share both. Any number of threads may use it at once: a kernel
/// that several ask for is compiled once.
class Compiler {
  public:
    explicit Compiler(Settings settings = {});
    /// The one that calls without a compiler use: made at the first call, from `Settings::from_environment()`.
    static const Compiler& shared();

    const Settings& settings() const;
    /// Kernels that went through NVRTC since this compiler was made, and how many came from the disk.
    int64_t compiled_count() const;
    int64_t disk_hits() const;

    explicit Compiler(std::shared_ptr<engine::KernelCompiler> state) : state_(std::move(state)) {}
    engine::KernelCompiler& state() const { return *state_; }

  private:
    std::shared_ptr<engine::KernelCompiler> state_;
};

}  // namespace tenon
