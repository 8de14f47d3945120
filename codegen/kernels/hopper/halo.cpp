#include "codegen/kernels/hopper/halo.h"

#include <algorithm>

#include "codegen/kernels/hopper/epilogue.h"
#include "codegen/kernels/hopper/product_region.h"
#include "codegen/kernels/hopper/source.h"
#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"
#include "heuristics/halo.h"

namespace tenon::codegen {
namespace {

constexpr int kThreads = 384;
constexpr int64_t kChannels = 64;
constexpr int64_t kMostTaps = 9;
constexpr int64_t kBarrierBytes = 256;

/// The fields of HaloShape in <tenon/hopper/halo.cuh>.
struct HaloCut {
    int patch_rows = 0;
    int slots = 0;
    int64_t shared_bytes = 0;
    double seconds = 0.0;
};

Verdict cut(const Region& region, const EmitContext& context, const ProductRegion& product,
            const ProductEpilogue& epilogue, HaloCut& halo) {
    const Dims& y = region.epilogue.dims;
    const int64_t taps = product.taps[0] * product.taps[1];
    heuristics::Halo problem{.images = y[0], .rows = y[2], .columns = y[3], .taps = taps};
    Step facts;
    describe(facts, region, context.graph, "");
    problem.memory_bytes = facts.bytes_moved;
    halo.patch_rows = heuristics::halo_patch_rows(y[2]);
    halo.seconds = heuristics::halo_seconds(problem, halo.patch_rows, context.target);
    const int64_t patch = (halo.patch_rows + product.taps[0] - 1) * (8 + product.taps[1] - 1) * 128,
                  slot = (patch + 1023) / 1024 * 1024;
    constexpr int64_t kMostSlots = 6;
    halo.slots = static_cast<int>(
        std::min(kMostSlots, (context.target.shared_bytes_per_block - kBarrierBytes - taps * 8192) / slot));
    halo.shared_bytes = taps * 8192 + halo.slots * slot + kBarrierBytes;
    if (halo.slots < 3) return Verdict::no("PATCHES_TOO_LARGE", "three patches do not fit shared memory");
    const double other = best_product_seconds(region, context, product, epilogue);
    if (other <= halo.seconds)
        return Verdict::no("SLOWER_THAN_TILES", "predicted " + std::to_string(halo.seconds * 1e6) +
                                                    " us, with tiles of pixels " + std::to_string(other * 1e6) + " us");
    return Verdict::yes();
}

Verdict read(const Region& region, const EmitContext& context, ProductRegion& product, ProductEpilogue& epilogue) {
    if (const Verdict verdict = read_product(region, context, product); !verdict) return verdict;
    if (product.function != "conv" || product.type == DataType::F32)
        return Verdict::no("NO_IMAGE", "the anchor is no 16-bit convolution");
    const Dims one{1, 1};
    const int64_t taps = product.taps[0] * product.taps[1];
    if (product.depth != kChannels || product.columns > kChannels || taps < 2 || taps > kMostTaps)
        return Verdict::no("NOT_64_CHANNELS", std::to_string(product.depth) + " channels to " +
                                                  std::to_string(product.columns) + " with " + std::to_string(taps) +
                                                  " taps");
    if (product.stride != one || product.dilation != one)
        return Verdict::no("STRIDED", "neighbouring windows do not share a patch evenly");
    if (product.image[1] % 8 != 0)
        return Verdict::no("ODD_WIDTH", "rows of " + std::to_string(product.image[1]) + " pixels are no multiple of 8");
    if (!region.anchor_stores.empty()) return Verdict::no("SECOND_RESULT", "the anchor has more than one result");
    epilogue = read_epilogue(region);
    if (epilogue.domain.columns != Dims{product.columns} || epilogue.domain.row_count() != product.rows ||
        !epilogue.is_only_result || bytes_of(region.operands[static_cast<size_t>(epilogue.result)].type) != 2)
        return Verdict::no("NO_PLAIN_RESULT",
                           "the region does not have one packed 16-bit result with its channels innermost");
    for (size_t i = 0; i < epilogue.list.size(); ++i) {
        if (epilogue.list[i].operand != epilogue.result && moves(epilogue.domain.strides[i].row))
            return Verdict::no("OPERAND_OF_PIXELS", "the epilogue reads an operand that differs from pixel to pixel");
    }
    return Verdict::yes();
}

TensorMapShape patch_map(const ProductRegion& product, const HaloCut& halo) {
    TensorMapShape map = product.row_map;  // channels, columns, rows, images
    map.is_im2col = false;
    map.lower_corner = map.upper_corner = {};
    map.box = {kChannels, static_cast<uint32_t>(8 + product.taps[1] - 1),
               static_cast<uint32_t>(halo.patch_rows + product.taps[0] - 1), 1};
    return map;
}

TensorMapShape result_map(const Operand& y, const ProductRegion& product, int64_t images, const HaloCut& halo) {
    const auto extent = [](int64_t value) { return static_cast<uint64_t>(value); };
    const int64_t pixel = product.columns * bytes_of(y.type), row = pixel * product.image[1];
    return {.dims = {extent(product.columns), extent(product.image[1]), extent(product.image[0]), extent(images)},
            .strides = {extent(pixel), extent(row), extent(row * product.image[0])},
            .box = {kChannels, 8, static_cast<uint32_t>(halo.patch_rows), 1},
            .steps = {1, 1, 1, 1},
            .swizzle_bytes = 128};
}

std::string shape_constant(const ProductRegion& product, int64_t images, const HaloCut& halo, bool dependent) {
    const auto pair = [](const Dims& dims) {
        return "{" + std::to_string(dims[0]) + ", " + std::to_string(dims[1]) + "}";
    };
    return "constexpr HaloShape kShape{\n    .images = " + std::to_string(images) +
           ",\n    .result = " + pair(product.image) + ",\n    .filters = " + std::to_string(product.columns) +
           ",\n    .taps = " + pair(product.taps) + ",\n    .pad = " + pair(product.pad) +
           ",\n    .patch_rows = " + std::to_string(halo.patch_rows) + ",\n    .slots = " + std::to_string(halo.slots) +
           ",\n" + (dependent ? "    .dependent = true,\n" : "") + "};\nconstexpr auto kTile = kShape;";
}

class HaloFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "halo"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        ProductRegion product;
        ProductEpilogue epilogue;
        HaloCut halo;
        const Verdict verdict = read(region, context, product, epilogue);
        return verdict ? cut(region, context, product, epilogue, halo) : verdict;
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        ProductRegion product;
        ProductEpilogue epilogue;
        HaloCut halo;
        part_factors(region);
        if (const Verdict verdict = read(region, context, product, epilogue); !verdict)
            return Status(ErrorCode::Unsupported, verdict.reason());
        if (const Verdict verdict = cut(region, context, product, epilogue, halo); !verdict)
            return Status(ErrorCode::Unsupported, verdict.reason());
        assign_roles(region, product.roles);
        const BodyText body =
            write_body(region, region.epilogue, region.stores, epilogue.list, epilogue.domain,
                       {.column_word = "per_channel", .relaxed = context.graph.numerics.relaxed}, "conv(x, w)");
        const bool dependent = context.graph.value(region.plain_input(1)->root).kind != ValueKind::Computed;
        const Operand& y = region.operands[static_cast<size_t>(epilogue.result)];
        const std::string type(device_type(product.type)), out(device_type(y.type));
        const int64_t images = region.epilogue.dims[0];

        KernelPage page;
        page.stem = stem_of("conv", region);
        page.formula = body.formula;
        page.includes = {"tenon/hopper/halo.cuh"};
        page.constants = domain_constant(epilogue.domain, needs_wide_offsets(epilogue.domain, region, context.graph)) +
                         "\n" + shape_constant(product, images, halo, dependent);
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.body = "halo_patches<kOutput, kShape, " + type + ", " + out + ">(&x, &w, &" + y.role +
                    ", [=](auto at, auto value, auto " + y.role + ") {\n" + indented(body.statements) + "\n});";
        page.bounds = "kTile.threads, 1";
        const int x_operand = region.inputs[0].terms.back().operand, w_operand = region.inputs[1].terms.back().operand;
        page.maps[x_operand] = patch_map(product, halo);
        page.maps[w_operand] = product.column_map;
        page.maps[w_operand].box = {kChannels, 1, kChannels};
        page.maps[epilogue.result] = result_map(y, product, images, halo);

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        describe(step, region, context.graph, body.formula);
        for (KernelArgument& argument : step.kernel.arguments) {
            if (argument.kind == KernelArgument::Kind::TensorMap) argument.alignment = 16;
        }
        step.kernel.arguments[static_cast<size_t>(w_operand)].is_early = dependent;
        const int64_t patches =
            images * ((product.image[0] + halo.patch_rows - 1) / halo.patch_rows) * (product.image[1] / 8);
        step.kernel.launch.grid = {static_cast<uint32_t>(std::min<int64_t>(patches, context.target.multiprocessors)), 1,
                                   1};
        step.kernel.launch.block = {kThreads, 1, 1};
        step.kernel.launch.shared_bytes = static_cast<uint32_t>(halo.shared_bytes);
        step.kernel.launch.dependent = dependent;
        step.family = name();
        step.tile = "patches of " + std::to_string(halo.patch_rows) + "x8 pixels, " + std::to_string(halo.slots) +
                    " slots, 2 warpgroups, ping-pong";
        step.flops = 2.0 * static_cast<double>(product.rows * product.columns * product.depth * product.taps[0] *
                                               product.taps[1]);
        step.predicted_seconds = halo.seconds;
        return Emission(std::move(step));
    }
};

}  // namespace

const KernelFamily& halo_family() {
    static const HaloFamily family;
    return family;
}

}  // namespace tenon::codegen
