#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tenon/compiler.h>
#include <tenon/graph.h>
#include <tenon/target.h>

struct CUstream_st;  // the driver's

namespace tenon {

/// Memory of inputs, host scalars and outputs: device memory for `ReadyPlan::run` (host scalars stay in host memory),
/// host memory for `Plan::run_on_cpu`.
using Bindings = std::map<Tensor, void*>;

/// A CUDA stream: CUstream and cudaStream_t are this type.
using Stream = CUstream_st*;

/// How a plan is made.
struct PlanOptions {
    bool fuse = true;  ///< false: one kernel per operation, same numeric contract.
    int64_t workspace_limit_bytes = INT64_MAX;
};

/// Where CPU runs happen.
enum class CpuDevice {
    Reference,  ///< Operation by operation in double precision: the definition of right.
    Emulator,   ///< The plan's own kernels, compiled by the host compiler.
};

/// What NVRTC made of a plan's kernels.
struct CompileReport {
    struct Kernel {
        std::string name;
        int registers = 0;  ///< Per thread.
        int spill_bytes = 0;
        int64_t cubin_bytes = 0;
        int static_shared_bytes = 0;
        double compile_seconds = 0.0;  ///< When it was compiled, now or long ago.
    };
    std::string architecture;
    std::vector<Kernel> kernels;
};

struct PlanData;  // internal: engine/plan_data.h
namespace engine {
class LoadedPlan;  // internal: engine/loaded_plan.h
}

/// A plan whose kernels are loaded in one CUDA context. Copies share them; they are unloaded with the last one.
class ReadyPlan {
  public:
    /// Copies the plan's constants into device memory of `constant_bytes()` that must outlive the runs, in the order of
    /// `stream`. Needed once, before the first run, if the plan has any. Not for use while a stream is captured.
    Status upload_constants(void* memory, Stream stream);
    /// Enqueues every kernel on `stream` and returns. Only launches: no allocation, lock, load or wait, so it may be
    /// captured. Several threads may run at once, each with its own stream and workspace. `workspace` is device memory
    /// of `workspace_bytes()`. Nothing was launched if the error is InvalidArgument (a missing, unknown or misaligned
    /// binding, which the message names, or the wrong context).
    Status run(const Bindings& bindings, void* workspace, Stream stream) const;

    int64_t workspace_bytes() const;
    int64_t constant_bytes() const;

    explicit ReadyPlan(std::shared_ptr<const engine::LoadedPlan> loaded) : loaded_(std::move(loaded)) {}

  private:
    std::shared_ptr<const engine::LoadedPlan> loaded_;
    void* constants_ = nullptr;
};

/// A graph cut into kernels for one target. Immutable and shareable between threads.
class Plan {
  public:
    /// Validates, cuts into regions and writes the source of every kernel. Pure: no GPU, file or environment.
    static Result<Plan> build(const Graph& graph, const Target& target, const PlanOptions& options = {});
    /// Compiles every kernel with NVRTC for the plan's target, or for `architecture` ("sm_80"), or finds it in the
    /// compiler's caches. Cancelled if the compiler's progress callback says so.
    Result<CompileReport> compile(const std::string& architecture = {},
                                  const Compiler& compiler = Compiler::shared()) const;
    /// Compiles every kernel that no cache has and loads it into the current CUDA context; after this `run` only
    /// enqueues. CaptureUnsafe while `stream` is captured; NotFound without a driver or NVRTC, or if a strict compiler
    /// would have to compile; IncompatiblePlan if the device is of another compute capability than the plan's target.
    Result<ReadyPlan> prepare(Stream stream = nullptr, const Compiler& compiler = Compiler::shared()) const;
    /// Runs on the host, without a GPU. `seed` decides the emulator's thread order; results do not depend on it.
    Status run_on_cpu(CpuDevice device, const Bindings& bindings, uint64_t seed = 0) const;

    /// Regions, kernels, bytes, what was not fused and why.
    std::string explain() const;
    /// All kernels, one after the other.
    std::string source() const;
    const Graph& graph() const;
    const Target& target() const;
    int64_t workspace_bytes() const;
    int kernel_count() const;

    explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}
    const PlanData& data() const { return *data_; }

  private:
    std::shared_ptr<const PlanData> data_;
};

}  // namespace tenon
