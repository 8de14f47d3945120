#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

/// Device memory that a run may write to in between.
struct Workspace {
    void* memory = nullptr;
    int64_t bytes = 0;
};

/// How a plan is made.
struct PlanOptions {
    bool fuse = true;  ///< false: one kernel per operation, same numeric contract.
    int64_t workspace_limit_bytes = INT64_MAX;
    /// Which of a kernel's ranked tiles to take: 0 is the fastest by the model. Kernels with fewer take their last.
    int candidate = 0;
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

/// What explain may add to what the plan knows.
struct ExplainOptions {
    const CompileReport* compiled = nullptr;  ///< Else the plan's own binaries for its target say it.
    std::vector<double> measured_seconds;     ///< Of each kernel in launch order; 0 where unknown.
};

/// What it takes to run a plan on a device, the best first.
enum class Fit {
    Optimal,    ///< It has binaries for the device and was planned for this model.
    Retune,     ///< It has binaries that run, but was planned for another model: planning anew may be faster.
    Recompile,  ///< Its sources must be compiled for the device.
    Replan,     ///< The device needs other kernels: `Plan::build(plan.graph(), device, plan.options())`.
    Refused,    ///< It is no plan file, a damaged one, or one of another format.
};
/// "optimal", "retune", …
std::string_view to_string(Fit fit);

struct Compatibility {
    Fit fit = Fit::Refused;
    std::string reason;  ///< What the plan was built for, what was found.
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
    /// captured. Several threads may run at once, each with its own stream and workspace, which is device memory of at
    /// least `workspace_bytes()`. Nothing was launched if the error is InvalidArgument (a missing, unknown or
    /// misaligned binding, which the message names, or the wrong context) or OutOfMemory (a workspace too small).
    Status run(const Bindings& bindings, Workspace workspace, Stream stream) const;
    /// The same without a map: addresses of `graph().inputs()`, then of `graph().outputs()`.
    Status run(std::span<void* const> memory, Workspace workspace, Stream stream) const;

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
    /// Loads every kernel into the current CUDA context, compiling those that neither the plan nor a cache has; after
    /// this `run` only enqueues. Needs no NVRTC if the plan has binaries for the device. CaptureUnsafe while `stream`
    /// is captured; NotFound without a driver or NVRTC, or if a strict compiler would have to compile;
    /// IncompatiblePlan, with the reason, if the device needs other kernels (`Fit::Replan`).
    Result<ReadyPlan> prepare(Stream stream = nullptr, const Compiler& compiler = Compiler::shared()) const;
    /// The same plan with binaries for these architectures ("sm_90a"), to be saved with it.
    Result<Plan> compiled_for(const std::vector<std::string>& architectures,
                              const Compiler& compiler = Compiler::shared()) const;
    /// The architectures it has binaries for, sorted.
    std::vector<std::string> architectures() const;
    /// What it would take to run it on `device`. Loads and compiles nothing.
    Compatibility compatibility(const Target& device) const;

    /// Everything the plan is: graph with its constants, target, options, sources, choices, binaries. The same plan
    /// gives the same bytes.
    std::string to_bytes() const;
    /// Bytes are checked before anything is made of them. BadFile if they are damaged, IncompatiblePlan if they are of
    /// another format. What the kernels in them do cannot be checked: run a plan only from where you would run a
    /// program from.
    static Result<Plan> from_bytes(std::string_view bytes);
    /// `to_bytes` to a file, whole or not at all.
    Status save(const std::string& path) const;
    static Result<Plan> load(const std::string& path);
    /// `compatibility` of bytes that may be anything.
    static Compatibility compatibility_of(std::string_view bytes, const Target& device);

    /// The same plan with another text for the kernel of that name, which must keep name and parameters. Binaries are
    /// dropped. NotFound, with the names there are, if it has no such kernel.
    Result<Plan> with_source(std::string_view kernel, std::string text) const;
    /// Writes every kernel to `folder`/<name>.cu; the folder is made if it is absent.
    Status write_sources(const std::string& folder) const;
    /// The same plan with the text of every file that `write_sources` wrote and somebody changed since.
    Result<Plan> with_sources_from(const std::string& folder) const;

    /// Runs on the host, without a GPU. `seed` decides the emulator's thread order; results do not depend on it.
    Status run_on_cpu(CpuDevice device, const Bindings& bindings, uint64_t seed = 0) const;

    /// Regions, kernels, tiles, registers, bytes, roofline, times, what was not fused and why. Unknown things say so.
    std::string explain(const ExplainOptions& options = {}) const;
    /// The same as a JSON object; times in seconds.
    std::string explain_json(const ExplainOptions& options = {}) const;
    /// Kernels as boxes, caller memory as ellipses, memory between them as edges, for Graphviz.
    std::string explain_dot() const;
    /// All kernels, one after the other.
    std::string source() const;
    const Graph& graph() const;
    const Target& target() const;
    const PlanOptions& options() const;
    int64_t workspace_bytes() const;
    int kernel_count() const;

    explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}
    const PlanData& data() const { return *data_; }

  private:
    std::shared_ptr<const PlanData> data_;
};

}  // namespace tenon
