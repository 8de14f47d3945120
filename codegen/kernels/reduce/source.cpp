#include "codegen/kernels/reduce/source.h"

#include <algorithm>

#include "codegen/kernels/reduce/reduction.h"
#include "codegen/kernels/rows/slice_page.h"
#include "codegen/kernels/rows/split_steps.h"
#include "codegen/kernels/rows/tile.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// One kernel that reduces the input body of a region, by the axes given, into the points of its epilogue.
struct ReduceKernel {
    Region region;  ///< Roles are assigned.
    Arrangement arrangement;
    Domain input, output;  ///< Their columns (or rows) count the same points.
    std::vector<Access> loads, results;
    int lanes = 1;
    int64_t statistics = 1, elements = 1;
};

/// Arranges input and result alike. `result_axes` gives for every kept axis of the input its axis in the epilogue.
ReduceKernel arranged(Region region, const GatheredAxes& axes, const std::vector<int>& result_axes) {
    ReduceKernel kernel{.region = std::move(region)};
    kernel.loads = accesses(kernel.region, kernel.region.inputs[0], {});
    kernel.results = accesses(kernel.region, kernel.region.epilogue, kernel.region.stores);
    kernel.arrangement = arrange_statistics(axes, leading_strides(kernel.loads, axes.dims));
    kernel.input = arrange(axes.dims, kernel.arrangement.order, strides_of(kernel.loads));
    AxisOrder order;
    for (const int axis :
         kernel.arrangement.by_columns ? kernel.arrangement.order.columns : kernel.arrangement.order.rows)
        order.columns.push_back(result_axes[static_cast<size_t>(axis)]);
    kernel.output = arrange(kernel.region.epilogue.dims, order, strides_of(kernel.results));
    const DataType type = kernel.region.inputs[0].terms.back().type;
    kernel.lanes = lanes_of_type(kernel.input, kernel.loads, type);
    if (kernel.arrangement.by_columns)
        kernel.lanes = std::min(kernel.lanes, lanes_of_type(kernel.output, kernel.results, type));
    kernel.statistics = kernel.arrangement.statistics(kernel.input);
    kernel.elements = kernel.arrangement.elements(kernel.input);
    return kernel;
}

/// Largest type that a thread hands to another.
int part_bytes(const Reduction& reduction) {
    return reduction.splits ? static_cast<int>(bytes_of(reduction.part)) : 16;
}

class ReduceFamily final : public KernelFamily {
  public:
    std::string_view name() const override { return "reduce"; }

    Verdict takes(const Region& region, const EmitContext& context) const override {
        if (region.anchor == kNone || !std::holds_alternative<Reduce>(context.graph.node(region.anchor).op))
            return Verdict::no("NOT_A_REDUCTION", "the reduce family takes reductions");
        if (element_count(region.inputs[0].dims) == 0) return Verdict::no("NO_ELEMENTS", "there is nothing to reduce");
        return Verdict::yes();
    }

    Result<Emission> emit(const Region& region, const EmitContext& context) const override {
        const auto& op = std::get<Reduce>(context.graph.node(region.anchor).op);
        const DataType element = region.inputs[0].terms.back().type;
        const Reduction reduction = reduction_of(op.kind, element);
        const GatheredAxes axes = reduced_axes(op, region.inputs[0].dims);
        std::vector<int> result_axes;
        for (int axis = 0; axis < static_cast<int>(axes.dims.size()); ++axis)
            result_axes.push_back(axis_of_result(op, axes, axis));
        ReduceKernel whole = arranged(region, axes, result_axes);
        SliceTile tile = tile_for(whole, context);
        if (reduction.splits) tile.splits = choose_splits(tile, whole.statistics, whole.elements, context.target);
        if (tile.splits > 1) return two_steps(whole, tile, reduction, context);
        assign_roles(whole.region, {"x"});
        TENON_ASSIGN(Step step, write(whole, tile, reduction, reduction.device_name + "{}",
                                      region.epilogue.terms[0].type, context));
        return Emission(std::move(step));
    }

  private:
    static SliceTile tile_for(const ReduceKernel& kernel, const EmitContext& context) {
        const int64_t held = bytes_of(held_type(kernel.region.inputs[0], context.graph.numerics.relaxed));
        return kernel.arrangement.by_columns
                   ? choose_column_tile(kernel.statistics, kernel.elements, kernel.lanes, held, false, context.target)
                   : choose_row_tile(kernel.statistics, kernel.elements, kernel.lanes, held, context.target);
    }

    /// parts = reduce(x) of every split; y = epilogue(reduce(parts)).
    Result<Emission> two_steps(const ReduceKernel& whole, const SliceTile& tile, const Reduction& reduction,
                               const EmitContext& context) const {
        const Dims dims{tile.splits, whole.statistics};
        const Operand parts = scratch_operand(0, reduction.part, dims, "parts");

        ReduceKernel first = whole;
        first.region.epilogue = {dims, {{.kind = Term::Kind::Anchor, .type = reduction.part}}};
        first.region.operands.push_back(parts);
        first.region.stores = {{0, static_cast<int>(first.region.operands.size()) - 1}};
        drop_unused_operands(first.region);
        first.results = accesses(first.region, first.region.epilogue, first.region.stores);
        first.output = arrange(dims, {.rows = {0}, .columns = {1}}, strides_of(first.results));
        assign_roles(first.region, {"x"});
        TENON_ASSIGN(Step gather, write(first, tile, reduction, "FirstStep<" + reduction.device_name + ">{}",
                                        reduction.part, context));

        Region rest = whole.region;
        rest.inputs = {
            {dims,
             {{.kind = Term::Kind::Load, .type = reduction.part, .operand = static_cast<int>(rest.operands.size())}}}};
        rest.operands.push_back(parts);
        drop_unused_operands(rest);
        ReduceKernel second = merging(std::move(rest), dims, whole);
        assign_roles(second.region, {});
        TENON_ASSIGN(Step merge,
                     write(second, tile_for(second, context), reduction,
                           "SecondStep<" + reduction.device_name + ", " + std::to_string(whole.elements) + ">{}",
                           whole.region.epilogue.terms[0].type, context));
        Emission emission;
        emission.scratch_bytes = {element_count(dims) * bytes_of(reduction.part)};
        emission.steps.push_back(std::move(gather));
        emission.steps.push_back(std::move(merge));
        return emission;
    }

    /// The kernel that merges parts [splits, statistics] into the points of the epilogue, in the order of `whole`.
    static ReduceKernel merging(Region region, const Dims& dims, const ReduceKernel& whole) {
        ReduceKernel kernel{.region = std::move(region), .arrangement = {.by_columns = true, .order = {{0}, {1}}}};
        kernel.loads = accesses(kernel.region, kernel.region.inputs[0], {});
        kernel.results = accesses(kernel.region, kernel.region.epilogue, kernel.region.stores);
        kernel.input = arrange(dims, kernel.arrangement.order, strides_of(kernel.loads));
        kernel.output = whole.output;
        const DataType type = kernel.region.inputs[0].terms[0].type;
        kernel.lanes = std::min(lanes_of_type(kernel.input, kernel.loads, type),
                                lanes_of_type(kernel.output, kernel.results, type));
        kernel.statistics = whole.statistics;
        kernel.elements = dims[0];
        return kernel;
    }

    Result<Step> write(const ReduceKernel& kernel, const SliceTile& tile, const Reduction& reduction,
                       const std::string& device_reduction, DataType result, const EmitContext& context) const {
        const bool relaxed = context.graph.numerics.relaxed;
        const Region& region = kernel.region;
        const LoadText load = load_text(region, kernel.loads, kernel.input, relaxed);
        const BodyText epilogue = write_body(region, region.epilogue, region.stores, kernel.results, kernel.output,
                                             {.relaxed = relaxed}, reduction.name + "(" + load.formula + ")");
        const bool wide = needs_wide_offsets(kernel.input, region, context.graph);
        KernelPage page;
        page.stem = stem_of(reduction.name, region);
        page.formula = epilogue.formula;
        page.includes = {"tenon/reduce.cuh"};
        page.constants = domain_constant(kernel.input, wide, "kInput") + "\n" + domain_constant(kernel.output, wide) +
                         "\n" + tile.constant();
        append_new_lines(page.constants, load.declarations);
        append_new_lines(page.constants, epilogue.declarations);
        page.body = std::string(tile.by_columns ? "reduce_columns" : "reduce_rows") + "<kInput, kOutput, kTile, " +
                    std::string(device_type(held_type(region.inputs[0], relaxed))) + ", " +
                    std::string(device_type(result)) + ">(\n    " + device_reduction + ",\n    " + load.lambda +
                    ",\n    " + lambda("auto at, auto value", epilogue.statements) + ");";

        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region, context.graph, context.target));
        set_vector_alignment(step.kernel, kernel.loads, kernel.input, tile.lanes);
        if (tile.by_columns) set_vector_alignment(step.kernel, kernel.results, kernel.output, tile.lanes);
        step.kernel.launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
        step.kernel.launch.grid = {static_cast<uint32_t>(tile.blocks(kernel.statistics)),
                                   static_cast<uint32_t>(tile.splits), 1};
        step.kernel.launch.shared_bytes = tile.shared_bytes(1, part_bytes(reduction));
        step.family = name();
        step.tile = tile.text();
        describe(step, region, context.graph, epilogue.formula);
        step.predicted_seconds =
            context.target.launch_seconds + step.bytes_moved / context.target.memory_bytes_per_second;
        return step;
    }
};

}  // namespace

const KernelFamily& reduce_family() {
    static const ReduceFamily family;
    return family;
}

}  // namespace tenon::codegen
