#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <tenon/target.h>

#include "codegen/program.h"
#include "codegen/region/region.h"
#include "codegen/region/verdict.h"

namespace tenon::codegen {

/// What a family needs to write a kernel besides the region.
struct EmitContext {
    const GraphData& graph;  ///< The planned graph the region refers to.
    const Target& target;
    int candidate = 0;  ///< Which of the ranked tiles to take; the last if there are fewer.
};

/// What a family writes for one region: kernels in launch order (split-K and its sum, statistics and their use), and
/// memory they hand on to each other. Argument i of a kernel has `buffer` = the root's ValueId, or `scratch_buffer(n)`
/// for the n-th of `scratch_bytes`; the planner turns them into buffers. Scratch memory holds anything at first, and
/// lives from the first step that uses it to the last.
struct Emission {
    std::vector<Step> steps;
    std::vector<int64_t> scratch_bytes;

    Emission() = default;
    Emission(Step step) { steps.push_back(std::move(step)); }
};

/// One way of turning regions into kernels. Stateless; the first family of the list that takes a region writes it.
class KernelFamily {
  public:
    virtual ~KernelFamily() = default;

    virtual std::string_view name() const = 0;
    /// Whether it can serve this region exactly as it stands. "No" carries the reason shown by explain.
    virtual Verdict takes(const Region& region, const EmitContext& context) const = 0;
    /// Writes the kernels. Only called after `takes` said yes.
    virtual Result<Emission> emit(const Region& region, const EmitContext& context) const = 0;
};

/// All families, best first; the last ones take anything.
std::span<const KernelFamily* const> families();

}  // namespace tenon::codegen
