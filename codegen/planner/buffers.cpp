#include "codegen/planner/buffers.h"

#include <map>

#include "codegen/planner/workspace_layout.h"

namespace tenon::codegen {
namespace {

class BufferTable {
  public:
    BufferTable(const GraphData& graph, Program& program) : graph_(graph), program_(program) {}

    void append(Emission emission) {
        // Scratch numbers are the emission's own; here they follow those of the emissions before it.
        const int32_t first_scratch = static_cast<int32_t>(scratch_bytes_.size());
        scratch_bytes_.insert(scratch_bytes_.end(), emission.scratch_bytes.begin(), emission.scratch_bytes.end());
        for (Step& step : emission.steps) {
            for (KernelArgument& argument : step.kernel.arguments) {
                if (argument.buffer <= scratch_buffer(0)) argument.buffer -= first_scratch;
                argument.buffer = buffer_of(argument.buffer, static_cast<int>(program_.steps.size()));
            }
            program_.steps.push_back(std::move(step));
        }
    }

    void lay_out_workspace() {
        std::vector<Lifetime> lifetimes;
        for (const int32_t buffer : inner_) lifetimes.push_back(lifetime_[static_cast<size_t>(buffer)]);
        const std::vector<int64_t> offsets = lay_out(lifetimes, program_.workspace_bytes);
        for (size_t i = 0; i < inner_.size(); ++i) program_.buffers[static_cast<size_t>(inner_[i])].offset = offsets[i];
    }

  private:
    /// `source` is a value of the graph, or scratch memory if it is negative.
    int32_t buffer_of(int32_t source, int step) {
        const auto [entry, is_new] = buffers_.try_emplace(source, static_cast<int32_t>(program_.buffers.size()));
        if (is_new) {
            program_.buffers.push_back(source < 0 ? scratch(source) : of_value(source));
            if (program_.buffers.back().kind == Buffer::Kind::Workspace) inner_.push_back(entry->second);
            lifetime_.push_back({program_.buffers.back().bytes, step, step});
        }
        lifetime_[static_cast<size_t>(entry->second)].last_step = step;
        return entry->second;
    }

    Buffer scratch(int32_t source) const {
        Buffer buffer;
        buffer.bytes = scratch_bytes_[static_cast<size_t>(scratch_buffer(0) - source)];
        return buffer;
    }

    Buffer of_value(ValueId root) {
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
        }
        return buffer;
    }

    const GraphData& graph_;
    Program& program_;
    std::vector<int64_t> scratch_bytes_;
    std::map<int32_t, int32_t> buffers_;
    std::vector<Lifetime> lifetime_;
    std::vector<int32_t> inner_;
};

}  // namespace

void place_buffers(const GraphData& graph, std::vector<Emission> emissions, Program& program) {
    BufferTable table(graph, program);
    for (Emission& emission : emissions) table.append(std::move(emission));
    table.lay_out_workspace();
}

}  // namespace tenon::codegen
