#include "codegen/kernels/rows/moments_steps.h"

#include "codegen/kernels/pointwise/source.h"
#include "codegen/kernels/rows/merge_kernel.h"
#include "codegen/kernels/rows/slice_page.h"
#include "codegen/kernels/rows/split_steps.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// means, spreads = moments(x) of every split.
Result<Step> gather(const NormRegion& norm, const StatisticsLayout& layout, const EmitContext& context) {
    const bool relaxed = context.graph.numerics.relaxed;
    const DataType inner = inner_type(norm);
    const Dims dims{layout.tile.splits, layout.fine};
    Region region = norm.region;
    region.anchor_stores.clear();
    region.epilogue = {dims, {{.kind = Term::Kind::Anchor, .type = inner}}};
    const int first = static_cast<int>(region.operands.size());
    region.operands.push_back(scratch_operand(kMeans, inner, dims, "means"));
    region.operands.push_back(scratch_operand(kSpreads, inner, dims, "spreads"));
    region.stores = {{0, first}, {0, first + 1}};
    drop_unused_operands(region);
    assign_roles(region, {"x"});

    const LoadText load = load_text(region, accesses(region, region.inputs[0], {}), layout.input, relaxed);
    const std::vector<Access> stores = accesses(region, region.epilogue, region.stores);
    const Domain output = arrange(dims, {.rows = {0}, .columns = {1}}, strides_of(stores));
    KernelPage page;
    page.stem = norm.function + "_moments";
    page.formula = "means, spreads = mean(" + load.formula + "), sum((" + load.formula + " - mean)^2) of every split";
    page.includes = {"tenon/moments.cuh"};
    page.constants = domain_constant(layout.input, needs_wide_offsets(layout.input, region, context.graph), "kInput") +
                     "\n" + domain_constant(output, false) + "\n" + layout.tile.constant();
    append_new_lines(page.constants, load.declarations);
    page.body = std::string("gather_moments_of_") + (layout.tile.by_columns ? "columns" : "rows") +
                "<kInput, kOutput, kTile, " + std::string(device_type(held_type(region.inputs[0], relaxed))) +
                ">(\n    " + load.lambda + ",\n    " +
                lambda("auto at, auto mean, auto spread", "store(means, at, mean);\nstore(spreads, at, spread);") +
                ");";
    Step step;
    TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
    set_vector_alignment(step.kernel, layout.loads, layout.input, layout.tile.lanes);
    if (layout.tile.by_columns) set_vector_alignment(step.kernel, stores, output, layout.tile.lanes);
    describe(step, region, context.graph, page.formula);
    finish_step(step, layout.tile, layout.fine, inner == DataType::F64 ? 24 : 12, context);
    return step;
}

}  // namespace

double MomentsSteps::predicted_seconds() const {
    double bytes = 0.0;
    for (const Access& access : accesses(norm.region, norm.region.inputs[0], {}))
        bytes += 2.0 * static_cast<double>(element_count(norm.axes.dims) * bytes_of(access.type));
    for (const Store& store : norm.region.stores)
        bytes += static_cast<double>(element_count(norm.axes.dims) *
                                     bytes_of(norm.region.operands[static_cast<size_t>(store.operand)].type));
    return 3.0 * context.target.launch_seconds + bytes / context.target.memory_bytes_per_second;
}

Result<Emission> MomentsSteps::emit() const {
    const StatisticsLayout layout = lay_out_statistics(norm, context);
    TENON_ASSIGN(Step gathering, gather(norm, layout, context));
    TENON_ASSIGN(Step merging, merge_kernel(norm, layout, context));
    const DataType inner = inner_type(norm);
    Region apply = apply_statistics(norm, layout.statistic_of_x(kMean, inner, "mean_of_slice", norm.axes.dims),
                                    layout.statistic_of_x(kInverseDeviation, inner, "scale_of_slice", norm.axes.dims));
    drop_unused_operands(apply);
    TENON_ASSIGN(Emission applying, pointwise_family().emit(apply, context));
    Emission emission;
    emission.steps.push_back(std::move(gathering));
    emission.steps.push_back(std::move(merging));
    for (Step& step : applying.steps) {
        step.family = "rows";
        emission.steps.push_back(std::move(step));
    }
    const int64_t parts = layout.tile.splits * layout.fine * bytes_of(inner);
    const int64_t whole = layout.statistic_count() * bytes_of(inner);
    emission.scratch_bytes = {parts, parts, whole, whole};
    return emission;
}

}  // namespace tenon::codegen
