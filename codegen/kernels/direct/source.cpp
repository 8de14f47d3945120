#include "codegen/kernels/direct/source.h"

#include <algorithm>

#include "codegen/kernels/direct/shape_text.h"
#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

constexpr int kThreads = 256;

/// Every axis stays: rows are all axes but the last, so that coordinates are those of the tensor.
Domain uncollapsed(const Dims& dims, const std::vector<Dims>& operand_strides) {
    Domain domain;
    domain.rows.assign(dims.begin(), dims.empty() ? dims.end() : dims.end() - 1);
    domain.columns = {dims.empty() ? 1 : dims.back()};
    for (const Dims& strides : operand_strides) {
        domain.strides.push_back({Dims(strides.begin(), strides.empty() ? strides.end() : strides.end() - 1),
                                  {strides.empty() ? 0 : strides.back()}});
    }
    return domain;
}

class DirectFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "direct"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        if (anchor_text(region, context.graph)) return Verdict::yes();
        return Verdict::no("NO_ANCHOR", "the direct family needs an anchor it has a function for");
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        const AnchorText anchor = *anchor_text(region, context.graph);
        assign_roles(region, anchor.roles);
        std::vector<Store> stores = region.stores;
        const std::vector<Access> list = accesses(region, region.epilogue, stores);
        const Domain domain = uncollapsed(region.epilogue.dims, strides_of(list));
        std::string call = anchor.function;
        std::string arguments, computed, declarations, formula = anchor.function + "(";
        for (size_t i = 0; i < region.inputs.size(); ++i) {
            const InputText input = input_text(region, i, anchor.roles[i], context.graph);
            arguments += input.argument + ", ";
            computed += input.statements;
            declarations += input.declarations;
            formula += (i > 0 ? ", " : "") + input.formula;
        }
        formula += ")";
        const BodyText body = write_body(region, region.epilogue, stores, list, domain,
                                         {.relaxed = context.graph.numerics.relaxed}, formula);
        std::string value = call + "<kAnchor>(" + arguments + "point_of(at))";
        if (is_converted(region, context.graph))
            value = "cast<" + std::string(device_type(region.epilogue.terms[0].type)) + ">(" + value + ")";
        std::string statements = "auto value = one_lane(" + value + ");";
        if (!region.anchor_stores.empty()) {
            const Operand& second = region.operands[static_cast<size_t>(region.anchor_stores.front().operand)];
            statements = "const auto found = " + call + "_with_position<kAnchor>(" + arguments +
                         "point_of(at));\nauto value = one_lane(found.value);\nstore_strided<" +
                         constant_name(second.role) + ">(" + second.role + ", at, found.position);";
        }

        KernelPage page;
        page.stem = stem_of(anchor.function, region);
        page.formula = body.formula;
        page.includes = {"tenon/direct.cuh"};
        page.constants =
            domain_constant(domain, needs_wide_offsets(domain, region, context.graph)) +
            "\nconstexpr VectorTile kTile{.lanes = 1, .pieces = 1, .threads = " + std::to_string(kThreads) + "};\n" +
            anchor.shape;
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.constants += declarations;
        if (!region.anchor_stores.empty()) page.constants += "\n" + second_result_strides(region);
        page.body = computed + "elementwise<kOutput, kTile>([=](auto at) {\n" +
                    indented(statements + (body.statements.empty() ? "" : "\n" + body.statements)) + "\n});";

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        const int64_t points = element_count(region.epilogue.dims);
        step.kernel.launch.block = {kThreads, 1, 1};
        step.kernel.launch.grid = {static_cast<uint32_t>((points + kThreads - 1) / kThreads), 1, 1};
        step.family = name();
        step.tile = std::to_string(kThreads) + " threads x 1 element";
        step.flops = anchor.flops;
        describe(step, region, context.graph, body.formula);
        step.predicted_seconds =
            context.target.launch_seconds + std::max(step.bytes_moved / context.target.memory_bytes_per_second,
                                                     step.flops / (0.05 * context.target.f32_flops_per_second));
        return Emission(std::move(step));
    }

  private:
    /// How an input of the anchor is written down.
    struct InputText {
        std::string argument;      ///< A pointer, or what computes elements from pointers.
        std::string declarations;  ///< File-scope constants, each line after a break.
        std::string statements;    ///< In front of the loop.
        std::string formula;
    };

    static InputText input_text(const Region& region, size_t i, const std::string& role, const GraphData& graph) {
        if (const Operand* plain = region.plain_input(i)) return {plain->role, {}, {}, plain->role};
        const Body& input = region.inputs[i];
        const std::vector<Access> list = accesses(region, input, {});
        const Domain domain = uncollapsed(input.dims, strides_of(list));
        const BodyText body =
            write_body(region, input, {}, list, domain,
                       {.index = role + "_index", .relaxed = graph.numerics.relaxed, .returns = true}, "");
        InputText text{role + "_element", {}, {}, body.formula};
        const std::string axes = constant_name(role + "_axes");
        text.declarations = "\n" + domain_constant(domain, false, axes);
        if (!body.declarations.empty())
            text.declarations += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        text.statements = "const auto " + text.argument + " = computed<" +
                          std::string(device_type(input.terms.back().type)) + ", " + axes + ">([=](auto at) {\n" +
                          indented(body.statements) + "\n});\n";
        return text;
    }

    /// Whether the declared type of the result is not the one its sums are computed in.
    static bool is_converted(const Region& region, const GraphData& graph) {
        const DataType from = graph.value(graph.node(region.anchor).inputs[0]).type, to = region.epilogue.terms[0].type;
        const bool small_integer = to == DataType::I8 || to == DataType::U8;
        return small_integer || is_floating(from) != is_floating(to) ||
               (from == DataType::F64) != (to == DataType::F64);
    }

    static std::string second_result_strides(const Region& region) {
        const Operand& operand = region.operands[static_cast<size_t>(region.anchor_stores.front().operand)];
        std::string row, column = "0";
        for (size_t i = 0; i + 1 < operand.strides.size(); ++i)
            row += (row.empty() ? "" : ", ") + std::to_string(operand.strides[i]);
        if (!operand.strides.empty()) column = std::to_string(operand.strides.back());
        return "constexpr Strides " + constant_name(operand.role) + "{.row = {" + row + "}, .column = {" + column +
               "}};";
    }
};

}  // namespace

const KernelFamily& direct_family() {
    static const DirectFamily family;
    return family;
}

}  // namespace tenon::codegen
