#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tenon/graph.h>
#include <tenon/target.h>

namespace tenon {

/// Host memory of inputs, host scalars and outputs.
using Bindings = std::map<Tensor, void*>;

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
        int registers = 0;
        int spill_bytes = 0;
        int64_t cubin_bytes = 0;
    };
    std::string architecture;
    std::vector<Kernel> kernels;
};

struct PlanData;  // internal: engine/plan_data.h

/// A graph cut into kernels for one target. Immutable and shareable between threads.
class Plan {
  public:
    /// Validates, cuts into regions and writes the source of every kernel. Pure: no GPU, file or environment.
    static Result<Plan> build(const Graph& graph, const Target& target, const PlanOptions& options = {});
    /// Compiles every kernel with NVRTC for the plan's target, or for `architecture` ("sm_80").
    Result<CompileReport> compile(const std::string& architecture = {}) const;
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
