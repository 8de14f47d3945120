#include "codegen/kernels/grouped/source.h"

#include <algorithm>

#include "codegen/kernels/window/window_region.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/literal.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"
#include "heuristics/grouped_tile.h"

namespace tenon::codegen {
namespace {

/// Everything that decides how the region is computed.
struct Plan {
    WindowRegion window;
    std::vector<Access> list;
    Domain domain;
    int64_t groups = 1;
    int channels = 1, filters = 1;  ///< Of one group.
    heuristics::GroupedTile tile;
};

/// Channels that one aligned copy of at most 16 bytes may move, 1 if x does not allow pairs.
int channels_per_copy(const WindowRegion& window, int channels) {
    const auto divides = [&](int64_t stride, int copy) { return stride % copy == 0; };
    int copy = 8;
    const ImageAxes& x = window.x_strides;
    while (copy > 1 && !(divides(channels, copy) && divides(x.batch, copy) && divides(x.spatial[1], copy) &&
                         divides(x.spatial[2], copy) && divides(window.x->offset, copy))) {
        copy /= 2;
    }
    return copy;
}

/// Whether two neighbouring channels of a filter are one aligned word.
bool filters_in_pairs(const WindowRegion& window) {
    const ImageAxes& w = window.w_strides;
    return w.channel == 1 && w.batch % 2 == 0 && w.spatial[1] % 2 == 0 && w.spatial[2] % 2 == 0 &&
           window.w->offset % 2 == 0;
}

Verdict plan_region(const Region& region, const EmitContext& context, Plan& plan) {
    const Verdict verdict = view_grouped_conv(region, context.graph, plan.window);
    if (!verdict) return verdict;
    const WindowRegion& window = plan.window;
    if (context.target.compute_capability < 80)
        return Verdict::no("NO_PRODUCT_OF_16", "products over 16 channels need sm_80");
    if (window.x->type == DataType::F32 || window.w->type != window.x->type)
        return Verdict::no("OTHER_TYPE", "tensor cores need x and w in f16 or in bf16");
    if (window.axes.window[0] != 1 || window.axes.image[0] != 1)
        return Verdict::no("DEEP_WINDOW", "windows over depth need another kernel");
    if (window.lanes_are_columns || window.x_strides.channel != 1)
        return Verdict::no("CHANNELS_NOT_INNERMOST", "channels of x and y must be innermost");
    plan.groups = std::get<Conv>(context.graph.node(region.anchor).op).groups;
    plan.channels = static_cast<int>(region.inputs[1].dims[1]);
    plan.filters = static_cast<int>(window.channels / plan.groups);
    const int copy = channels_per_copy(window, plan.channels);
    plan.list = accesses(region, region.epilogue, region.stores);
    const Dims& order = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
    plan.domain = arrange(region.epilogue.dims, image_order(region.epilogue.dims, order), strides_of(plan.list));
    if (plan.channels % 2 != 0 || plan.filters % 2 != 0 || copy < 2 || lanes_for(plan.domain, plan.list) < 2)
        return Verdict::no("NOT_IN_PAIRS", "channels are handled in aligned pairs");
    heuristics::GroupedProblem problem{.batch = window.batch,
                                       .groups = plan.groups,
                                       .channels = plan.channels,
                                       .filters = plan.filters,
                                       .output = {window.axes.output[1], window.axes.output[2]},
                                       .window = {window.axes.window[1], window.axes.window[2]},
                                       .stride = {window.axes.stride[1], window.axes.stride[2]},
                                       .dilation = {window.axes.dilation[1], window.axes.dilation[2]},
                                       .copy = copy};
    for (const Operand& operand : region.operands) {
        problem.bytes_moved +=
            static_cast<double>(element_count(context.graph.value(operand.value).dims) * bytes_of(operand.type));
    }
    const std::vector<heuristics::GroupedTile> tiles = heuristics::ranked(problem, context.target);
    if (tiles.empty()) return Verdict::no("LARGE_GROUPS", "the filters of a group do not fit the registers of a warp");
    plan.tile = tiles[std::min<size_t>(static_cast<size_t>(context.candidate), tiles.size() - 1)];
    return Verdict::yes();
}

std::string filter_constant(const Plan& plan) {
    const ImageAxes& w = plan.window.w_strides;
    return "constexpr GroupedFilter kFilter{\n    .channels = " + std::to_string(plan.channels) +
           ",\n    .filters = " + std::to_string(plan.filters) + ",\n    .filter = " + integer_literal(w.batch) +
           ",\n    .channel = " + integer_literal(w.channel) + ",\n    .spatial = {" + integer_literal(w.spatial[1]) +
           ", " + integer_literal(w.spatial[2]) +
           "},\n    .in_pairs = " + (filters_in_pairs(plan.window) ? "true" : "false") + ",\n};";
}

std::string tile_constant(const heuristics::GroupedTile& tile) {
    const auto line = [](const char* name, int value) {
        return std::string("    .") + name + " = " + std::to_string(value) + ",\n";
    };
    return "constexpr GroupedTile kTile{\n" + line("rows", tile.rows) + line("columns", tile.columns) +
           line("groups", tile.groups) + line("share", tile.share) + line("slices", tile.slices) +
           line("copy", tile.copy) + line("threads", tile.threads) + line("blocks", tile.blocks) + "};";
}

class GroupedFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "grouped"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        Plan plan;
        return plan_region(region, context, plan);
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        assign_roles(region, {"x", "w"});
        Plan plan;
        const Verdict verdict = plan_region(region, context, plan);
        if (!verdict) return Status(ErrorCode::Unsupported, verdict.reason());
        const BodyText body =
            write_body(region, region.epilogue, region.stores, plan.list, plan.domain,
                       {.column_word = "per_channel", .relaxed = context.graph.numerics.relaxed}, "grouped_conv(x, w)");

        KernelPage page;
        page.stem = stem_of("grouped_conv", region);
        page.formula = body.formula;
        page.includes = {"tenon/grouped.cuh"};
        page.bounds = "kTile.threads, kTile.blocks";
        page.constants = domain_constant(plan.domain, needs_wide_offsets(plan.domain, region, context.graph)) + "\n" +
                         shape_constant(plan.window) + "\n" + filter_constant(plan) + "\n" + tile_constant(plan.tile);
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.body = "grouped_conv<kWindow, kFilter, kOutput, kTile>(x, w, [=](auto at, auto value) {\n" +
                    indented(body.statements) + "\n});";

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        fill_launch(step.kernel, region, plan);
        step.family = name();
        step.tile = heuristics::to_text(plan.tile);
        step.flops = 2.0 * static_cast<double>(element_count(region.epilogue.dims) * plan.channels *
                                               plan.window.axes.window[1] * plan.window.axes.window[2]);
        describe(step, region, context.graph, body.formula);
        step.predicted_seconds = plan.tile.seconds;
        return Emission(std::move(step));
    }

  private:
    static void fill_launch(KernelSource& kernel, const Region& region, const Plan& plan) {
        const auto pieces = [](int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; };
        const heuristics::GroupedTile& tile = plan.tile;
        const int64_t blocks = plan.window.batch * pieces(plan.groups, tile.groups) *
                               pieces(plan.window.axes.output[1], tile.rows) *
                               pieces(plan.window.axes.output[2], tile.columns);
        kernel.launch.grid = {static_cast<uint32_t>(blocks), 1, 1};
        kernel.launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
        kernel.launch.shared_bytes = static_cast<uint32_t>(tile.shared_bytes);
        const auto need = [&](int operand, int elements) {
            KernelArgument& argument = kernel.arguments[static_cast<size_t>(operand)];
            argument.alignment = std::max(argument.alignment, elements * bytes_of(argument.type));
        };
        for (size_t i = 0; i < plan.list.size(); ++i) {
            if (plan.list[i].operand >= 0 && plan.domain.strides[i].column.back() == 1) need(plan.list[i].operand, 2);
        }
        need(static_cast<int>(plan.window.x - region.operands.data()), tile.copy);
        if (filters_in_pairs(plan.window)) need(static_cast<int>(plan.window.w - region.operands.data()), 2);
    }
};

}  // namespace

const KernelFamily& grouped_family() {
    static const GroupedFamily family;
    return family;
}

}  // namespace tenon::codegen
