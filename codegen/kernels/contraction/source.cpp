#include "codegen/kernels/contraction/source.h"

#include <algorithm>
#include <sstream>

#include "codegen/kernels/contraction/view.h"
#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"
#include "heuristics/contraction.h"

namespace tenon::codegen {
namespace {

using heuristics::ContractionProblem;
using heuristics::ContractionTile;
using heuristics::Products;
using heuristics::RankedTile;

const Operand& operand_of(const Region& region, const OperandView& view) {
    return *region.plain_input(static_cast<size_t>(view.input));
}

/// Columns the epilogue can take at a time: 16 bytes of what it moves for every element. What is the same in all rows
/// may take several accesses.
int epilogue_lanes(const Domain& domain, std::vector<Access> list) {
    for (size_t i = 0; i < list.size(); ++i) {
        const Dims& row = domain.strides[i].row;
        const bool still = std::all_of(row.begin(), row.end(), [](int64_t stride) { return stride == 0; });
        if (still && domain.row_count() > 1 && bytes_of(list[i].type) > 2) list[i].type = DataType::F16;
    }
    return lanes_for(domain, list);
}

double bytes_of_operand(const Operand& operand, const GraphData& graph) {
    return static_cast<double>(element_count(graph.value(operand.value).dims) * bytes_of(operand.type));
}

ContractionProblem problem_of(const Region& region, const ContractionView& view, int lanes, Products products,
                              const GraphData& graph) {
    const int bytes = static_cast<int>(bytes_of(operand_of(region, view.row_operand).type));
    ContractionProblem problem{view.batch, view.rows, view.columns, view.depth};
    problem.element_bytes = bytes;
    problem.row_chunk_bytes = view.row_operand.chunk * bytes;
    problem.column_chunk_bytes = view.column_operand.chunk * bytes;
    problem.row_outer_major = view.row_operand.outer_major;
    problem.column_outer_major = view.column_operand.outer_major;
    problem.lanes = lanes;
    problem.products = products;
    for (const Operand& operand : region.operands) {
        const bool is_input = &operand == region.plain_input(0) || &operand == region.plain_input(1);
        (is_input ? problem.operand_bytes : problem.epilogue_bytes) += bytes_of_operand(operand, graph);
    }
    return problem;
}

std::string anchor_constant(const ContractionView& view) {
    std::string text = "constexpr Contraction kAnchor{\n    .batch = " + std::to_string(view.batch) +
                       ", .rows = " + std::to_string(view.rows) + ", .columns = " + std::to_string(view.columns) +
                       ", .depth = " + std::to_string(view.depth);
    if (view.batch > 1 && view.batch_along_columns) text += ", .batch_along_columns = true";
    return text + ",\n};";
}

std::string tile_constant(const ContractionTile& tile, Products products) {
    std::ostringstream text;
    text << "constexpr ContractionTile kTile{\n    .rows = " << tile.rows << ", .columns = " << tile.columns
         << ", .depth = " << tile.depth << ", .stages = " << tile.stages << ",\n    .warp_rows = " << tile.warp_rows
         << ", .warp_columns = " << tile.warp_columns << ", .split = " << tile.split
         << ", .threads = " << tile.threads() << ",\n    .lanes = " << tile.lanes << ", .band = " << tile.band
         << ", .asynchronous = " << (tile.asynchronous ? "true" : "false")
         << ", .products = Products::" << to_string(products) << ",\n};";
    return text.str();
}

std::string microseconds(double seconds) {
    std::ostringstream text;
    text.precision(3);
    text << seconds * 1e6 << " us";
    return text.str();
}

/// "128x128x32, …: 15.6 us; then 64x128x32, …: 17.1 us": the winner and what it beat.
Note tiles_considered(const std::vector<RankedTile>& tiles) {
    constexpr size_t kShown = 3;
    std::string text = std::to_string(tiles.size()) + " tiles fit: ";
    for (size_t i = 0; i < std::min(kShown, tiles.size()); ++i)
        text += (i == 0 ? "" : "; then ") + to_text(tiles[i].tile) + ": " + microseconds(tiles[i].cost.total);
    return {"TILES_CONSIDERED", text};
}

std::string indented(const std::string& text) {
    std::string out = "    ";
    for (const char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return out;
}

class ContractionFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "contraction"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        return is_contraction(region, context.graph);
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        const std::string anchor(name_of(context.graph.node(region.anchor).op));
        const bool is_matmul = anchor == "matmul";
        assign_roles(region, is_matmul ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"x", "w"});
        const std::vector<Access> list = accesses(region, region.epilogue, region.stores);
        ContractionView view = view_of(region, context.graph);
        const Domain domain = arrange(region.epilogue.dims, view.order, strides_of(list));
        const DataType type = region.plain_input(0)->type;
        const Products products =
            heuristics::best_products(static_cast<int>(bytes_of(type)), is_floating(type), type == DataType::BF16,
                                      context.graph.numerics.tf32, context.target);
        choose_chunks(view, region, products == Products::Matrix);
        const std::vector<RankedTile> tiles =
            ranked(problem_of(region, view, epilogue_lanes(domain, list), products, context.graph), context.target);
        const ContractionTile& tile = tiles.front().tile;

        Step step;
        const BodyText body = body_text(region, view, list, domain, anchor, context);
        TENON_ASSIGN(step.kernel, page(region, view, domain, body, tile, products, anchor, context));
        set_alignment(step.kernel, region, view, list, domain, tile.lanes);
        const ContractionProblem problem{view.batch, view.rows, view.columns, view.depth};
        step.kernel.launch.block = {static_cast<uint32_t>(tile.threads()), 1, 1};
        step.kernel.launch.grid = {static_cast<uint32_t>(tile.blocks(problem)), 1, 1};
        step.kernel.launch.shared_bytes = static_cast<uint32_t>(tile.shared_bytes(static_cast<int>(bytes_of(type))));
        step.family = name();
        step.tile = to_text(tile);
        step.flops = problem.flops();
        describe(step, region, context.graph, body.formula);
        step.notes.push_back(tiles_considered(tiles));
        step.predicted_seconds = tiles.front().cost.total;
        return Emission(std::move(step));
    }

  private:
    static BodyText body_text(const Region& region, const ContractionView& view, const std::vector<Access>& list,
                              const Domain& domain, const std::string& anchor, const EmitContext& context) {
        const std::string formula =
            anchor + "(" + region.plain_input(0)->role + ", " + region.plain_input(1)->role + ")";
        const BodyStyle style{.column_word = view.columns_are_channels ? "per_channel" : "per_column",
                              .relaxed = context.graph.numerics.relaxed};
        return write_body(region, region.epilogue, region.stores, list, domain, style, formula);
    }

    static Result<KernelSource> page(const Region& region, const ContractionView& view, const Domain& domain,
                                     const BodyText& body, const ContractionTile& tile, Products products,
                                     const std::string& anchor, const EmitContext& context) {
        const std::string& rows = operand_of(region, view.row_operand).role;
        const std::string& columns = operand_of(region, view.column_operand).role;
        KernelPage page;
        page.stem = stem_of(anchor, region);
        page.formula = body.formula;
        page.includes = {"tenon/contraction.cuh"};
        page.constants = domain_constant(domain, needs_wide_offsets(domain, region, context.graph)) + "\n" +
                         anchor_constant(view) + "\n" + operand_constant(constant_name(rows), view.row_operand) + "\n" +
                         operand_constant(constant_name(columns), view.column_operand) + "\n" +
                         tile_constant(tile, products);
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        const bool converts = is_converted(region);
        std::string statements = body.statements;
        if (converts)
            statements = "auto value = cast<" + std::string(device_type(region.epilogue.terms[0].type)) + ">(sum);\n" +
                         statements;
        page.body = "contract<kOutput, kAnchor, " + constant_name(rows) + ", " + constant_name(columns) + ", kTile>(" +
                    rows + ", " + columns + ", [=](auto at, auto " + (converts ? "sum" : "value") + ") {\n" +
                    indented(statements) + "\n});";
        return write_page(page, region, context.graph, context.target);
    }

    /// Whether the declared type of the result is not computed in the type of the sums.
    static bool is_converted(const Region& region) {
        const DataType from = region.plain_input(0)->type, to = region.epilogue.terms[0].type;
        const bool sums_are_floats = is_floating(from);
        if (sums_are_floats) return !is_floating(to) || to == DataType::F64;
        return to != DataType::I32;
    }

    /// Whole chunks and whole lanes need pointers that are aligned to them.
    static void set_alignment(KernelSource& kernel, const Region& region, const ContractionView& view,
                              const std::vector<Access>& list, const Domain& domain, int lanes) {
        for (const OperandView* operand : {&view.row_operand, &view.column_operand}) {
            const auto index = &operand_of(region, *operand) - region.operands.data();
            kernel.arguments[static_cast<size_t>(index)].alignment *= operand->chunk;
        }
        for (size_t i = 0; i < list.size(); ++i) {
            if (list[i].operand < 0 || domain.strides[i].column.back() != 1) continue;
            KernelArgument& argument = kernel.arguments[static_cast<size_t>(list[i].operand)];
            argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * lanes));
        }
    }
};

}  // namespace

const KernelFamily& contraction_family() {
    static const ContractionFamily family;
    return family;
}

}  // namespace tenon::codegen
