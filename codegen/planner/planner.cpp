#include <algorithm>

#include "codegen/generate.h"
#include "codegen/kernels/family.h"
#include "codegen/planner/buffers.h"
#include "codegen/planner/grow.h"
#include "codegen/planner/lower.h"
#include "codegen/planner/rewrites.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

Result<Emission> emit(const Region& region, const EmitContext& context) {
    std::string refusals;
    for (const KernelFamily* family : families()) {
        const Verdict verdict = family->takes(region, context);
        if (verdict) return family->emit(region, context);
        refusals += std::string(family->name()) + ": " + verdict.reason() + "; ";
    }
    return Status(ErrorCode::Unsupported,
                  "no kernel family takes '" + context.graph.node(region.nodes.front()).name + "': " + refusals);
}

/// Whether the first kernel loads, before the kernels in front of the plan have ended, what one of them may write: an
/// input of the plan. Its constants are safe.
bool reads_input_early(const Program& program) {
    const std::vector<KernelArgument>& arguments = program.steps.front().kernel.arguments;
    return std::any_of(arguments.begin(), arguments.end(), [&](const KernelArgument& argument) {
        return argument.is_early &&
               program.buffers[static_cast<size_t>(argument.buffer)].kind != Buffer::Kind::Constant;
    });
}

}  // namespace

Result<Program> generate(const Graph& graph, const Target& target, const PlanOptions& options) {
    TENON_TRY(graph.validate());
    Program program;
    GraphData rewritten = graph.data();
    if (options.fuse) apply(rewrites(), rewritten, program.rewrites);
    TENON_ASSIGN(GraphData lowered, lower(rewritten, program.rewrites));
    if (options.fuse) apply(late_rewrites(), lowered, program.rewrites);
    if (!options.fuse) drop_unused(lowered, program.rewrites);
    const std::vector<Storage> storage = assign_storage(lowered);
    const EmitContext context{lowered, target, options.candidate};
    TENON_ASSIGN(const std::vector<Region> regions, grow_regions(context, storage, options));
    std::vector<Emission> emissions;
    for (const Region& region : regions) {
        if (element_count(region.epilogue.dims) == 0) continue;  // nothing to write
        TENON_ASSIGN(Emission emission, emit(region, context));
        emissions.push_back(std::move(emission));
    }
    place_buffers(lowered, std::move(emissions), program);
    if (!program.steps.empty() && reads_input_early(program)) program.steps.front().kernel.launch.dependent = false;
    if (program.workspace_bytes > options.workspace_limit_bytes) {
        return Status(ErrorCode::OutOfMemory, "the plan needs " + std::to_string(program.workspace_bytes) +
                                                  " bytes of workspace, the limit is " +
                                                  std::to_string(options.workspace_limit_bytes));
    }
    return program;
}

}  // namespace tenon::codegen
