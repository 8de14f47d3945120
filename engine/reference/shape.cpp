#include <algorithm>

#include "engine/reference/axis_tables.h"
#include "engine/reference/number.h"
#include "engine/reference/operations.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// start, start + step, … in units of `stride`.
std::vector<int64_t> line(int64_t count, int64_t stride, int64_t start = 0, int64_t step = 1) {
    std::vector<int64_t> table;
    for (int64_t i = 0; i < count; ++i) table.push_back((start + i * step) * stride);
    return table;
}

/// Index in the source that position `at` (negative: before its start) reads, or kOutside.
int64_t padded_index(PadMode mode, int64_t at, int64_t extent) {
    if (at >= 0 && at < extent) return at;
    switch (mode) {
        case PadMode::Constant:
            return kOutside;
        case PadMode::Edge:
            return std::clamp<int64_t>(at, 0, extent - 1);
        case PadMode::Reflect:
            break;
    }
    return at < 0 ? -at : 2 * (extent - 1) - at;
}

}  // namespace

Status evaluate(const Reshape&, const Sources& inputs, const Sinks& outputs) {
    std::vector<int64_t> from;
    walk<1>(inputs[0].value.dims, {inputs[0].value.strides}, [&](const auto& at) { from.push_back(at[0]); });
    size_t next = 0;
    walk<1>(outputs[0].value.dims, {outputs[0].value.strides},
            [&](const auto& at) { copy_element(inputs[0], from[next++], outputs[0], at[0]); });
    return {};
}

Status evaluate(const Transpose& op, const Sources& inputs, const Sinks& outputs) {
    AxisTables tables;
    for (size_t axis = 0; axis < op.permutation.size(); ++axis) {
        tables.push_back(
            line(outputs[0].value.dims[axis], inputs[0].value.strides[static_cast<size_t>(op.permutation[axis])]));
    }
    copy_by_tables(inputs[0], outputs[0], tables);
    return {};
}

Status evaluate(const Expand&, const Sources& inputs, const Sinks& outputs) {
    const Dims strides = broadcast_strides(inputs[0].value, outputs[0].value.dims);
    AxisTables tables;
    for (size_t axis = 0; axis < strides.size(); ++axis)
        tables.push_back(line(outputs[0].value.dims[axis], strides[axis]));
    copy_by_tables(inputs[0], outputs[0], tables);
    return {};
}

Status evaluate(const Slice& op, const Sources& inputs, const Sinks& outputs) {
    AxisTables tables;
    for (size_t axis = 0; axis < op.length.size(); ++axis) {
        tables.push_back(line(op.length[axis], inputs[0].value.strides[axis], op.start[axis], op.step[axis]));
    }
    copy_by_tables(inputs[0], outputs[0], tables);
    return {};
}

Status evaluate(const Concat& op, const Sources& inputs, const Sinks& outputs) {
    const Sink& whole = outputs[0];
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, whole.value.dims.size()));
    int64_t first = 0;
    for (const Source& input : inputs) {
        AxisTables tables;
        for (size_t i = 0; i < input.value.dims.size(); ++i)
            tables.push_back(line(input.value.dims[i], input.value.strides[i]));
        const int64_t bytes = first * whole.value.strides[axis] * bytes_of(whole.value.type);
        if (element_count(input.value.dims) > 0) copy_by_tables(input, {whole.value, whole.memory + bytes}, tables);
        first += input.value.dims[axis];
    }
    return {};
}

Status evaluate(const Pad& op, const Sources& inputs, const Sinks& outputs) {
    const Value& x = inputs[0].value;
    AxisTables tables;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        std::vector<int64_t> table;
        for (int64_t i = 0; i < outputs[0].value.dims[axis]; ++i) {
            const int64_t index = padded_index(op.mode, i - op.before[axis], x.dims[axis]);
            table.push_back(index == kOutside ? kOutside : index * x.strides[axis]);
        }
        tables.push_back(std::move(table));
    }
    copy_by_tables(inputs[0], outputs[0], tables, op.value);
    return {};
}

Status evaluate(const Gather& op, const Sources& inputs, const Sinks& outputs) {
    const Value& x = inputs[0].value;
    const Value& indices = inputs[1].value;
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, x.dims.size()));
    // Strides of x and of the indices along the output axes: those before `axis`, those of the indices, those after it.
    Dims x_strides(x.strides.begin(), x.strides.begin() + static_cast<int64_t>(axis)), index_strides(axis, 0);
    x_strides.resize(axis + indices.dims.size(), 0);
    index_strides.insert(index_strides.end(), indices.strides.begin(), indices.strides.end());
    x_strides.insert(x_strides.end(), x.strides.begin() + static_cast<int64_t>(axis) + 1, x.strides.end());
    index_strides.resize(x_strides.size(), 0);
    walk<3>(outputs[0].value.dims, {outputs[0].value.strides, x_strides, index_strides}, [&](const auto& at) {
        int64_t index = load_integer(inputs[1].memory, indices.type, at[2]);
        if (index < 0) index += x.dims[axis];
        index = std::clamp<int64_t>(index, 0, x.dims[axis] - 1);
        copy_element(inputs[0], at[1] + index * x.strides[axis], outputs[0], at[0]);
    });
    return {};
}

Status evaluate(const IndexAlong& op, const Sources& inputs, const Sinks& outputs) {
    const Sink& y = outputs[0];
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, inputs[0].value.dims.size()));
    Dims counter(y.value.dims.size(), 0);
    counter[axis] = 1;
    walk<2>(y.value.dims, {y.value.strides, counter},
            [&](const auto& at) { store_integer(y.memory, y.value.type, at[0], at[1]); });
    return {};
}

}  // namespace tenon::engine
