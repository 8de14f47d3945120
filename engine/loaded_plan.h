#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <tenon/plan.h>

#include "engine/compiled_kernel.h"
#include "engine/driver.h"
#include "engine/plan_data.h"

namespace tenon::engine {

/// CaptureUnsafe while `stream` or another blocking stream of this thread is being captured.
Status refuse_capture(const Driver& driver, CUstream stream);

/// A plan's kernels as functions of one CUDA context. Immutable: any number of threads may run it at once, each on its
/// own stream and workspace.
class LoadedPlan {
  public:
    /// More kernel arguments than the 4 KiB of parameters that every architecture takes.
    static constexpr size_t kMaxArguments = 512;
    /// More tensor maps than any kernel family uses.
    static constexpr size_t kMaxTensorMaps = 16;

    /// Another form of a kernel, for a driver that cannot take the first one.
    using Fallback = std::function<Result<KernelPtr>(const codegen::KernelSource& kernel)>;

    /// Loads `kernels[i]` as step i into the current context. CaptureUnsafe while `stream` or another blocking stream
    /// of the thread is capturing. `driver` must live as long as the result.
    static Result<std::shared_ptr<const LoadedPlan>> load(const Driver& driver, std::shared_ptr<const PlanData> plan,
                                                          const std::vector<KernelPtr>& kernels, CUstream stream,
                                                          const Fallback& fallback = {});
    ~LoadedPlan();
    LoadedPlan(const LoadedPlan&) = delete;
    LoadedPlan& operator=(const LoadedPlan&) = delete;

    /// Copies every constant to its place in `memory`, in stream order.
    Status upload_constants(void* memory, CUstream stream) const;
    /// Checks all pointers, then launches every step. Allocates, locks and reads nothing unless it fails.
    Status run(const Bindings& bindings, void* workspace, void* constants, CUstream stream) const;

    const PlanData& plan() const { return *plan_; }

  private:
    LoadedPlan(const Driver& driver, std::shared_ptr<const PlanData> plan, CUcontext context)
        : driver_(driver), plan_(std::move(plan)), context_(context) {}

    Status load_step(const codegen::KernelSource& kernel, const CompiledKernel& compiled, const Fallback& fallback);
    Status check_memory(const Bindings& bindings, const void* workspace, const void* constants) const;
    Status check_names(const Bindings& bindings) const;
    Status check_alignment(const Bindings& bindings, void* workspace, void* constants) const;
    Status launch(size_t step, const Bindings& bindings, void* workspace, void* constants, CUstream stream) const;
    std::byte* place(const codegen::Buffer& buffer, const Bindings& bindings, void* workspace, void* constants) const;

    const Driver& driver_;
    std::shared_ptr<const PlanData> plan_;
    CUcontext context_;
    std::vector<CUmodule> modules_;
    std::vector<CUfunction> functions_;           ///< One per step; null where the grid is empty.
    std::vector<std::vector<CUtensorMap>> maps_;  ///< Of every step, in argument order, without addresses.
};

}  // namespace tenon::engine
