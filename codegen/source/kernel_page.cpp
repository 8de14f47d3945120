#include "codegen/source/kernel_page.h"

#include <algorithm>

#include <tenon/version.h>

#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

constexpr std::string_view kPageSkeleton = R"cuda(// $kernel
//
//     $formula
//
//     $operands
//
// Written by tenon $version for $architecture.

$includes

using namespace tenon;

$constants

extern "C" __global__ __launch_bounds__($bounds) void $kernel(
    $parameters) {
    $body
}
)cuda";

std::string commented(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\n//     ") : std::string(1, c);
    return out;
}

bool is_stored(const Region& region, size_t operand) {
    const auto writes = [&](const Store& store) { return store.operand == static_cast<int>(operand); };
    return std::any_of(region.stores.begin(), region.stores.end(), writes) ||
           std::any_of(region.anchor_stores.begin(), region.anchor_stores.end(), writes);
}

std::string layout_word(const Value& value) {
    if (value.strides == packed_strides(value.dims, Layout::NCHW)) return "packed";
    if (value.dims.size() >= 3 && value.strides == packed_strides(value.dims, Layout::NHWC)) return "channels last";
    return "strided";
}

std::string operand_table(const Region& region, const GraphData& graph) {
    size_t width = 0;
    for (const Operand& operand : region.operands) width = std::max(width, operand.role.size());
    std::string table;
    for (const Operand& operand : region.operands) {
        const Dims& dims = operand.scratch ? operand.scratch->dims : graph.value(operand.value).dims;
        const std::string layout = operand.scratch ? "scratch" : layout_word(graph.value(operand.value));
        std::string line = operand.role + std::string(width + 2 - operand.role.size(), ' ');
        std::string type(to_string(operand.type));
        line += type + std::string(type.size() < 6 ? 6 - type.size() : 1, ' ') + tenon::to_text(dims) + "  " + layout;
        table += (table.empty() ? "" : "\n") + line;
    }
    return table;
}

std::string parameter_of(const Operand& operand, bool is_map, bool is_stored) {
    if (is_map) return "const __grid_constant__ TensorMap " + operand.role;
    const std::string type(device_type(operand.type));
    if (operand.is_host_scalar) return type + " " + operand.role;
    return (is_stored ? "" : "const ") + type + "* " + operand.role;
}

std::string parameters(const Region& region, const KernelPage& page) {
    std::string list, line;
    for (size_t i = 0; i < region.operands.size(); ++i) {
        const Operand& operand = region.operands[i];
        std::string parameter = parameter_of(operand, page.maps.count(static_cast<int>(i)) > 0, is_stored(region, i));
        if (i + 1 < region.operands.size()) parameter += ", ";
        if (line.size() + parameter.size() > 94) {
            line.pop_back();
            list += line + "\n";
            line.clear();
        }
        line += parameter;
    }
    return list + line;
}

/// Elements of the memory an operand lies in.
int64_t memory_elements(const Operand& operand, const GraphData& graph) {
    if (operand.scratch) return element_count(operand.scratch->dims);
    const Value& root = graph.value(operand.root);
    return span_of(root.dims, root.strides);
}

/// Bytes from the operand's first element that may be touched; the offset may lie behind it for negative strides.
void fill_arguments(KernelSource& kernel, const Region& region, const KernelPage& page, const GraphData& graph) {
    for (size_t i = 0; i < region.operands.size(); ++i) {
        const Operand& operand = region.operands[i];
        KernelArgument argument;
        argument.kind = operand.is_host_scalar ? KernelArgument::Kind::HostScalar : KernelArgument::Kind::Pointer;
        argument.role = operand.role;
        argument.type = operand.type;
        argument.buffer = operand.scratch ? scratch_buffer(operand.scratch->number) : operand.root;
        argument.byte_offset = operand.offset * bytes_of(operand.type);
        argument.span_bytes = memory_elements(operand, graph) * bytes_of(operand.type) - argument.byte_offset;
        argument.alignment = bytes_of(operand.type);
        argument.written = is_stored(region, i);
        if (const auto map = page.maps.find(static_cast<int>(i)); map != page.maps.end()) {
            argument.kind = KernelArgument::Kind::TensorMap;
            argument.map = map->second;
        }
        kernel.arguments.push_back(std::move(argument));
    }
}

}  // namespace

Result<KernelSource> write_page(const KernelPage& page, const Region& region, const GraphData& graph,
                                const Target& target) {
    std::string includes;
    for (const std::string& include : page.includes)
        includes += (includes.empty() ? "" : "\n") + ("#include <" + include + ">");
    TENON_ASSIGN(std::string text, fill(kPageSkeleton, {{"kernel", std::string(kKernelNameMark)},
                                                        {"formula", commented(page.formula)},
                                                        {"operands", commented(operand_table(region, graph))},
                                                        {"version", std::string(kVersion)},
                                                        {"architecture", target.architecture()},
                                                        {"includes", includes},
                                                        {"constants", page.constants},
                                                        {"bounds", page.bounds},
                                                        {"parameters", parameters(region, page)},
                                                        {"body", page.body}}));
    KernelSource kernel;
    kernel.name = name_kernel(page.stem, text);
    kernel.text = std::move(text);
    fill_arguments(kernel, region, page, graph);
    return kernel;
}

std::string domain_constant(const Domain& domain, bool wide, std::string_view name) {
    const auto list = [](const Dims& dims) {
        std::string text;
        for (const int64_t extent : dims) text += (text.empty() ? "" : ", ") + std::to_string(extent);
        return "{" + text + "}";
    };
    std::string text = "constexpr Domain " + std::string(name) + "{";
    if (!domain.rows.empty()) text += ".rows = " + list(domain.rows) + ", ";
    text += ".columns = " + list(domain.columns);
    return text + (wide ? ", .wide = true};" : "};");
}

bool needs_wide_offsets(const Domain& domain, const Region& region, const GraphData& graph) {
    constexpr int64_t kLimit = int64_t{1} << 31;
    if (domain.row_count() * domain.column_count() >= kLimit / 2) return true;
    return std::any_of(region.operands.begin(), region.operands.end(),
                       [&](const Operand& operand) { return memory_elements(operand, graph) >= kLimit; });
}

void describe(Step& step, const Region& region, const GraphData& graph, const std::string& formula) {
    step.formula = formula;
    step.notes = region.notes;
    for (const NodeId id : region.nodes) {
        const std::string& name = graph.node(id).name;
        if (std::find(step.nodes.begin(), step.nodes.end(), name) == step.nodes.end()) step.nodes.push_back(name);
    }
    for (const Operand& operand : region.operands) {
        const Dims& dims = operand.scratch ? operand.scratch->dims : graph.value(operand.value).dims;
        step.bytes_moved += static_cast<double>(element_count(dims) * bytes_of(operand.type));
    }
    std::vector<const Body*> bodies{&region.epilogue};
    for (const Body& input : region.inputs) bodies.push_back(&input);
    for (const Body* body : bodies) {
        for (size_t t = 0; t < body->terms.size(); ++t) {
            const Term& term = body->terms[t];
            if (term.kind != Term::Kind::Anchor && term.kind != Term::Kind::Apply && term.kind != Term::Kind::Cast)
                continue;
            const bool stored = body == &region.epilogue && std::any_of(region.stores.begin(), region.stores.end(),
                                            [&](const Store& s) { return s.term == static_cast<int>(t); });
            // A value that stays in registers would have been written once and read once.
            if (!stored) step.bytes_saved += 2.0 * static_cast<double>(element_count(body->dims) * bytes_of(term.type));
        }
    }
}

}  // namespace tenon::codegen
