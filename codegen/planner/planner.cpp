#include <algorithm>
#include <map>

#include "codegen/generate.h"
#include "codegen/kernels/family.h"
#include "codegen/planner/grow.h"
#include "codegen/planner/lower.h"
#include "codegen/planner/workspace_layout.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

Result<Step> emit(const Region& region, const EmitContext& context) {
    std::string refusals;
    for (const KernelFamily* family : families()) {
        const Verdict verdict = family->takes(region, context);
        if (verdict) return family->emit(region, context);
        refusals += std::string(family->name()) + ": " + verdict.reason() + "; ";
    }
    return Status(ErrorCode::Unsupported,
                  "no kernel family takes '" + context.graph.node(region.nodes.front()).name + "': " + refusals);
}

/// Turns the roots that kernels refer to into buffers, and gives inner ones a place in the workspace.
class BufferTable {
  public:
    BufferTable(const GraphData& graph, Program& program) : graph_(graph), program_(program) {}

    void bind() {
        for (size_t s = 0; s < program_.steps.size(); ++s) {
            for (KernelArgument& argument : program_.steps[s].kernel.arguments)
                argument.buffer = buffer_of(argument.buffer, static_cast<int>(s));
        }
        std::vector<Lifetime> lifetimes;
        for (const int32_t buffer : inner_) lifetimes.push_back(lifetime_[static_cast<size_t>(buffer)]);
        const std::vector<int64_t> offsets = lay_out(lifetimes, program_.workspace_bytes);
        for (size_t i = 0; i < inner_.size(); ++i) program_.buffers[static_cast<size_t>(inner_[i])].offset = offsets[i];
    }

  private:
    int32_t buffer_of(ValueId root, int step) {
        const auto [entry, is_new] = buffers_.try_emplace(root, static_cast<int32_t>(program_.buffers.size()));
        if (is_new) add(root, step);
        lifetime_[static_cast<size_t>(entry->second)].last_step = step;
        return entry->second;
    }

    void add(ValueId root, int step) {
        const Value& value = graph_.value(root);
        Buffer buffer;
        buffer.bytes = span_of(value.dims, value.strides) * bytes_of(value.type);
        buffer.value = root;
        if (value.kind == ValueKind::Constant) {
            buffer.kind = Buffer::Kind::Constant;
            buffer.data = value.data;
            buffer.offset = program_.constant_bytes;
            program_.constant_bytes += (buffer.bytes + 255) / 256 * 256;
        } else if (value.kind == ValueKind::HostScalar) {
            buffer.kind = Buffer::Kind::Host;
        } else if (value.kind == ValueKind::Input || graph_.is_output(root)) {
            buffer.kind = Buffer::Kind::Bound;
        } else {
            inner_.push_back(static_cast<int32_t>(program_.buffers.size()));
        }
        program_.buffers.push_back(std::move(buffer));
        lifetime_.push_back({program_.buffers.back().bytes, step, step});
    }

    const GraphData& graph_;
    Program& program_;
    std::map<ValueId, int32_t> buffers_;
    std::vector<Lifetime> lifetime_;
    std::vector<int32_t> inner_;
};

}  // namespace

Result<Program> generate(const Graph& graph, const Target& target, const PlanOptions& options) {
    TENON_TRY(graph.validate());
    Program program;
    TENON_ASSIGN(const GraphData lowered, lower(graph.data(), program.rewrites));
    const std::vector<Storage> storage = assign_storage(lowered);
    TENON_ASSIGN(const std::vector<Region> regions, grow_regions(lowered, storage, options));
    const EmitContext context{lowered, target};
    for (const Region& region : regions) {
        if (element_count(region.epilogue.dims) == 0) continue;  // nothing to write
        TENON_ASSIGN(Step step, emit(region, context));
        program.steps.push_back(std::move(step));
    }
    BufferTable(lowered, program).bind();
    if (program.workspace_bytes > options.workspace_limit_bytes) {
        return Status(ErrorCode::OutOfMemory, "the plan needs " + std::to_string(program.workspace_bytes) +
                                                  " bytes of workspace, the limit is " +
                                                  std::to_string(options.workspace_limit_bytes));
    }
    return program;
}

}  // namespace tenon::codegen
