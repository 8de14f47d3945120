#include "codegen/kernels/pointwise/source.h"

#include <algorithm>

#include "codegen/source/body_text.h"
#include "codegen/source/kernel_page.h"
#include "codegen/source/names.h"
#include "codegen/source/skeleton.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

constexpr int kThreads = 256;

class PointwiseFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "pointwise"; }

    Verdict takes(const Region& region, const EmitContext&) const override {
        if (region.anchor == kNone) return Verdict::yes();
        return Verdict::no("HAS_ANCHOR", "the pointwise family has no main loop");
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        Region region = given;
        assign_roles(region, {});
        const std::vector<Access> list = accesses(region, region.epilogue, region.stores);
        const Dims& order = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
        const Domain domain = arrange_elementwise(region.epilogue.dims, order, strides_of(list));
        const int lanes = lanes_for(domain, list);
        const BodyText body = write_body(region, region.epilogue, region.stores, list, domain,
                                         {.relaxed = context.graph.numerics.relaxed}, "");
        const int64_t points = domain.row_count() * domain.column_count();
        const int64_t pieces = points >= int64_t{1} << 22 ? 4 : 1;  // big tensors keep several loads in flight

        KernelPage page;
        page.stem = stem_of("", region);
        page.formula = body.formula;
        page.includes = {"tenon/elementwise.cuh"};
        page.constants = domain_constant(domain, needs_wide_offsets(domain, region, context.graph)) +
                         "\nconstexpr VectorTile kTile{.lanes = " + std::to_string(lanes) +
                         ", .pieces = " + std::to_string(pieces) + ", .threads = " + std::to_string(kThreads) + "};";
        if (!body.declarations.empty())
            page.constants += "\n" + body.declarations.substr(0, body.declarations.size() - 1);
        page.body = "elementwise<kOutput, kTile>([=](auto at) {\n" + indented(body.statements) + "\n});";

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        for (size_t i = 0; i < list.size(); ++i) {
            if (list[i].operand < 0 || domain.strides[i].column.back() != 1) continue;
            KernelArgument& argument = step.kernel.arguments[static_cast<size_t>(list[i].operand)];
            argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * lanes));
        }
        const int64_t per_block = int64_t{kThreads} * pieces * lanes;
        step.kernel.launch.block = {kThreads, 1, 1};
        step.kernel.launch.grid = {static_cast<uint32_t>((points + per_block - 1) / per_block), 1, 1};
        step.family = name();
        step.tile = std::to_string(kThreads) + " threads x " + std::to_string(pieces) + " pieces x " +
                    std::to_string(lanes) + " lanes";
        describe(step, region, context.graph, body.formula);
        step.predicted_seconds =
            context.target.launch_seconds + step.bytes_moved / context.target.memory_bytes_per_second;
        return Emission(std::move(step));
    }
};

}  // namespace

const KernelFamily& pointwise_family() {
    static const PointwiseFamily family;
    return family;
}

}  // namespace tenon::codegen
