#include "codegen/kernels/hopper/stem.h"

#include <algorithm>

#include "codegen/kernels/hopper/epilogue.h"
#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

constexpr int kConsumers = 3;
constexpr int kThreads = kConsumers * 128 + 32;
constexpr int kPieceRows = 64;
constexpr int64_t kMostChannels = 4;
constexpr int64_t kBarrierBytes = 256;

/// The fields of StemShape in <tenon/hopper/stem.cuh>, and what follows from them.
struct Stem {
    Dims x, w, y;  ///< Extents: [N, C, H, W], [K, C, R, S], [N, K, P, Q].
    WindowGeometry window;
    int64_t image_stride = 0;
    int64_t lead = 0, row_depth = 0;
    int64_t unit_rows = 0;
    int columns = 0;  ///< Of the tile: filters, rounded up.
    int stages = 0;
    int panel_sets = 2;
    int64_t shared_bytes = 0;
};

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

/// Widths for which products from registers exist.
int tile_columns(int64_t filters) {
    for (const int columns : {32, 64, 96, 128}) {
        if (filters <= columns) return columns;
    }
    return 0;
}

Verdict read_factors(const Region& region, Stem& stem) {
    const Operand &x = *region.plain_input(0), &w = *region.plain_input(1);
    const int64_t c = stem.x[1], width = stem.x[3];
    const Dims row_major{stem.w[1] * stem.w[2] * stem.w[3], 1, stem.w[3] * c, c};
    for (size_t axis = 0; axis < 4; ++axis) {
        if (stem.w[axis] > 1 && w.strides[axis] != row_major[axis])
            return Verdict::no("FILTER_NOT_PACKED", "the filter is not packed channels last");
    }
    const bool packed_rows = (c == 1 || x.strides[1] == 1) && (width == 1 || x.strides[3] == c) &&
                             (stem.x[2] == 1 || x.strides[2] == width * c);
    if (!packed_rows) return Verdict::no("ROWS_NOT_PACKED", "rows of the image are not packed channels last");
    stem.image_stride = stem.x[0] == 1 ? stem.x[2] * width * c : x.strides[0];
    if (width * c * 2 % 16 != 0 || stem.image_stride * 2 % 16 != 0 || x.offset * 2 % 16 != 0 || stem.image_stride <= 0)
        return Verdict::no("NOT_16_BYTE_ALIGNED",
                           "a row of " + std::to_string(width * c * 2) + " bytes is no multiple of 16");
    return Verdict::yes();
}

/// Output rows of a unit: the fewest whose pixels are whole pieces and that divide the image.
int64_t unit_rows(int64_t rows, int64_t columns) {
    for (int64_t unit = 1; unit <= rows; ++unit) {
        if (rows % unit == 0 && unit * columns % kPieceRows == 0) return unit;
    }
    return 0;
}

/// Fills what StemPlan and StemMemory derive, for the same bytes.
Verdict fit(Stem& stem, bool staged, const Target& target) {
    const int64_t c = stem.x[1];
    const int64_t margin = round_up((stem.window.pad_before[1] * c + stem.lead) * 2, 16), row = stem.x[3] * c * 2;
    const int64_t reach =
        ((stem.y[3] - 1) * stem.window.stride[1] - stem.window.pad_before[1]) * c - stem.lead + stem.row_depth;
    const int64_t pitch = round_up(margin + row + std::max<int64_t>(0, reach * 2 - row), 16);
    const int64_t unit = ((stem.unit_rows - 1) * stem.window.stride[0] + stem.w[2]) * pitch;
    const int64_t steps = (stem.w[2] * stem.row_depth + 15) / 16, weights = (steps + 3) / 4 * stem.columns * 128;
    const int64_t panels = staged ? int64_t{kConsumers} * kPieceRows * stem.columns * 2 * stem.panel_sets : 0;
    constexpr int64_t kMostStages = 4, kMostSteps = 16;
    if (steps > kMostSteps)
        return Verdict::no("DEPTH_TOO_LARGE", std::to_string(steps) + " products of 16 for a pixel");
    stem.stages = static_cast<int>(
        std::min(kMostStages, (target.shared_bytes_per_block - kBarrierBytes - weights - panels) / unit));
    if (stem.stages < 2)
        return Verdict::no("ROWS_TOO_LARGE",
                           "two units of " + std::to_string(unit) + " bytes of rows do not fit shared memory");
    stem.shared_bytes = weights + panels + stem.stages * unit + kBarrierBytes;
    return Verdict::yes();
}

Verdict read_stem(const Region& region, const EmitContext& context, Stem& stem) {
    if (context.target.compute_capability != 90)
        return Verdict::no("NOT_SM_90", "the target is " + context.target.architecture());
    const Conv* conv = region.anchor == kNone ? nullptr : std::get_if<Conv>(&context.graph.node(region.anchor).op);
    if (conv == nullptr || region.inputs[0].dims.size() != 4)
        return Verdict::no("NO_IMAGE", "the anchor is no convolution of an image");
    if (region.plain_input(0) == nullptr || region.plain_input(1) == nullptr)
        return Verdict::no("PROLOGUE", "a factor is computed on the way in");
    const DataType type = region.plain_input(0)->type;
    if ((type != DataType::F16 && type != DataType::BF16) || region.plain_input(1)->type != type)
        return Verdict::no("NO_TENSOR_CORE_TYPE", "x is " + std::string(to_string(type)));
    stem.x = region.inputs[0].dims;
    stem.w = region.inputs[1].dims;
    stem.y = region.epilogue.dims;
    if (conv->groups != 1 || stem.x[1] > kMostChannels)
        return Verdict::no("MANY_CHANNELS",
                           std::to_string(stem.x[1]) + " channels in " + std::to_string(conv->groups) + " groups");
    stem.window = *window_geometry({stem.w[2], stem.w[3]}, conv->stride, conv->dilation, conv->pad);
    const int64_t c = stem.x[1], row_elements = stem.w[3] * c;
    if (stem.window.dilation != Dims{1, 1}) return Verdict::no("DILATED", "taps of a row are not neighbours");
    if (stem.window.stride[1] * c % 2 != 0)
        return Verdict::no("ODD_STEP",
                           "neighbouring windows are " + std::to_string(stem.window.stride[1] * c) + " elements apart");
    stem.lead = stem.window.pad_before[1] * c % 2;
    stem.row_depth = round_up(stem.lead + row_elements, 8);
    stem.unit_rows = unit_rows(stem.y[2], stem.y[3]);
    stem.columns = tile_columns(stem.w[0]);
    if (stem.unit_rows == 0 || stem.columns == 0)
        return Verdict::no("NO_WHOLE_PIECES", "rows of " + std::to_string(stem.y[3]) + " pixels and " +
                                                  std::to_string(stem.w[0]) +
                                                  " filters cannot be cut into pieces of 64 and at most 128");
    return read_factors(region, stem);
}

std::string pair_text(int64_t a, int64_t b) { return "{" + std::to_string(a) + ", " + std::to_string(b) + "}"; }

std::string constants(const Stem& stem, bool dependent) {
    const auto line = [](const std::string& name, const std::string& value) {
        return "    ." + name + " = " + value + ",\n";
    };
    const auto number = [](int64_t value) { return std::to_string(value); };
    std::string text = "constexpr StemShape kShape{\n";
    text += line("images", number(stem.x[0])) + line("channels", number(stem.x[1])) +
            line("extent", pair_text(stem.x[2], stem.x[3])) + line("result", pair_text(stem.y[2], stem.y[3])) +
            line("filters", number(stem.w[0])) + line("taps", pair_text(stem.w[2], stem.w[3])) +
            line("stride", pair_text(stem.window.stride[0], stem.window.stride[1])) +
            line("pad", pair_text(stem.window.pad_before[0], stem.window.pad_before[1])) +
            line("lead", number(stem.lead)) + line("row_depth", number(stem.row_depth)) +
            line("unit_rows", number(stem.unit_rows)) + line("image_stride", number(stem.image_stride));
    text += "};\nconstexpr WarpgroupTile kTile{\n";
    text += line("rows", number(kPieceRows)) + line("columns", number(stem.columns)) +
            line("stages", number(stem.stages)) + line("consumers", number(kConsumers)) + line("persistent", "true") +
            line("pingpong", "true") + line("panel_sets", number(stem.panel_sets));
    if (dependent) text += line("dependent", "true");
    return text + line("threads", number(kThreads)) + "};";
}

class StemFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "stem"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        Stem stem;
        if (const Verdict verdict = read_stem(region, context, stem); !verdict) return verdict;
        if (!region.anchor_stores.empty()) return Verdict::no("SECOND_RESULT", "the anchor has more than one result");
        const ProductEpilogue epilogue = read_epilogue(region);
        if (epilogue.domain.columns != Dims{stem.w[0]} ||
            epilogue.domain.row_count() * stem.w[0] != element_count(stem.y))
            return Verdict::no("RESULT_NOT_CHANNELS_LAST", "the result does not have its channels innermost");
        if (epilogue.lanes < 2)
            return Verdict::no("ODD_COLUMNS", "the epilogue cannot take two neighbouring columns at once");
        return fit(stem, is_half_result(region, epilogue), context.target);
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        Stem stem;
        if (const Verdict verdict = read_stem(region, context, stem); !verdict)
            return Status(ErrorCode::Unsupported, verdict.reason());
        part_factors(region);
        assign_roles(region, {"x", "w"});
        const ProductEpilogue epilogue = read_epilogue(region);
        const bool staged = is_half_result(region, epilogue);
        if (const Verdict verdict = fit(stem, staged, context.target); !verdict)
            return Status(ErrorCode::Unsupported, verdict.reason());
        const BodyText body =
            write_body(region, region.epilogue, region.stores, epilogue.list, epilogue.domain,
                       {.column_word = "per_channel", .relaxed = context.graph.numerics.relaxed}, "conv(x, w)");
        const bool dependent = context.graph.value(region.plain_input(1)->root).kind != ValueKind::Computed;

        KernelPage page;
        page.stem = stem_of("conv", region);
        page.formula = body.formula;
        page.includes = {"tenon/hopper/stem.cuh"};
        page.constants = domain_constant(epilogue.domain, needs_wide_offsets(epilogue.domain, region, context.graph)) +
                         "\n" + constants(stem, dependent);
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.body = kernel_body(region, epilogue, staged, body.statements);
        page.bounds = "kTile.threads, 1";
        if (staged) {
            page.maps[epilogue.result] = panel_map(region.operands[static_cast<size_t>(epilogue.result)],
                                                   epilogue.domain.row_count(), stem.w[0], stem.columns);
        }
        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        describe(step, region, context.graph, body.formula);
        set_launch(step.kernel, region, stem, epilogue, context.target, dependent);
        step.family = name();
        step.tile =
            std::to_string(stem.unit_rows) + " output rows, " + std::to_string(stem.stages) + " stages, 3 warpgroups";
        step.flops = 2.0 * static_cast<double>(element_count(stem.y) * stem.w[1] * stem.w[2] * stem.w[3]);
        const double padded = 2.0 * static_cast<double>(element_count(stem.y)) *
                              static_cast<double>(round_up(stem.w[2] * stem.row_depth, 16));
        step.predicted_seconds = context.target.launch_seconds + 3e-6 +
                                 std::max(step.bytes_moved / context.target.memory_bytes_per_second,
                                          2.0 * padded / context.target.f16_flops_per_second);
        return Emission(std::move(step));
    }

  private:
    static bool is_half_result(const Region& region, const ProductEpilogue& epilogue) {
        return epilogue.result >= 0 && bytes_of(region.operands[static_cast<size_t>(epilogue.result)].type) == 2;
    }

    static std::string kernel_body(const Region& region, const ProductEpilogue& epilogue, bool staged,
                                   const std::string& statements) {
        std::string staging = "Unstaged{}, [=](auto at, auto value) {\n";
        if (staged) {
            const Operand& y = region.operands[static_cast<size_t>(epilogue.result)];
            staging = "StagedStore<" + std::string(device_type(y.type)) + ">{&" + y.role +
                      "}, [=](auto at, auto value, auto " + y.role + ") {\n";
        }
        return "stem_units<kOutput, kShape, kTile>(x, w, " + staging + indented(statements) + "\n});";
    }

    static void set_launch(KernelSource& kernel, const Region& region, const Stem& stem,
                           const ProductEpilogue& epilogue, const Target& target, bool dependent) {
        kernel.arguments[static_cast<size_t>(region.inputs[0].terms.back().operand)].alignment = 16;
        kernel.arguments[static_cast<size_t>(region.inputs[1].terms.back().operand)].is_early = dependent;
        for (KernelArgument& argument : kernel.arguments) {
            if (argument.kind == KernelArgument::Kind::TensorMap) argument.alignment = 16;
        }
        align_epilogue(kernel, epilogue, 2);
        const int64_t units = stem.x[0] * (stem.y[2] / stem.unit_rows);
        kernel.launch.grid = {static_cast<uint32_t>(std::min<int64_t>(units, target.multiprocessors)), 1, 1};
        kernel.launch.block = {kThreads, 1, 1};
        kernel.launch.shared_bytes = static_cast<uint32_t>(stem.shared_bytes);
        kernel.launch.dependent = dependent;
    }
};

}  // namespace

const KernelFamily& stem_family() {
    static const StemFamily family;
    return family;
}

}  // namespace tenon::codegen
