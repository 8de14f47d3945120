#include "engine/kernel_compiler.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "engine/bytes.h"
#include "engine/compiler.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

int thread_count(const Settings& settings) {
    if (settings.threads > 0) return settings.threads;
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
}

/// One call of `kernels`: threads take the next kernel until none is left, one fails or the caller cancels.
class Batch {
  public:
    Batch(KernelCompiler& compiler, const std::vector<const codegen::KernelSource*>& sources,
          const std::string& architecture)
        : compiler_(compiler), sources_(sources), architecture_(architecture), results_(sources.size()) {}

    void work() {
        for (size_t i = next_++; i < sources_.size() && !is_over_; i = next_++) {
            results_[i] = compiler_.kernel(*sources_[i], architecture_);
            if (!results_[i]->is_ok()) is_over_ = true;
            report(sources_[i]->name);
        }
    }

    Result<std::vector<KernelPtr>> kernels() const {
        std::vector<KernelPtr> kernels;
        for (const std::optional<Result<KernelPtr>>& result : results_) {
            if (result && !result->is_ok()) return result->status();
            if (result) kernels.push_back(**result);
        }
        if (kernels.size() == sources_.size()) return kernels;
        return Status(ErrorCode::Cancelled, "compile: cancelled after " + std::to_string(kernels.size()) + " of " +
                                                std::to_string(sources_.size()) + " kernels");
    }

  private:
    void report(const std::string& name) {
        const auto& progress = compiler_.settings().progress;
        if (!progress) return;
        const std::lock_guard lock(reporting_);
        if (is_over_) return;
        if (!progress({name, ++done_, static_cast<int>(sources_.size())})) is_over_ = true;
    }

    KernelCompiler& compiler_;
    const std::vector<const codegen::KernelSource*>& sources_;
    const std::string& architecture_;
    std::vector<std::optional<Result<KernelPtr>>> results_;
    std::atomic<size_t> next_ = 0;
    std::atomic<bool> is_over_ = false;
    std::mutex reporting_;
    int done_ = 0;
};

}  // namespace

KernelCompiler::KernelCompiler(Settings settings, std::optional<Nvrtc> nvrtc, DiskCache::NameOf name_of)
    : settings_(std::move(settings)),
      free_threads_(thread_count(settings_)),
      memory_(static_cast<size_t>(std::max(settings_.memory_kernels, 0))),
      disk_(
          settings_.cache_folder, settings_.cache_bytes, [this](const std::string& line) { log(line); },
          name_of != nullptr ? name_of : hash_text) {
    if (nvrtc) std::call_once(loaded_, [&] { nvrtc_ = *nvrtc; });
}

void KernelCompiler::log(const std::string& line) {
    if (!settings_.log) return;
    const std::lock_guard lock(logging_);
    settings_.log(line);
}

Result<const Nvrtc*> KernelCompiler::nvrtc() {
    std::call_once(loaded_, [this] { nvrtc_ = load_nvrtc(settings_.nvrtc); });
    if (!nvrtc_->is_ok()) return nvrtc_->status();
    return &nvrtc_->value();
}

Result<KernelPtr> KernelCompiler::kernel(const codegen::KernelSource& source, const std::string& architecture) {
    TENON_ASSIGN(const Nvrtc* table, nvrtc());
    const std::string key = kernel_key(*table, source, architecture);
    return memory_.get(key, [&] { return make(*table, key, source, architecture); });
}

Result<KernelPtr> KernelCompiler::make(const Nvrtc& nvrtc, const std::string& key, const codegen::KernelSource& source,
                                       const std::string& architecture) {
    if (std::optional<CompiledKernel> stored = disk_.find(key)) {
        ++disk_hits_;
        return std::make_shared<const CompiledKernel>(std::move(*stored));
    }
    if (settings_.strict)
        return Status(ErrorCode::NotFound, source.name + " for " + architecture +
                                               ": it would have to be compiled, which Settings::strict forbids");
    free_threads_.acquire();
    Result<CompiledKernel> compiled = compile(nvrtc, source, architecture);
    free_threads_.release();
    if (!compiled.is_ok()) return compiled.status();
    ++compiled_;
    disk_.store(key, *compiled);
    return std::make_shared<const CompiledKernel>(std::move(*compiled));
}

Result<std::vector<KernelPtr>> KernelCompiler::kernels(const std::vector<const codegen::KernelSource*>& sources,
                                                       const std::string& architecture) {
    Batch batch(*this, sources, architecture);
    std::vector<std::thread> threads;
    const size_t count = std::min(sources.size(), static_cast<size_t>(thread_count(settings_)));
    try {
        for (size_t i = 1; i < count; ++i) threads.emplace_back([&] { batch.work(); });
    } catch (const std::system_error&) {
        // The machine gives no more threads; those there are do the work.
    }
    batch.work();
    for (std::thread& thread : threads) thread.join();
    return batch.kernels();
}

}  // namespace tenon::engine

namespace tenon {

Compiler::Compiler(Settings settings) : state_(std::make_shared<engine::KernelCompiler>(std::move(settings))) {}

const Compiler& Compiler::shared() {
    static const Compiler compiler(Settings::from_environment());
    return compiler;
}

const Settings& Compiler::settings() const { return state_->settings(); }
int64_t Compiler::compiled_count() const { return state_->compiled_count(); }
int64_t Compiler::disk_hits() const { return state_->disk_hits(); }

}  // namespace tenon
