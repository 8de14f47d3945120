#include "codegen/kernels/rows/statistics_layout.h"

#include <algorithm>

#include "codegen/kernels/rows/split_steps.h"

namespace tenon::codegen {
namespace {

/// The gathering kernel does not split channels: it keeps each of them.
GatheredAxes fine_axes(const GatheredAxes& axes) {
    if (axes.split_axis < 0) return axes;
    GatheredAxes fine{.dims = axes.dims, .gathered = std::vector<bool>(axes.dims.size(), true)};
    fine.gathered[0] = fine.gathered[1] = false;
    return fine;
}

}  // namespace

StatisticsLayout lay_out_statistics(const NormRegion& norm, const EmitContext& context) {
    StatisticsLayout layout;
    const Body& x = norm.region.inputs[0];
    const GatheredAxes fine = fine_axes(norm.axes);
    layout.loads = accesses(norm.region, x, {});
    layout.arrangement = arrange_statistics(fine, leading_strides(layout.loads, fine.dims));
    layout.input = arrange(fine.dims, layout.arrangement.order, strides_of(layout.loads));
    layout.fine = layout.arrangement.statistics(layout.input);
    layout.elements = layout.arrangement.elements(layout.input);
    const bool by_columns = layout.arrangement.by_columns;
    const int lanes = lanes_of_type(layout.input, layout.loads, x.terms.back().type);
    const int64_t held = bytes_of(held_type(x, context.graph.numerics.relaxed));
    layout.tile = by_columns ? choose_column_tile(layout.fine, layout.elements, lanes, held, false, context.target)
                             : choose_row_tile(layout.fine, layout.elements, lanes, held, context.target);
    layout.tile.splits = choose_splits(layout.tile, layout.fine, layout.elements, context.target);

    const std::vector<int>& order = by_columns ? layout.arrangement.order.columns : layout.arrangement.order.rows;
    layout.kept = order;
    Dims strides(order.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= fine.dims[static_cast<size_t>(order[i])]) strides[i] = stride;
    layout.part_dims = {layout.tile.splits};
    layout.part_strides = {layout.fine};
    layout.channels = norm.axes.split_axis < 0 ? 1 : fine.dims[1] / norm.axes.parts;
    int64_t channel_stride = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        const bool is_grouped = norm.axes.split_axis == order[i];
        if (is_grouped) channel_stride = strides[i];
        const int64_t extent = fine.dims[static_cast<size_t>(order[i])];
        layout.kept_dims.push_back(is_grouped ? norm.axes.parts : extent);
        layout.part_dims.push_back(layout.kept_dims.back());
        layout.part_strides.push_back(is_grouped ? strides[i] * layout.channels : strides[i]);
    }
    if (layout.channels > 1) {
        layout.part_dims.push_back(layout.channels);
        layout.part_strides.push_back(channel_stride);
    }
    return layout;
}

DataType inner_type(const NormRegion& norm) {
    return norm.region.inputs[0].terms.back().type == DataType::F64 ? DataType::F64 : DataType::F32;
}

int64_t StatisticsLayout::elements_of_split() const {
    const int64_t batches = (elements + tile.batch() - 1) / tile.batch();
    const int64_t each = (batches + tile.splits - 1) / tile.splits;
    return std::min(elements, each * tile.batch());
}

Operand StatisticsLayout::statistic(NormScratch number, DataType type, const std::string& role) const {
    Dims memory = kept_dims;
    if (channels > 1) memory.push_back(channels);
    Operand operand = scratch_operand(number, type, memory, role);
    operand.strides.resize(kept_dims.size());
    if (channels == 1) return operand;
    // Rows of channels, whatever the order of the kept axes, so that a channel is one step away from the next.
    for (size_t i = 0; i < kept.size(); ++i) operand.strides[i] = kept[i] == 1 ? channels : channels * kept_dims[1 - i];
    return operand;
}

Operand StatisticsLayout::statistic_of_x(NormScratch number, DataType type, const std::string& role,
                                         const Dims& x_dims) const {
    Operand operand = statistic(number, type, role);
    Dims strides(x_dims.size(), 0);
    for (size_t i = 0; i < kept.size(); ++i) {
        const size_t axis = static_cast<size_t>(kept[i]);
        const bool is_split = channels > 1 && axis == 1;
        if (x_dims[axis] > 1) strides[axis] = is_split ? 1 : operand.strides[i];
    }
    operand.strides = std::move(strides);
    return operand;
}

}  // namespace tenon::codegen
