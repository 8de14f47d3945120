#include "codegen/kernels/contraction/source.h"

#include <algorithm>
#include <sstream>

#include "codegen/kernels/contraction/page.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

using heuristics::ContractionProblem;
using heuristics::RankedTile;

/// Operands that the anchor reads.
std::vector<bool> read_by_inputs(const Region& region) {
    std::vector<bool> read(region.operands.size(), false);
    for (const Body& body : region.inputs) {
        for (const Term& term : body.terms) {
            if (term.operand >= 0) read[static_cast<size_t>(term.operand)] = true;
        }
    }
    return read;
}

ContractionProblem problem_of(const ContractionPlan& plan, const GraphData& graph) {
    const ContractionView& view = plan.view;
    const int bytes = static_cast<int>(bytes_of(plan.inputs[0].place.type));
    ContractionProblem problem{view.batch, view.rows, view.columns, view.depth};
    problem.element_bytes = bytes;
    problem.row_chunk_bytes = view.row_operand.chunk * bytes;
    problem.column_chunk_bytes = view.column_operand.chunk * bytes;
    problem.row_outer_major = view.row_operand.outer_major;
    problem.column_outer_major = view.column_operand.outer_major;
    problem.lanes = lanes_for(plan.domain, plan.accesses);
    while (view.columns % problem.lanes != 0) problem.lanes /= 2;  // columns of one group
    problem.products = plan.products;
    const std::vector<bool> is_input = read_by_inputs(plan.region);
    for (size_t i = 0; i < is_input.size(); ++i) {
        const Operand& operand = plan.region.operands[i];
        const int64_t moved = element_count(graph.value(operand.value).dims) * bytes_of(operand.type);
        (is_input[i] ? problem.operand_bytes : problem.epilogue_bytes) += static_cast<double>(moved);
    }
    return problem;
}

std::string microseconds(double seconds) {
    std::ostringstream text;
    text.precision(3);
    text << seconds * 1e6 << " us";
    return text.str();
}

/// "99 tiles fit: 128x128x32, …: 15.6 us; then 64x128x32, …: 17.1 us": the winner and what it beat.
Note tiles_considered(const std::vector<RankedTile>& tiles) {
    constexpr size_t kShown = 3;
    std::string text = std::to_string(tiles.size()) + " tiles fit: ";
    for (size_t i = 0; i < std::min(kShown, tiles.size()); ++i)
        text += (i == 0 ? "" : "; then ") + to_text(tiles[i].tile) + ": " + microseconds(tiles[i].cost.total);
    return {"TILES_CONSIDERED", text};
}

class ContractionFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "contraction"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        return is_contraction(region, context.graph);
    }

    Result<Emission> emit(const Region& region, const EmitContext& context) const override {
        ContractionPlan plan = plan_contraction(region, context);
        const std::vector<RankedTile> tiles = ranked(problem_of(plan, context.graph), context.target);
        const RankedTile& best = tiles[std::min(static_cast<size_t>(std::max(context.candidate, 0)), tiles.size() - 1)];
        plan.tile = best.tile;

        Emission emission;
        if (plan.tile.parts == 1) {
            TENON_ASSIGN(Step step, whole_step(plan, context));
            emission.steps.push_back(std::move(step));
        } else {
            TENON_ASSIGN(Step parts, parts_step(plan, context));
            TENON_ASSIGN(Step sum, sum_step(plan, context));
            sum.predicted_seconds = best.cost.parts;
            emission.steps = {std::move(parts), std::move(sum)};
            emission.scratch_bytes = {plan.points() * plan.tile.parts * bytes_of(plan.sum_type())};
        }
        Step& main = emission.steps.front();
        main.tile = to_text(plan.tile);
        main.flops = 2.0 * static_cast<double>(plan.points()) * static_cast<double>(plan.view.depth);
        main.predicted_seconds = best.cost.total - best.cost.parts;
        main.notes.push_back(tiles_considered(tiles));
        for (Step& step : emission.steps) step.family = name();
        return emission;
    }
};

}  // namespace

namespace {

ContractionInput input_text(const Region& region, int number, const std::string& role, const EmitContext& context) {
    ContractionInput input{.place = place_of_input(region, number), .constant = constant_name(role)};
    if (const Operand* plain = region.plain_input(static_cast<size_t>(number))) {
        input.argument = input.formula = plain->role;
        return input;
    }
    input.constant = constant_name(role + "_element");  // the role alone may name an operand of the body
    const Body& body = region.inputs[static_cast<size_t>(number)];
    const BodyText text =
        write_body(region, body, {}, accesses(region, body, {}), input.place.domain,
                   {.index = role + "_index", .relaxed = context.graph.numerics.relaxed, .returns = true}, "");
    const bool wide = needs_wide_offsets(input.place.domain, region, context.graph);
    input.argument = role + "_element";
    input.formula = text.formula;
    input.declarations = "\n" + domain_constant(input.place.domain, wide, input.constant + "Points");
    if (!text.declarations.empty())
        input.declarations += "\n" + text.declarations.substr(0, text.declarations.size() - 1);
    input.statements = "const auto " + input.argument + " = computed<" + std::string(device_type(input.place.type)) +
                       ", " + input.constant + "Points>([=](auto at) {\n" + indented(text.statements) + "\n});\n";
    return input;
}

}  // namespace

ContractionPlan plan_contraction(const Region& region, const EmitContext& context) {
    ContractionPlan plan{.region = region, .anchor = std::string(name_of(context.graph.node(region.anchor).op))};
    const bool is_matmul = plan.anchor == "matmul";
    const std::vector<std::string> roles = {is_matmul ? "a" : "x", is_matmul ? "b" : "w"};
    assign_roles(plan.region, roles);
    for (int i = 0; i < 2; ++i)
        plan.inputs.push_back(input_text(plan.region, i, roles[static_cast<size_t>(i)], context));
    plan.accesses = accesses(plan.region, plan.region.epilogue, plan.region.stores);
    plan.view = view_of(plan.region, context.graph);
    plan.domain = arrange(plan.region.epilogue.dims, plan.view.order, strides_of(plan.accesses));
    const DataType type = plan.inputs[0].place.type;
    plan.products = heuristics::best_products(static_cast<int>(bytes_of(type)), is_floating(type),
                                              type == DataType::BF16, context.graph.numerics.tf32, context.target);
    choose_chunks(plan.view, plan.region, plan.products == heuristics::Products::Matrix);
    return plan;
}

const KernelFamily& contraction_family() {
    static const ContractionFamily family;
    return family;
}

}  // namespace tenon::codegen
