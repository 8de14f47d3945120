#include "codegen/kernels/contraction/page.h"

#include <algorithm>
#include <sstream>

#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

using heuristics::ContractionProblem;
using heuristics::ContractionTile;

constexpr int kSumThreads = 256;

std::string anchor_constant(const ContractionView& view) {
    std::string text = "constexpr Contraction kAnchor{\n    .batch = " + std::to_string(view.batch) +
                       ", .rows = " + std::to_string(view.rows) + ", .columns = " + std::to_string(view.columns) +
                       ", .depth = " + std::to_string(view.depth);
    if (view.batch > 1 && view.batch_along_columns) text += ", .batch_along_columns = true";
    return text + ",\n};";
}

std::string tile_constant(const ContractionPlan& plan) {
    const ContractionTile& tile = plan.tile;
    std::ostringstream text;
    text << "constexpr ContractionTile kTile{\n    .rows = " << tile.rows << ", .columns = " << tile.columns
         << ", .depth = " << tile.depth << ", .stages = " << tile.stages << ",\n    .warp_rows = " << tile.warp_rows
         << ", .warp_columns = " << tile.warp_columns << ", .split = " << tile.split << ", .parts = " << tile.parts
         << ", .threads = " << tile.threads() << ",\n    .lanes = " << tile.lanes << ", .band = " << tile.band
         << ", .asynchronous = " << (tile.asynchronous ? "true" : "false")
         << ", .products = Products::" << to_string(plan.products) << ",\n};";
    return text.str();
}

BodyText epilogue_text(const ContractionPlan& plan, const Region& region, const EmitContext& context) {
    const std::vector<Access> list = accesses(region, region.epilogue, region.stores);
    const BodyStyle style{.column_word = plan.view.columns_are_channels ? "per_channel" : "per_column",
                          .relaxed = context.graph.numerics.relaxed};
    return write_body(region, region.epilogue, region.stores, list, plan.domain, style, plan.formula());
}

std::string declarations_of(const BodyText& body) {
    return body.declarations.empty() ? "" : "\n" + body.declarations.substr(0, body.declarations.size() - 1);
}

/// Whether the declared type of the result is not computed in the type of the sums.
bool is_converted(const ContractionPlan& plan) {
    const DataType to = plan.region.epilogue.terms[0].type;
    if (plan.sum_type() == DataType::F32) return !is_floating(to) || to == DataType::F64;
    return to != DataType::I32;
}

std::string conversion(const ContractionPlan& plan, const std::string& sum) {
    return "auto value = cast<" + std::string(device_type(plan.region.epilogue.terms[0].type)) + ">(" + sum + ");\n";
}

/// Constants and call of the main loop, around the statements for one piece of the result.
void write_loop(KernelPage& page, const ContractionPlan& plan, const std::string& value,
                const std::string& statements) {
    const ContractionInput& rows = plan.inputs[static_cast<size_t>(plan.view.row_operand.input)];
    const ContractionInput& columns = plan.inputs[static_cast<size_t>(plan.view.column_operand.input)];
    page.includes = {"tenon/contraction.cuh"};
    page.constants += "\n" + anchor_constant(plan.view) + "\n" +
                      operand_constant(rows.constant, plan.view.row_operand) + "\n" +
                      operand_constant(columns.constant, plan.view.column_operand) + "\n" + tile_constant(plan) +
                      rows.declarations + columns.declarations;
    page.body = rows.statements + columns.statements + "contract<kOutput, kAnchor, " + rows.constant + ", " +
                columns.constant + ", kTile>(" + rows.argument + ", " + columns.argument + ", [=](auto at, auto " +
                value + ") {\n" + indented(statements) + "\n});";
}

/// Chunks of the operands need pointers that are aligned to them, up to 16 bytes.
void align_inputs(KernelSource& kernel, const Region& region, const ContractionPlan& plan) {
    for (const OperandView* view : {&plan.view.row_operand, &plan.view.column_operand}) {
        const size_t number = static_cast<size_t>(view->input);
        const Domain& domain = plan.inputs[number].place.domain;
        const std::vector<Access> list = accesses(region, region.inputs[number], {});
        for (size_t i = 0; i < list.size(); ++i) {
            if (list[i].operand < 0) continue;
            if (!domain.columns.empty() && domain.strides[i].column.back() != 1) continue;
            KernelArgument& argument = kernel.arguments[static_cast<size_t>(list[i].operand)];
            argument.alignment =
                std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * view->chunk));
        }
    }
}

/// So do the lanes of the epilogue, up to 16 bytes.
void align_epilogue(KernelSource& kernel, const Region& region, const Domain& domain, int lanes) {
    const std::vector<Access> list = accesses(region, region.epilogue, region.stores);
    for (size_t i = 0; i < list.size(); ++i) {
        if (list[i].operand < 0 || domain.strides[i].column.back() != 1) continue;
        KernelArgument& argument = kernel.arguments[static_cast<size_t>(list[i].operand)];
        argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * lanes));
    }
}

void set_launch(KernelSource& kernel, const ContractionPlan& plan) {
    const ContractionProblem problem{plan.view.batch, plan.view.rows, plan.view.columns, plan.view.depth};
    const int element_bytes = static_cast<int>(bytes_of(plan.inputs[0].place.type));
    kernel.launch.block = {static_cast<uint32_t>(plan.tile.threads()), 1, 1};
    kernel.launch.grid = {static_cast<uint32_t>(plan.tile.blocks(problem)), 1, 1};
    kernel.launch.shared_bytes = static_cast<uint32_t>(plan.tile.shared_bytes(element_bytes));
}

Operand scratch_of(const ContractionPlan& plan) {
    Operand sums;
    sums.type = plan.sum_type();
    sums.role = "sums";
    const int64_t rows = plan.view.batch * plan.view.rows * plan.view.columns / plan.domain.column_count();
    sums.scratch = Scratch{0, {plan.tile.parts, rows, plan.domain.column_count()}};
    sums.strides = Dims(plan.region.epilogue.dims.size(), 0);
    return sums;
}

/// Keeps the operands that a body or store refers to, in order, behind `first`.
void keep_operands_in_use(Region& region, const Operand& first) {
    std::vector<int> moved(region.operands.size(), -1);
    std::vector<Operand> kept{first};
    const auto move = [&](int& operand) {
        if (operand < 0) return;
        int& place = moved[static_cast<size_t>(operand)];
        if (place < 0) {
            place = static_cast<int>(kept.size());
            kept.push_back(region.operands[static_cast<size_t>(operand)]);
        }
        operand = place;
    };
    for (Body& body : region.inputs) {
        for (Term& term : body.terms) move(term.operand);
    }
    for (Term& term : region.epilogue.terms) move(term.operand);
    for (Store& store : region.stores) move(store.operand);
    region.operands = std::move(kept);
}

/// The epilogue alone; it begins from the sums, operand 0.
Region behind_the_sums(const ContractionPlan& plan) {
    Region region = plan.region;
    region.inputs.clear();
    keep_operands_in_use(region, scratch_of(plan));
    return region;
}

/// The anchor alone; it ends in the sums, operand 0.
Region up_to_the_sums(const ContractionPlan& plan) {
    Region region = plan.region;
    region.epilogue.terms.resize(1);
    region.stores.clear();
    keep_operands_in_use(region, scratch_of(plan));
    region.stores = {{0, 0}};
    return region;
}

}  // namespace

DataType ContractionPlan::sum_type() const { return is_floating(inputs[0].place.type) ? DataType::F32 : DataType::I32; }

std::string ContractionPlan::formula() const {
    return anchor + "(" + inputs[0].formula + ", " + inputs[1].formula + ")";
}

Result<Step> whole_step(const ContractionPlan& plan, const EmitContext& context) {
    const BodyText body = epilogue_text(plan, plan.region, context);
    KernelPage page;
    page.stem = stem_of(plan.anchor, plan.region);
    page.formula = body.formula;
    page.constants = domain_constant(plan.domain, needs_wide_offsets(plan.domain, plan.region, context.graph));
    const bool converts = is_converted(plan);
    write_loop(page, plan, converts ? "sum" : "value", (converts ? conversion(plan, "sum") : "") + body.statements);
    page.constants += declarations_of(body);

    Step step;
    TENON_ASSIGN(step.kernel, write_page(page, plan.region, context.graph, context.target));
    align_inputs(step.kernel, plan.region, plan);
    align_epilogue(step.kernel, plan.region, plan.domain, plan.tile.lanes);
    set_launch(step.kernel, plan);
    describe(step, plan.region, context.graph, body.formula);
    return step;
}

Result<Step> parts_step(const ContractionPlan& plan, const EmitContext& context) {
    const Region region = up_to_the_sums(plan);
    const Dims& sums = region.operands[0].scratch->dims;
    const Domain domain{.rows = {sums[0] * sums[1]}, .columns = {sums[2]}, .strides = {}};

    ContractionPlan parts = plan;
    // Whole vectors within the columns of one group.
    parts.tile.lanes = static_cast<int>(std::min<int64_t>(plan.tile.warp_columns, plan.view.columns % 4 == 0 ? 4 : 1));
    KernelPage page;
    page.stem = plan.anchor + "_parts";
    page.formula = "sums = parts of " + plan.formula();
    page.constants = domain_constant(domain, needs_wide_offsets(domain, region, context.graph));
    write_loop(page, parts, "value", "store(sums, at, value);");

    Step step;
    TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
    align_inputs(step.kernel, region, plan);
    step.kernel.arguments[0].alignment = int64_t{4} * parts.tile.lanes;
    set_launch(step.kernel, plan);
    describe(step, region, context.graph, page.formula);
    step.bytes_saved = 0.0;
    return step;
}

Result<Step> sum_step(const ContractionPlan& plan, const EmitContext& context) {
    const Region region = behind_the_sums(plan);
    const BodyText body = epilogue_text(plan, region, context);
    const int lanes = std::min(plan.tile.lanes, 4);
    const std::string sum = "sum_of_parts<" + std::to_string(plan.tile.parts) + ">(sums, at)";
    const std::string value = is_converted(plan) ? conversion(plan, sum) : "auto value = " + sum + ";\n";

    KernelPage page;
    page.stem = stem_of(plan.anchor + "_sum", region);
    page.formula = body.formula;
    page.includes = {"tenon/parts.cuh"};
    page.constants = domain_constant(plan.domain, needs_wide_offsets(plan.domain, region, context.graph)) +
                     "\nconstexpr VectorTile kTile{.lanes = " + std::to_string(lanes) +
                     ", .pieces = 1, .threads = " + std::to_string(kSumThreads) + "};" + declarations_of(body);
    page.body = "elementwise<kOutput, kTile>([=](auto at) {\n" + indented(value + body.statements) + "\n});";

    Step step;
    TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
    align_epilogue(step.kernel, region, plan.domain, lanes);
    step.kernel.arguments[0].alignment = int64_t{4} * lanes;
    const int64_t per_block = int64_t{kSumThreads} * lanes;
    step.kernel.launch.block = {kSumThreads, 1, 1};
    step.kernel.launch.grid = {static_cast<uint32_t>((plan.points() + per_block - 1) / per_block), 1, 1};
    describe(step, region, context.graph, body.formula);
    step.tile = std::to_string(kSumThreads) + " threads x " + std::to_string(lanes) + " lanes";
    return step;
}

}  // namespace tenon::codegen
