#include "codegen/kernels/hopper/source.h"

#include <algorithm>
#include <limits>

#include "codegen/kernels/hopper/epilogue.h"
#include "codegen/kernels/hopper/product_region.h"
#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"
#include "heuristics/product_tile.h"

namespace tenon::codegen {
namespace {

using heuristics::ProductTile;

constexpr int kDepthBytes = 128;

std::string pair_text(const Dims& dims) { return "{" + std::to_string(dims[0]) + ", " + std::to_string(dims[1]) + "}"; }

int64_t blocks_of(const ProductRegion& product) {
    const int64_t depth = kDepthBytes / bytes_of(product.type);
    return (product.depth + depth - 1) / depth;
}

std::string shape_constant(const ProductRegion& product) {
    std::string text = "constexpr ProductShape kShape{\n    .rows = " + std::to_string(product.rows) +
                       ",\n    .columns = " + std::to_string(product.columns) +
                       ",\n    .blocks = " + std::to_string(blocks_of(product)) + ",\n";
    if (product.taps != Dims{1, 1}) text += "    .taps = " + pair_text(product.taps) + ",\n";
    if (product.is_windowed) {
        text += "    .is_windowed = true,\n    .image = " + pair_text(product.image) + ",\n";
        if (product.stride != Dims{1, 1}) text += "    .stride = " + pair_text(product.stride) + ",\n";
        if (product.dilation != Dims{1, 1}) text += "    .dilation = " + pair_text(product.dilation) + ",\n";
        if (product.pad != Dims{0, 0}) text += "    .pad = " + pair_text(product.pad) + ",\n";
    }
    if (product.columns_innermost) text += "    .columns_innermost = true,\n";
    return text + "};";
}

std::string tile_constant(const ProductTile& tile, bool dependent) {
    std::string text = "constexpr WarpgroupTile kTile{\n    .rows = " + std::to_string(tile.rows) +
                       ",\n    .columns = " + std::to_string(tile.columns) +
                       ",\n    .stages = " + std::to_string(tile.stages) +
                       ",\n    .consumers = " + std::to_string(tile.consumers) + ",\n";
    if (tile.persistent) text += "    .persistent = true,\n";
    if (tile.pingpong) text += "    .pingpong = true,\n";
    if (tile.split > 1) text += "    .split = " + std::to_string(tile.split) + ",\n";
    if (!tile.persistent) text += "    .lanes = " + std::to_string(tile.lanes) + ",\n";
    if (tile.panel_sets > 1) text += "    .panel_sets = " + std::to_string(tile.panel_sets) + ",\n";
    if (dependent) text += "    .dependent = true,\n";
    return text + "    .threads = " + std::to_string(tile.threads) + ",\n};";
}

/// Tensor maps of the parameters that are passed as such, by operand.
std::map<int, TensorMapShape> maps_of(const Region& region, const ProductRegion& product,
                                      const ProductEpilogue& epilogue, const ProductTile& tile) {
    const auto depth = static_cast<uint32_t>(kDepthBytes / bytes_of(product.type));
    const auto rows = static_cast<uint32_t>(tile.rows), columns = static_cast<uint32_t>(tile.columns);
    TensorMapShape row_map = product.row_map, column_map = product.column_map;
    if (row_map.is_im2col) {
        row_map.channels_per_pixel = depth;
        row_map.pixels_per_column = rows;
    } else {
        row_map.box = {depth, rows};
    }
    column_map.box =
        product.columns_innermost ? std::vector<uint32_t>{64, depth} : std::vector<uint32_t>{depth, 1, columns};
    std::map<int, TensorMapShape> maps;
    maps[region.inputs[0].terms.back().operand] = row_map;
    maps[region.inputs[1].terms.back().operand] = column_map;
    if (tile.staged) {
        for (const int operand : {epilogue.result, epilogue.operand}) {
            if (operand >= 0)
                maps[operand] = panel_map(region.operands[static_cast<size_t>(operand)], product.rows, product.columns,
                                          tile.columns);
        }
    }
    return maps;
}

std::string kernel_body(const Region& region, const ProductRegion& product, const ProductEpilogue& epilogue,
                        const ProductTile& tile, const std::string& statements) {
    const auto role = [&](int operand) { return region.operands[static_cast<size_t>(operand)].role; };
    const std::string type(device_type(product.type == DataType::F32 ? DataType::F32 : product.type));
    const std::string factor = product.type == DataType::F32 ? "tf32" : type;
    std::string staging, parameters = "auto at, auto value";
    if (tile.persistent && tile.staged) {
        const std::string element(device_type(region.operands[static_cast<size_t>(epilogue.result)].type));
        const std::string result = role(epilogue.result);
        staging = "StagedStore<" + element + ">{&" + result + "}, ";
        if (epilogue.operand >= 0) {
            staging = "StagedUpdate<" + element + ">{&" + role(epilogue.operand) + ", &" + result + "}, ";
            parameters += ", auto " + role(epilogue.operand);
        }
        parameters += ", auto " + result;
    } else if (tile.persistent) {
        staging = "Unstaged{}, ";
    } else if (epilogue.is_only_result) {
        const Operand& y = region.operands[static_cast<size_t>(epilogue.result)];
        staging = "OnlyResult<" + std::string(device_type(y.type)) + ">{" + y.role + "}, ";
        parameters += ", auto " + y.role;
    } else {
        staging = "OwnResults{}, ";
    }
    return std::string(tile.persistent ? "product_tiles" : "product_parts") + "<kOutput, kShape, kTile, " + factor +
           ">(Factors{&" + role(region.inputs[0].terms.back().operand) + ", &" +
           role(region.inputs[1].terms.back().operand) + "}, " + staging + "[=](" + parameters + ") {\n" +
           indented(statements) + "\n});";
}

std::vector<ProductTile> rank(const Region& region, const ProductRegion& product, const ProductEpilogue& epilogue,
                              double memory_bytes, const Target& target) {
    heuristics::Product problem;
    problem.rows = product.rows;
    problem.columns = product.columns;
    problem.depth_blocks = blocks_of(product) * product.taps[0] * product.taps[1];
    problem.output_bytes =
        static_cast<int>(bytes_of(region.operands[static_cast<size_t>(region.stores.front().operand)].type));
    problem.memory_bytes = memory_bytes;
    problem.can_stage = epilogue.result >= 0;
    problem.has_staged_operand = epilogue.operand >= 0;
    problem.columns_innermost = product.columns_innermost;
    problem.epilogue_lanes = epilogue.lanes;
    return heuristics::rank_product_tiles(problem, target);
}

class HopperFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "hopper"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        ProductRegion product;
        const Verdict verdict = read_product(region, context, product);
        if (!verdict) return verdict;
        if (!region.anchor_stores.empty()) return Verdict::no("SECOND_RESULT", "the anchor has more than one result");
        const ProductEpilogue epilogue = read_epilogue(region);
        if (epilogue.domain.columns != Dims{product.columns} || epilogue.domain.row_count() != product.rows)
            return Verdict::no("RESULT_NOT_CHANNELS_LAST", "the result does not have its channels innermost");
        if (epilogue.lanes < 2)
            return Verdict::no("ODD_COLUMNS", "the epilogue cannot take two neighbouring columns at once");
        return Verdict::yes();
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        ProductRegion product;
        if (const Verdict verdict = read_product(region, context, product); !verdict)
            return Status(ErrorCode::Unsupported, verdict.reason());
        part_factors(region);
        assign_roles(region, product.roles);
        const ProductEpilogue epilogue = read_epilogue(region);
        const std::string formula = product.function + "(" + product.roles[0] + ", " + product.roles[1] + ")";
        const BodyText body = write_body(region, region.epilogue, region.stores, epilogue.list, epilogue.domain,
                                         {.column_word = product.function == "conv" ? "per_channel" : "per_column",
                                          .relaxed = context.graph.numerics.relaxed},
                                         formula);
        Step step;
        describe(step, region, context.graph, body.formula);
        const std::vector<ProductTile> ranked = rank(region, product, epilogue, step.bytes_moved, context.target);
        if (ranked.empty()) return Status(ErrorCode::Unsupported, "no tile fits " + context.target.name);
        const ProductTile& tile =
            ranked[std::min(static_cast<size_t>(std::max(context.candidate, 0)), ranked.size() - 1)];
        const bool dependent = may_start_early(region, context.graph);

        KernelPage page;
        page.stem = stem_of(product.function, region);
        page.formula = body.formula;
        page.includes = {tile.persistent ? "tenon/hopper/tiles.cuh" : "tenon/hopper/parts.cuh"};
        page.constants = domain_constant(epilogue.domain, needs_wide_offsets(epilogue.domain, region, context.graph)) +
                         "\n" + shape_constant(product) + "\n" + tile_constant(tile, dependent);
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.body = kernel_body(region, product, epilogue, tile, body.statements);
        page.bounds = "kTile.threads, 1";
        page.maps = maps_of(region, product, epilogue, tile);
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        align(step.kernel, epilogue, tile);
        step.kernel.arguments[static_cast<size_t>(region.inputs[1].terms.back().operand)].is_early = dependent;
        set_launch(step.kernel.launch, product, tile, context.target, dependent);
        step.family = name();
        step.tile = heuristics::to_text(tile);
        step.flops = 2.0 * static_cast<double>(product.rows * product.columns * product.depth) *
                     static_cast<double>(product.taps[0] * product.taps[1]);
        step.predicted_seconds = tile.seconds;
        return Emission(std::move(step));
    }

  private:
    /// The kernel loads its second factor before the kernel in front of it has ended, so no kernel may write that one.
    static bool may_start_early(const Region& region, const GraphData& graph) {
        const Operand& second = *region.plain_input(1);
        return graph.value(second.root).kind != ValueKind::Computed;
    }

    static void align(KernelSource& kernel, const ProductEpilogue& epilogue, const ProductTile& tile) {
        for (KernelArgument& argument : kernel.arguments) {
            if (argument.kind == KernelArgument::Kind::TensorMap) argument.alignment = 16;
        }
        align_epilogue(kernel, epilogue, tile.persistent ? 2 : tile.lanes);
    }

    static void set_launch(LaunchShape& launch, const ProductRegion& product, const ProductTile& tile,
                           const Target& target, bool dependent) {
        const int64_t row_tiles = (product.rows + tile.rows - 1) / tile.rows;
        const int64_t column_tiles = (product.columns + tile.columns - 1) / tile.columns;
        const int64_t tiles = row_tiles * column_tiles;
        const int64_t blocks = tile.persistent ? std::min<int64_t>(tiles, target.multiprocessors) : tiles * tile.split;
        launch.grid = {static_cast<uint32_t>(blocks), 1, 1};
        launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
        launch.cluster = {static_cast<uint32_t>(tile.split), 1, 1};
        launch.shared_bytes = static_cast<uint32_t>(tile.shared_bytes);
        launch.dependent = dependent;
    }
};

}  // namespace

double best_product_seconds(const Region& region, const EmitContext& context, const ProductRegion& product,
                            const ProductEpilogue& epilogue) {
    Step facts;
    describe(facts, region, context.graph, "");
    const std::vector<ProductTile> ranked = rank(region, product, epilogue, facts.bytes_moved, context.target);
    return ranked.empty() ? std::numeric_limits<double>::infinity() : ranked.front().seconds;
}

const KernelFamily& hopper_family() {
    static const HopperFamily family;
    return family;
}

}  // namespace tenon::codegen
