#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/reference/number.h"
#include "engine/reference/operations.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// The cells of one axis that a window covers, and how many of its cells lie inside image and padding.
struct Reach {
    std::vector<int64_t> cells;
    int64_t padded = 0;
};

/// reaches[axis][p] for every spatial axis and output position.
using Reaches = std::vector<std::vector<Reach>>;

Reaches window_reaches(const WindowGeometry& g, const Dims& image, const Dims& result) {
    Reaches reaches(image.size());
    for (size_t axis = 0; axis < image.size(); ++axis) {
        for (int64_t p = 0; p < result[axis]; ++p) {
            Reach reach;
            for (int64_t tap = 0; tap < g.window[axis]; ++tap) {
                const int64_t cell = p * g.stride[axis] - g.pad_before[axis] + tap * g.dilation[axis];
                if (cell >= 0 && cell < image[axis]) reach.cells.push_back(cell);
                if (cell < image[axis] + g.pad_after[axis]) ++reach.padded;
            }
            reaches[axis].push_back(std::move(reach));
        }
    }
    return reaches;
}

Reaches adaptive_reaches(const Dims& image, const Dims& result) {
    Reaches reaches(image.size());
    for (size_t axis = 0; axis < image.size(); ++axis) {
        for (int64_t i = 0; i < result[axis]; ++i) {
            Reach reach;
            const int64_t past = ((i + 1) * image[axis] + result[axis] - 1) / result[axis];
            for (int64_t cell = i * image[axis] / result[axis]; cell < past; ++cell) reach.cells.push_back(cell);
            reaches[axis].push_back(std::move(reach));
        }
    }
    return reaches;
}

/// Positions in the row-major image that the windows of one output position cover, in row-major order.
struct Covered {
    std::vector<int64_t> cells;
    int64_t padded = 1;
};

std::vector<Covered> covered_cells(const Reaches& reaches, const Dims& image, const Dims& result) {
    std::vector<Covered> all;
    Dims strides = packed_strides(result, Layout::NCHW);
    for (int64_t number = 0; number < element_count(result); ++number) {
        Covered covered{{0}, 1};
        for (size_t axis = 0; axis < image.size(); ++axis) {
            const Reach& reach = reaches[axis][static_cast<size_t>(number / strides[axis] % result[axis])];
            std::vector<int64_t> longer;
            for (const int64_t outer : covered.cells) {
                for (const int64_t cell : reach.cells) longer.push_back(outer * image[axis] + cell);
            }
            covered.cells = std::move(longer);
            covered.padded *= reach.padded;
        }
        all.push_back(std::move(covered));
    }
    return all;
}

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(int64_t) { return false; }

/// The cell that wins: the first NaN, else the first of the largest; -1 if the window covers none.
template <typename T>
int64_t winner(const T* image, const std::vector<int64_t>& cells) {
    int64_t best = -1;
    for (const int64_t cell : cells) {
        const bool better = best < 0 || (!is_nan(image[best]) && (is_nan(image[cell]) || image[cell] > image[best]));
        if (better) best = cell;
    }
    return best;
}

double average(const double* image, const Covered& covered, bool count_padding) {
    double sum = 0.0;
    for (const int64_t cell : covered.cells) sum += image[cell];
    return sum / static_cast<double>(count_padding ? covered.padded : static_cast<int64_t>(covered.cells.size()));
}

Dims spatial(const Value& value) { return Dims(value.dims.begin() + 2, value.dims.end()); }

/// A window that covers padding only has the lowest value there is, at index 0.
template <typename T>
void pool_maxima(const Sources& inputs, const Sinks& outputs, const std::vector<Covered>& windows) {
    const std::vector<T> x = read<T>(inputs[0]);
    const Dims& dims = inputs[0].value.dims;
    const int64_t image_cells = element_count(spatial(inputs[0].value));
    std::vector<T> maxima;
    std::vector<int64_t> indices;
    for (int64_t plane = 0; plane < dims[0] * dims[1]; ++plane) {
        const T* image = x.data() + plane * image_cells;
        for (const Covered& window : windows) {
            T lowest = -std::numeric_limits<T>::infinity();
            if constexpr (std::is_same_v<T, int64_t>) lowest = lowest_integer(inputs[0].value.type);
            const int64_t best = winner(image, window.cells);
            maxima.push_back(best < 0 ? lowest : image[best]);
            indices.push_back(std::max<int64_t>(best, 0));
        }
    }
    write(outputs[0], maxima);
    if (outputs.size() > 1) write(outputs[1], indices);
}

void pool_averages(const Source& input, const Sink& output, const std::vector<Covered>& windows, bool count_padding) {
    const std::vector<double> x = read<double>(input);
    const int64_t image_cells = element_count(spatial(input.value));
    std::vector<double> averages;
    for (int64_t plane = 0; plane < input.value.dims[0] * input.value.dims[1]; ++plane) {
        for (const Covered& window : windows) {
            averages.push_back(average(x.data() + plane * image_cells, window, count_padding));
        }
    }
    write(output, averages);
}

void pool_windows(PoolKind kind, const Sources& inputs, const Sinks& outputs, const std::vector<Covered>& windows,
                  bool count_padding) {
    if (kind == PoolKind::Average) return pool_averages(inputs[0], outputs[0], windows, count_padding);
    if (is_floating(inputs[0].value.type)) return pool_maxima<double>(inputs, outputs, windows);
    pool_maxima<int64_t>(inputs, outputs, windows);
}

}  // namespace

Status evaluate(const Pool& op, const Sources& inputs, const Sinks& outputs) {
    const Dims image = spatial(inputs[0].value), result = spatial(outputs[0].value);
    TENON_ASSIGN(const WindowGeometry geometry,
                 window_geometry(op.window.empty() ? image : op.window, op.stride, op.dilation, op.pad));
    const Reaches reaches = window_reaches(geometry, image, result);
    pool_windows(op.kind, inputs, outputs, covered_cells(reaches, image, result), op.count_padding);
    return {};
}

Status evaluate(const AdaptivePool& op, const Sources& inputs, const Sinks& outputs) {
    const Dims image = spatial(inputs[0].value), result = spatial(outputs[0].value);
    pool_windows(op.kind, inputs, outputs, covered_cells(adaptive_reaches(image, result), image, result), false);
    return {};
}

}  // namespace tenon::engine
