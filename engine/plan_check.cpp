#include "engine/plan_check.h"

#include <algorithm>
#include <cctype>

#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;
using codegen::KernelSource;
using codegen::LaunchShape;

/// As in the graph's own checks: no block of memory is larger.
constexpr int64_t kMostBytes = int64_t{1} << 46;

Status bad(std::string text) { return Status(ErrorCode::BadFile, "plan file: " + std::move(text)); }

bool is_identifier(const std::string& name) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return !name.empty() && name.size() <= 256 && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
           std::all_of(name.begin(), name.end(), fits);
}

/// `bytes` from `offset` on lie inside `whole`.
bool is_inside(int64_t offset, int64_t bytes, int64_t whole) {
    return offset >= 0 && bytes >= 0 && offset <= whole && bytes <= whole - offset;
}

bool is_output(const GraphData& graph, ValueId id) {
    return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

bool fits_value(const Buffer& buffer, const GraphData& graph) {
    if (buffer.value < 0 || buffer.value >= static_cast<ValueId>(graph.values.size())) return false;
    const Value& value = graph.value(buffer.value);
    const bool is_host = value.kind == ValueKind::HostScalar;
    const bool is_bound = value.kind == ValueKind::Input || is_output(graph, buffer.value);
    if (buffer.kind == Buffer::Kind::Host ? !is_host : !is_bound) return false;
    return buffer.bytes <= span_of(value.dims, value.strides) * bytes_of(value.type);
}

bool is_right(const Buffer& buffer, const codegen::Program& program, const GraphData& graph) {
    if (buffer.bytes < 0) return false;
    switch (buffer.kind) {
        case Buffer::Kind::Bound:
        case Buffer::Kind::Host:
            return fits_value(buffer, graph);
        case Buffer::Kind::Constant:
            return buffer.data != nullptr && static_cast<int64_t>(buffer.data->size()) == buffer.bytes &&
                   is_inside(buffer.offset, buffer.bytes, program.constant_bytes);
        case Buffer::Kind::Workspace:
            return is_inside(buffer.offset, buffer.bytes, program.workspace_bytes);
    }
    return false;
}

bool is_right(const LaunchShape& launch) {
    constexpr uint32_t kMostThreads = 1024, kMostInCluster = 16, kMostRows = 65535, kMostShared = 1 << 20;
    // Each factor is bounded before the product is formed.
    const auto product_in = [](const std::array<uint32_t, 3>& extents, uint32_t most) {
        const auto fits = [most](uint32_t extent) { return extent >= 1 && extent <= most; };
        return std::all_of(extents.begin(), extents.end(), fits) &&
               uint64_t{extents[0]} * extents[1] * extents[2] <= most;
    };
    return product_in(launch.block, kMostThreads) && product_in(launch.cluster, kMostInCluster) &&
           launch.grid[0] <= INT32_MAX && launch.grid[1] <= kMostRows && launch.grid[2] <= kMostRows &&
           launch.shared_bytes <= kMostShared;
}

bool is_right(const KernelArgument& argument, const codegen::Program& program, const GraphData& graph) {
    if (argument.buffer < 0 || argument.buffer >= static_cast<int32_t>(program.buffers.size())) return false;
    const Buffer& buffer = program.buffers[static_cast<size_t>(argument.buffer)];
    const bool is_host = buffer.kind == Buffer::Kind::Host;
    if (is_host != (argument.kind == KernelArgument::Kind::HostScalar)) return false;
    if (is_host && (argument.byte_offset != 0 || argument.written)) return false;
    if (argument.written && buffer.kind == Buffer::Kind::Constant) return false;
    if (argument.written && buffer.kind == Buffer::Kind::Bound && !is_output(graph, buffer.value)) return false;
    const int64_t alignment = argument.alignment;
    if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)) != 0) return false;
    return is_inside(argument.byte_offset, argument.span_bytes, buffer.bytes);
}

Status check_kernel(const KernelSource& kernel, const codegen::Program& program, const GraphData& graph) {
    if (!is_identifier(kernel.name)) return bad("a kernel's name is no identifier");
    if (!is_right(kernel.launch)) return bad(kernel.name + ": no device takes its launch shape");
    for (const KernelArgument& argument : kernel.arguments) {
        if (!is_right(argument, program, graph)) return bad(kernel.name + ": an argument does not fit its buffer");
    }
    return {};
}

}  // namespace

Status check_program(const codegen::Program& program, const GraphData& graph) {
    if (!is_inside(0, program.workspace_bytes, kMostBytes) || !is_inside(0, program.constant_bytes, kMostBytes))
        return bad("workspace or constants have an impossible size");
    for (const Buffer& buffer : program.buffers) {
        if (!is_right(buffer, program, graph)) return bad("a buffer does not fit the graph");
    }
    for (const codegen::Step& step : program.steps) TENON_TRY(check_kernel(step.kernel, program, graph));
    return {};
}

}  // namespace tenon::engine
