#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
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
    /// Inputs, host scalars and outputs; their addresses stand on the stack of a run.
    static constexpr size_t kMaxBound = 4096;

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
    Status run(const Bindings& bindings, Workspace workspace, void* constants, CUstream stream) const;
    /// The same with the graph's inputs and outputs by position.
    Status run(std::span<void* const> memory, Workspace workspace, void* constants, CUstream stream) const;

    const PlanData& plan() const { return *plan_; }

  private:
    /// Where a run's memory begins, by base number: bound tensors, then workspace, then constants.
    using Bases = std::array<std::byte*, kMaxBound + 2>;
    /// A kernel argument, worked out when the plan is loaded: memory at `offset` from a base.
    struct Place {
        uint32_t base = 0;
        int64_t offset = 0;
        uintptr_t alignment = 1;
        codegen::KernelArgument::Kind kind = codegen::KernelArgument::Kind::Pointer;
    };

    LoadedPlan(const Driver& driver, std::shared_ptr<const PlanData> plan, CUcontext context)
        : driver_(driver), plan_(std::move(plan)), context_(context) {}

    Status resolve();
    Status load_step(const codegen::KernelSource& kernel, const CompiledKernel& compiled, const Fallback& fallback);
    Status find_bound(const Bindings& bindings, Bases& bases) const;
    Status check_bound(const Bases& bases) const;
    Status check_alignment(const Bases& bases) const;
    Status check_and_launch(Bases& bases, Workspace workspace, void* constants, CUstream stream) const;
    Status launch(size_t step, const Bases& bases, CUstream stream) const;
    const std::string& name_of(size_t bound) const;

    const Driver& driver_;
    std::shared_ptr<const PlanData> plan_;
    CUcontext context_;
    std::vector<ValueId> bound_;              ///< Tensors of the caller, rising; their numbers are bases.
    std::vector<bool> is_needed_;             ///< Whether a kernel touches memory of bound_[i].
    std::vector<uint32_t> positions_;         ///< Bases of the graph's inputs, then of its outputs.
    std::vector<std::vector<Place>> places_;  ///< Of every step's arguments.
    std::vector<CUmodule> modules_;
    std::vector<CUfunction> functions_;           ///< One per step; null where the grid is empty.
    std::vector<std::vector<CUtensorMap>> maps_;  ///< Of every step, in argument order, without addresses.
};

}  // namespace tenon::engine
