#include "codegen/kernels/window/source.h"

#include <algorithm>

#include "codegen/kernels/window/window_region.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// The words of a kernel page that depend on what slides.
struct Words {
    std::string function, include, formula, arguments;
};

Words words_of(const WindowRegion& window, bool with_position) {
    switch (window.kind) {
        case WindowKind::Depthwise:
            return {"depthwise<kWindow, kFilter, kOutput, kTile>", "tenon/depthwise.cuh", "depthwise(x, w)", "x, w"};
        case WindowKind::MaxPool:
            return {std::string(with_position ? "max_pool_with_position" : "max_pool") + "<kWindow, kOutput, kTile>",
                    "tenon/window_pool.cuh", "max_pool(x)", "x"};
        case WindowKind::AveragePool:
            break;
    }
    return {std::string("average_pool<kWindow, kOutput, kTile, ") + (window.count_padding ? "true" : "false") + ">",
            "tenon/window_pool.cuh", "average_pool(x)", "x"};
}

std::string stem_word(WindowKind kind) {
    return kind == WindowKind::Depthwise ? "depthwise" : kind == WindowKind::MaxPool ? "max_pool" : "average_pool";
}

std::string tile_constant(const WindowRegion& window, const heuristics::WindowTile& tile, int run) {
    return std::string("constexpr WindowTile kTile{\n    .lanes_are_columns = ") +
           (window.lanes_are_columns ? "true" : "false") + ",\n    .lanes = " + std::to_string(tile.lanes) +
           ",\n    .columns = " + std::to_string(tile.columns) + ",\n    .rows = " + std::to_string(tile.rows) +
           ",\n    .run = " + std::to_string(run) + ",\n    .rolled = " + (tile.rolled ? "true" : "false") +
           ",\n    .threads = " + std::to_string(tile.threads) + ",\n    .blocks = " + std::to_string(tile.blocks) +
           ",\n};";
}

std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return out;
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
        problem.most_lanes = most_lanes(window, domain, list, extra);
        const Words words = words_of(window, !extra.empty());
        const BodyText body = write_body(region, region.epilogue, region.stores, list, domain,
                                         {.column_word = window.lanes_are_columns ? "per_column" : "per_channel",
                                          .relaxed = context.graph.numerics.relaxed},
                                         words.formula);
        describe(step, region, context.graph, body.formula);
        problem.bytes_moved = step.bytes_moved;
        const heuristics::WindowTile tile = heuristics::ranked(problem, context.target).front();

        KernelPage page = page_of(region, window, tile, words, body);
        page.constants =
            domain_constant(domain, needs_wide_offsets(domain, region, context.graph)) + "\n" + page.constants;
        std::string statements = body.statements;
        if (!extra.empty()) {
            const std::string& role = region.operands[static_cast<size_t>(extra.front().operand)].role;
            page.constants += "\n" + strides_constant(role, domain.strides[list.size()]);
            statements = "store_strided<" + constant_name(role) + ">(" + role + ", at, position);\n" + statements;
        }
        page.body = words.function + "(" + words.arguments + ", [=](auto at, auto value" +
                    (extra.empty() ? "" : ", auto position") + ") {\n    " + indented(statements) + "\n});";
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));

        align(step.kernel, region, window, tile, domain, list, extra);
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
        page.stem = stem_of(stem_word(window.kind), region);
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
