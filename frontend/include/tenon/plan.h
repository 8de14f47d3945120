#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/graph.h>
#include <tenon/target.h>

/// The driver's stream type, declared as <cuda.h> does, so that no CUDA header is needed here.
struct CUstream_st;

namespace tenon {

using Stream = CUstream_st*;

/// Memory of inputs and outputs: device pointers for `ReadyPlan::run`, host pointers for `Plan::run_on_cpu`. Host scalars are
/// host pointers always.
using Bindings = std::map<Tensor, void*>;

/// How a plan is made.
struct PlanOptions {
    bool fuse = true;                         ///< false: one kernel per operation, same numeric contract.
    std::vector<std::string> disabled_rewrites = {};  ///< Names as listed by explain.
    int64_t workspace_limit_bytes = INT64_MAX;
};

/// Where CPU runs happen.
enum class CpuDevice {
    Reference,  ///< Operation by operation in double precision: the definition of right.
    Emulator,   ///< The plan's own kernels, compiled by the host compiler.
};

enum class ExplainFormat { Text, Json, Dot };

/// Whether a saved plan fits a device, judged before anything is loaded.
enum class Compatibility { Optimal, Retune, Recompile, Replan, Refused };

/// How compiling and caching behave. Unset paths come from the environment, then from defaults.
struct CompileOptions {
    std::string cache_directory = {};  ///< Empty: TENON_CACHE_DIR, then $XDG_CACHE_HOME/tenon, then ~/.cache/tenon.
    bool use_disk_cache = true;
    std::string nvrtc_path = {};
    int threads = 0;  ///< 0: one per core.
    bool strict = false;  ///< Never compile: kernels must come from the plan file.
    /// Called as kernels finish; return false to cancel.
    std::function<bool(int done, int total)> progress = {};
};

class ReadyPlan;
struct PlanData;  // internal: engine/plan_data.h

/// A graph cut into kernels for one target. Immutable and shareable between threads.
class Plan {
  public:
    /// Validates, rewrites, cuts into regions and writes the source of every kernel. Pure: no GPU, file or environment.
    static Result<Plan> build(const Graph& graph, const Target& target, const PlanOptions& options = {});
    /// Compiles all kernels with NVRTC, through the caches. Returns the same plan with binaries.
    Result<Plan> compile(const CompileOptions& options = {}) const;
    /// Compiles what is missing, loads all kernels into the current CUDA context. Refuses while a stream is captured.
    Result<ReadyPlan> prepare(const CompileOptions& options = {}) const;

    /// Runs on the host, without a GPU. All pointers are host memory.
    Status run_on_cpu(CpuDevice device, const Bindings& bindings) const;

    Status save(const std::string& path) const;
    static Result<Plan> load(const std::string& path);
    static Result<Plan> load_bytes(std::string_view bytes);
    std::string save_bytes() const;
    static Result<Compatibility> compatibility(std::string_view bytes, const Target& target, std::string* reason = nullptr);

    std::string explain(ExplainFormat format = ExplainFormat::Text) const;
    /// All kernels, one after the other.
    std::string source() const;
    const Graph& graph() const;
    const Target& target() const;
    int64_t workspace_bytes() const;
    /// Bytes of constants that must live in device memory while the plan runs.
    int64_t constant_bytes() const;
    int kernel_count() const;

    explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}
    const PlanData& data() const { return *data_; }

  private:
    std::shared_ptr<const PlanData> data_;
};

struct LoadedPlan;  // internal: engine/loaded_plan.h

/// A plan whose kernels are loaded. `run` only enqueues launches on the caller's stream.
class ReadyPlan {
  public:
    /// Copies the constants to `memory` (constant_bytes of device memory) on `stream`. Needed once if constant_bytes > 0.
    Status upload_constants(void* memory, Stream stream);
    /// Enqueues all kernels. `workspace` is workspace_bytes of device memory, 256-byte aligned. Legal under capture.
    Status run(const Bindings& bindings, void* workspace, Stream stream) const;

    const Plan& plan() const;

    explicit ReadyPlan(std::shared_ptr<LoadedPlan> loaded) : loaded_(std::move(loaded)) {}

  private:
    std::shared_ptr<LoadedPlan> loaded_;
};

}  // namespace tenon
