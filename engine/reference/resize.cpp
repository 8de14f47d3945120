#include <algorithm>
#include <cmath>

#include "engine/reference/axis_tables.h"
#include "engine/reference/operations.h"

namespace tenon::engine {
namespace {

/// Where output index i of an axis lies in the input.
double position(const Resize& op, size_t axis, int64_t i, int64_t in, int64_t out) {
    const double scale = op.scale.empty() ? static_cast<double>(out) / static_cast<double>(in) : op.scale[axis];
    const double index = static_cast<double>(i);
    switch (op.coordinates) {
        case ResizeCoordinates::HalfPixel:
            return (index + 0.5) / scale - 0.5;
        case ResizeCoordinates::Asymmetric:
            return index / scale;
        case ResizeCoordinates::AlignCorners:
            break;
    }
    return out == 1 ? 0.0 : index * static_cast<double>(in - 1) / static_cast<double>(out - 1);
}

double rounded(ResizeRounding rounding, double at) {
    switch (rounding) {
        case ResizeRounding::PreferFloor:
            return std::ceil(at - 0.5);
        case ResizeRounding::PreferCeil:
            return std::floor(at + 0.5);
        case ResizeRounding::Floor:
            return std::floor(at);
        case ResizeRounding::Ceil:
            break;
    }
    return std::ceil(at);
}

/// Every position 0, 1, … of an axis with the given step.
std::vector<int64_t> steps(int64_t extent, int64_t step) {
    std::vector<int64_t> table;
    for (int64_t i = 0; i < extent; ++i) table.push_back(i * step);
    return table;
}

void resize_to_nearest(const Resize& op, const Source& x, const Sink& y) {
    const Value& in = x.value;
    AxisTables tables{steps(in.dims[0], in.strides[0]), steps(in.dims[1], in.strides[1])};
    for (size_t axis = 2; axis < in.dims.size(); ++axis) {
        std::vector<int64_t> table;
        for (int64_t i = 0; i < y.value.dims[axis]; ++i) {
            const double at = rounded(op.rounding, position(op, axis - 2, i, in.dims[axis], y.value.dims[axis]));
            const double clamped = std::clamp(at, 0.0, static_cast<double>(in.dims[axis] - 1));
            table.push_back(static_cast<int64_t>(clamped) * in.strides[axis]);
        }
        tables.push_back(std::move(table));
    }
    copy_by_tables(x, y, tables);
}

/// Interpolates the middle one of three axes: [outer, in, inner] to [outer, out, inner].
std::vector<double> interpolated(const std::vector<double>& x, const std::vector<double>& positions, int64_t in,
                                 int64_t inner) {
    std::vector<double> y;
    const int64_t outer = static_cast<int64_t>(x.size()) / (in * inner);
    for (int64_t o = 0; o < outer; ++o) {
        for (const double position : positions) {
            const double at = std::clamp(position, 0.0, static_cast<double>(in - 1));
            const int64_t low = static_cast<int64_t>(std::floor(at));
            const double share = at - static_cast<double>(low);
            const double* line = x.data() + (o * in + low) * inner;
            // A neighbour without weight is not read: it may lie outside, or be infinite.
            for (int64_t i = 0; i < inner; ++i)
                y.push_back(share == 0.0 ? line[i] : (1.0 - share) * line[i] + share * line[inner + i]);
        }
    }
    return y;
}

}  // namespace

Status evaluate(const Resize& op, const Sources& inputs, const Sinks& outputs) {
    const Dims& in = inputs[0].value.dims;
    const Dims& out = outputs[0].value.dims;
    if (op.mode == ResizeMode::Nearest) {
        resize_to_nearest(op, inputs[0], outputs[0]);
        return {};
    }
    std::vector<double> x = read<double>(inputs[0]);
    for (size_t axis = in.size(); axis-- > 2 && !x.empty();) {
        std::vector<double> positions;
        for (int64_t i = 0; i < out[axis]; ++i) positions.push_back(position(op, axis - 2, i, in[axis], out[axis]));
        // Axes after this one have their new extents already.
        x = interpolated(x, positions, in[axis],
                         element_count(Dims(out.begin() + static_cast<int64_t>(axis) + 1, out.end())));
    }
    write(outputs[0], x);
    return {};
}

}  // namespace tenon::engine
