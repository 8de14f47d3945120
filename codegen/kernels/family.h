#pragma once

#include <span>
#include <string_view>

#include <tenon/target.h>

#include "codegen/program.h"
#include "codegen/region/region.h"
#include "codegen/region/verdict.h"

namespace tenon::codegen {

/// What a family needs to write a kernel besides the region.
struct EmitContext {
    const GraphData& graph;  ///< The planned graph the region refers to.
    const Target& target;
};

/// One way of turning regions into kernels. Stateless; the first family of the list that takes a region writes it.
class KernelFamily {
  public:
    virtual ~KernelFamily() = default;

    virtual std::string_view name() const = 0;
    /// Whether it can serve this region exactly as it stands. "No" carries the reason shown by explain.
    virtual Verdict takes(const Region& region, const EmitContext& context) const = 0;
    /// Writes the kernel. Only called after `takes` said yes. Fills everything of the Step but buffers: argument i of
    /// the kernel has `buffer` = root ValueId, `byte_offset` from the operand; the planner turns roots into buffers.
    virtual Result<Step> emit(const Region& region, const EmitContext& context) const = 0;
};

/// All families, best first; the last ones take anything.
std::span<const KernelFamily* const> families();

}  // namespace tenon::codegen
