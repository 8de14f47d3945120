#include "codegen/kernels/rows/source.h"

#include <algorithm>

#include "codegen/kernels/rows/moments_steps.h"
#include "codegen/kernels/rows/norm_region.h"
#include "codegen/kernels/rows/slice_page.h"
#include "codegen/kernels/rows/tile.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

class RowsFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "rows"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        if (region.anchor == kNone || !is_row_norm(context.graph.node(region.anchor).op))
            return Verdict::no("NOT_A_NORM", "the rows family takes norms and softmax");
        // Scale and bias may be computed on the way; running statistics and momentum are read as they are.
        for (size_t i = 3; i < region.inputs.size(); ++i) {
            if (region.inputs[i].terms.size() != 1 || region.inputs[i].terms[0].kind != Term::Kind::Load)
                return Verdict::no("COMPUTED_STATISTICS", "running statistics and momentum must lie in memory");
        }
        return Verdict::yes();
    }

    Result<Emission> emit(const Region& given, const EmitContext& context) const override {
        NormRegion norm = norm_region(given, context.graph);
        const MomentsSteps steps{norm, context};
        if (norm.function == "batch_norm") return steps.emit();
        TENON_ASSIGN(Step step, one_kernel(norm, context));
        if (steps.takes() && steps.predicted_seconds() < step.predicted_seconds) return steps.emit();
        return Emission(std::move(step));
    }

  private:
    Result<Step> one_kernel(NormRegion norm, const EmitContext& context) const {
        assign_roles(norm.region, {"x"});
        for (size_t i = 0; i < norm.region.anchor_stores.size(); ++i) {
            const Store& store = norm.region.anchor_stores[i];
            const bool is_mean = norm.centred && store.term == 1;
            norm.region.operands[static_cast<size_t>(store.operand)].role =
                is_mean ? "saved_mean" : "saved_inverse_deviation";
        }
        const DataType held = held_type(norm.region.inputs[0], context.graph.numerics.relaxed);
        const SliceBodies bodies(norm.region, norm.axes, norm.statistic_strides);
        const int64_t statistics = bodies.arrangement.statistics(bodies.domain);
        const int64_t elements = bodies.arrangement.elements(bodies.domain);
        const int64_t bytes = bytes_of(held);
        const SliceTile tile = bodies.arrangement.by_columns
                                   ? choose_column_tile(statistics, elements, bodies.lanes, bytes, true, context.target)
                                   : choose_row_tile(statistics, elements, bodies.lanes, bytes, context.target);

        const LoadText load = bodies.load(context.graph.numerics.relaxed);
        const std::string formula = norm.function + "(" + load.formula + ")";
        const BodyText epilogue = bodies.epilogue(context.graph.numerics.relaxed, formula);
        KernelPage page;
        page.stem = stem_of(norm.function, norm.region);
        page.formula = epilogue.formula;
        page.includes = {"tenon/norm.cuh"};
        page.constants = bodies.constants(tile, context.graph);
        page.body = std::string(tile.by_columns ? "normalize_columns" : "normalize_rows") + "<kOutput, kTile, " +
                    std::string(device_type(held)) + ">(\n    " + norm.device_norm + ",\n    " + load.lambda +
                    ",\n    " + lambda("auto at, auto value", epilogue.statements) + report(norm, bodies) + ");";

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, norm.region, context.graph, context.target));
        bodies.set_alignment(step.kernel);
        step.kernel.launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
        step.kernel.launch.grid = {static_cast<uint32_t>(tile.blocks(statistics)), 1, 1};
        step.kernel.launch.shared_bytes = tile.shared_bytes(2, held == DataType::F64 ? 24 : 12);
        step.family = name();
        step.tile = tile.text() + (tile.holds(elements) ? ", read once" : ", read twice");
        describe(step, norm.region, context.graph, epilogue.formula);
        const double again = tile.holds(elements) ? 0.0 : bodies.input_bytes();
        step.predicted_seconds =
            context.target.launch_seconds + (step.bytes_moved + again) / (context.target.memory_bytes_per_second *
                                                                          reached_share(bodies, tile, context.target));
        return step;
    }

    /// Share of the memory rate that few blocks, or short pieces of memory apart from each other, can reach.
    static double reached_share(const SliceBodies& bodies, const SliceTile& tile, const Target& target) {
        const double threads =
            static_cast<double>(tile.blocks(bodies.arrangement.statistics(bodies.domain)) * tile.threads);
        const double busy = threads / (target.multiprocessors * 1024.0);
        const double run_bytes = static_cast<double>(bodies.run_bytes());
        return std::min(1.0, busy) * std::min(1.0, run_bytes / 64.0);
    }

    /// The lambda that stores the statistics; empty if nobody wants them.
    static std::string report(const NormRegion& norm, const SliceBodies& bodies) {
        if (norm.region.anchor_stores.empty()) return {};
        std::string statements;
        for (size_t i = 0; i < norm.region.anchor_stores.size(); ++i) {
            const Store& store = norm.region.anchor_stores[i];
            const std::string& role = norm.region.operands[static_cast<size_t>(store.operand)].role;
            const std::string value = norm.centred && store.term == 1 ? "mean" : "inverse_deviation";
            statements += (statements.empty() ? "" : "\n") + bodies.statistic_store(i, role, value);
        }
        return ",\n    " +
               lambda(norm.centred ? "auto at, auto mean, auto inverse_deviation" : "auto at, auto inverse_deviation",
                      statements);
    }
};

}  // namespace

const KernelFamily& rows_family() {
    static const RowsFamily family;
    return family;
}

}  // namespace tenon::codegen
