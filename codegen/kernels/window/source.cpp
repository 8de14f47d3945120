#include "codegen/kernels/window/source.h"

#include <algorithm>

#include "codegen/kernels/window/window_region.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// The words of a kernel page that depend on what slides.
struct Words {
    std::string function, include, name, arguments;
};

/// `image` is "x", or what computes its elements and their domain.
Words words_of(const WindowRegion& window, bool with_position) {
    const std::string domains = window.is_computed ? "kImage, kOutput" : "kOutput";
    const std::string image = window.is_computed ? "element" : "x";
    switch (window.kind) {
        case WindowKind::Depthwise:
            return {"depthwise<kWindow, kFilter, " + domains + ", kTile>", "tenon/depthwise.cuh", "depthwise",
                    image + ", w"};
        case WindowKind::MaxPool:
            return {std::string(with_position ? "max_pool_with_position" : "max_pool") + "<kWindow, " + domains +
                        ", kTile>",
                    "tenon/window_pool.cuh", "max_pool", image};
        case WindowKind::Grouped:
        case WindowKind::AveragePool:
            break;
    }
    return {"average_pool<kWindow, " + domains + ", kTile, " + (window.count_padding ? "true" : "false") + ">",
            "tenon/window_pool.cuh", "average_pool", image};
}

std::string tile_constant(const WindowRegion& window, const heuristics::WindowTile& tile, int run) {
    return std::string("constexpr WindowTile kTile{\n    .lanes_are_columns = ") +
           (window.lanes_are_columns ? "true" : "false") + ",\n    .lanes = " + std::to_string(tile.lanes) +
           ",\n    .columns = " + std::to_string(tile.columns) + ",\n    .rows = " + std::to_string(tile.rows) +
           ",\n    .run = " + std::to_string(run) + ",\n    .rolled = " + (tile.rolled ? "true" : "false") +
           ",\n    .threads = " + std::to_string(tile.threads) + ",\n    .blocks = " + std::to_string(tile.blocks) +
           ",\n};";
}

std::string strides_constant(const std::string& role, const DomainStrides& strides) {
    const auto list = [](const Dims& dims) {
        std::string text;
        for (const int64_t stride : dims) text += (text.empty() ? "" : ", ") + std::to_string(stride);
        return "{" + text + "}";
    };
    return "constexpr Strides " + constant_name(role) + "{" +
           (strides.row.empty() ? "" : ".row = " + list(strides.row) + ", ") + ".column = " + list(strides.column) +
           "};";
}

/// How an image that is computed on its way in is written down; nothing for one in memory.
struct ImageText {
    std::string constants;   ///< Each line with a break behind it.
    std::string statements;  ///< In front of the walk, with a break at the end.
    std::string formula = "x";
    int most_lanes = 16;
    std::vector<int> vectors;  ///< Operands it reads in whole lanes.

    void align(KernelSource& kernel, int lanes) const {
        for (const int operand : vectors) {
            KernelArgument& argument = kernel.arguments[static_cast<size_t>(operand)];
            argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, lanes * bytes_of(argument.type)));
        }
    }
};

ImageText image_text(const Region& region, const WindowRegion& window, const GraphData& graph) {
    ImageText text;
    if (!window.is_computed) return text;
    const Body& input = region.inputs[0];
    const std::vector<Access> list = accesses(region, input, {});
    AxisOrder order;  // the same kind of columns as the output has
    const int column = window.lanes_are_columns ? static_cast<int>(input.dims.size()) - 1 : 1;
    for (int axis = 0; axis < static_cast<int>(input.dims.size()); ++axis)
        (axis == column ? order.columns : order.rows).push_back(axis);
    const Domain domain = arrange(input.dims, order, strides_of(list));
    const BodyText body = write_body(region, input, {}, list, domain,
                                     {.index = "x_index",
                                      .column_word = window.lanes_are_columns ? "per_column" : "per_channel",
                                      .relaxed = graph.numerics.relaxed,
                                      .returns = true},
                                     "");
    text.constants =
        domain_constant(domain, needs_wide_offsets(domain, region, graph), "kImage") + "\n" + body.declarations;
    text.statements = "const auto element = [=](auto at) {\n" + indented(body.statements) + "\n};\n";
    text.formula = body.formula;
    if (!window.lanes_are_columns) text.most_lanes = lanes_for(domain, list);
    for (size_t i = 0; i < list.size(); ++i) {
        if (list[i].operand >= 0 && !window.lanes_are_columns && domain.strides[i].column.back() == 1)
            text.vectors.push_back(list[i].operand);
    }
    return text;
}

class WindowFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "window"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        WindowRegion window;
        return view_window(region, context.graph, window);
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        assign_roles(region, {"x", "w"});
        WindowRegion window;
        const Verdict verdict = view_window(region, context.graph, window);
        if (!verdict) return Status(ErrorCode::Unsupported, verdict.reason());

        const std::vector<Access> list = accesses(region, region.epilogue, region.stores);
        const std::vector<Access> extra = further_results(region);
        std::vector<Dims> strides = strides_of(list);
        for (const Access& access : extra) strides.push_back(access.strides);
        const Dims& order = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
        const Domain domain = arrange(region.epilogue.dims, image_order(region.epilogue.dims, order), strides);

        Step step;
        step.family = name();
        heuristics::WindowProblem problem = problem_of(window, region);
        const ImageText image = image_text(region, window, context.graph);
        problem.most_lanes = std::min(most_lanes(window, domain, list, extra), image.most_lanes);
        const Words words = words_of(window, !extra.empty());
        const BodyText body = write_body(region, region.epilogue, region.stores, list, domain,
                                         {.column_word = window.lanes_are_columns ? "per_column" : "per_channel",
                                          .relaxed = context.graph.numerics.relaxed},
                                         words.name + "(" + image.formula + (window.w != nullptr ? ", w)" : ")"));
        describe(step, region, context.graph, body.formula);
        problem.bytes_moved = step.bytes_moved;
        const std::vector<heuristics::WindowTile> tiles = heuristics::ranked(problem, context.target);
        const heuristics::WindowTile& tile =
            tiles[std::min<size_t>(static_cast<size_t>(context.candidate), tiles.size() - 1)];

        KernelPage page = page_of(region, window, tile, words, body);
        page.constants = domain_constant(domain, needs_wide_offsets(domain, region, context.graph)) + "\n" +
                         image.constants + page.constants;
        std::string statements = body.statements;
        if (!extra.empty()) {
            const std::string& role = region.operands[static_cast<size_t>(extra.front().operand)].role;
            page.constants += "\n" + strides_constant(role, domain.strides[list.size()]);
            statements = "store_strided<" + constant_name(role) + ">(" + role + ", at, position);\n" + statements;
        }
        page.body = image.statements + words.function + "(" + words.arguments + ", [=](auto at, auto value" +
                    (extra.empty() ? "" : ", auto position") + ") {\n" + indented(statements) + "\n});";
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));

        align(step.kernel, region, window, tile, domain, list, extra);
        image.align(step.kernel, tile.lanes);
        step.kernel.launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
        step.kernel.launch.grid = {block_count(window, tile), 1, 1};
        step.tile = heuristics::to_text(problem, tile);
        const int64_t taps = window.axes.window[0] * window.axes.window[1] * window.axes.window[2];
        step.flops = static_cast<double>(element_count(region.epilogue.dims) * taps) *
                     (window.kind == WindowKind::Depthwise ? 2.0 : 1.0);
        step.predicted_seconds = tile.seconds;
        return Emission(std::move(step));
    }

  private:
    /// Positions of maxima, as accesses of the epilogue's domain.
    static std::vector<Access> further_results(const Region& region) {
        std::vector<Access> result;
        for (const Store& store : region.anchor_stores) {
            const Operand& operand = region.operands[static_cast<size_t>(store.operand)];
            result.push_back({-1, store.operand, operand.strides, operand.type, operand.offset});
        }
        return result;
    }

    static KernelPage page_of(const Region& region, const WindowRegion& window, const heuristics::WindowTile& tile,
                              const Words& words, const BodyText& body) {
        KernelPage page;
        page.stem = stem_of(words.name, region);
        page.formula = body.formula;
        page.includes = {words.include};
        page.bounds = "kTile.threads, kTile.blocks";
        page.constants = shape_constant(window);
        if (window.w != nullptr) page.constants += "\n" + filter_constant(window, weight_access(window, tile));
        page.constants += "\n" + tile_constant(window, tile, columns_per_access(window, tile));
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        return page;
    }

    static uint32_t block_count(const WindowRegion& window, const heuristics::WindowTile& tile) {
        const auto pieces = [](int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; };
        const int64_t channels = window.lanes_are_columns ? window.channels : window.channels / tile.lanes;
        const int64_t width = tile.columns * (window.lanes_are_columns ? tile.lanes : 1);
        const int64_t threads = window.batch * channels * window.axes.output[0] *
                                pieces(window.axes.output[1], tile.rows) * pieces(window.axes.output[2], width);
        return static_cast<uint32_t>(pieces(threads, tile.threads));
    }

    /// What the vector accesses ask of the pointers.
    static void align(KernelSource& kernel, const Region& region, const WindowRegion& window,
                      const heuristics::WindowTile& tile, const Domain& domain, const std::vector<Access>& list,
                      const std::vector<Access>& extra) {
        const auto need = [&](int operand, int elements) {
            KernelArgument& argument = kernel.arguments[static_cast<size_t>(operand)];
            argument.alignment =
                std::max(argument.alignment, std::min<int64_t>(16, elements * bytes_of(argument.type)));
        };
        for (size_t i = 0; i < list.size() + extra.size(); ++i) {
            const int operand = i < list.size() ? list[i].operand : extra[i - list.size()].operand;
            if (operand >= 0 && domain.strides[i].column.back() == 1) need(operand, tile.lanes);
        }
        const auto index = [&](const Operand* operand) { return static_cast<int>(operand - region.operands.data()); };
        if (!window.is_computed)
            need(index(window.x), window.lanes_are_columns ? columns_per_access(window, tile)
                                  : window.x_strides.channel == 1 && window.outputs_per_channel == 1 ? tile.lanes
                                                                                                     : 1);
        if (window.w != nullptr) need(index(window.w), weight_access(window, tile).run);
    }
};

}  // namespace

const KernelFamily& window_family() {
    static const WindowFamily family;
    return family;
}

}  // namespace tenon::codegen
