#include <algorithm>

#include "engine/reference/operations.h"
#include "engine/reference/rows.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Depth, height, width; missing leading axes have one position.
using Space = std::array<int64_t, 3>;

Space spaced(const Dims& spatial, int64_t missing) {
    Space space{missing, missing, missing};
    std::copy(spatial.begin(), spatial.end(), space.end() - static_cast<int64_t>(spatial.size()));
    return space;
}

int64_t volume(const Space& space) { return space[0] * space[1] * space[2]; }

/// An image, a result and a window that slides over one of them, all dense and row-major.
struct Sliding {
    Space image, result, window, stride, dilation, pad;
    int64_t batch, groups, image_channels, result_channels;  ///< Channels are per group.
};

Sliding sliding(const WindowGeometry& geometry, int64_t groups, const Value& x, const Value& y) {
    const auto spatial = [](const Value& value) { return Dims(value.dims.begin() + 2, value.dims.end()); };
    return {spaced(spatial(x), 1),
            spaced(spatial(y), 1),
            spaced(geometry.window, 1),
            spaced(geometry.stride, 1),
            spaced(geometry.dilation, 1),
            spaced(geometry.pad_before, 0),
            x.dims[0],
            groups,
            x.dims[1] / groups,
            y.dims[1] / groups};
}

/// A 1x1 window that visits every cell sees the image as one long row; long rows are quick.
void join_rows(Sliding& s) {
    const Space one{1, 1, 1}, none{0, 0, 0};
    if (s.window != one || s.stride != one || s.pad != none || s.image != s.result) return;
    s.image = s.result = {1, 1, volume(s.image)};
}

int64_t ceil_divide(int64_t a, int64_t b) { return a <= 0 ? -(-a / b) : (a + b - 1) / b; }

/// Adds to one row of the result what one row of the image gives it through one row of the window.
void add_row(const Sliding& s, const double* image_row, const double* window_row, double* sum) {
    for (int64_t tap = 0; tap < s.window[2]; ++tap) {
        const int64_t shift = tap * s.dilation[2] - s.pad[2], stride = s.stride[2];
        const int64_t first = std::max<int64_t>(0, ceil_divide(-shift, stride));
        const int64_t past = std::min(s.result[2], ceil_divide(s.image[2] - shift, stride));
        const double weight = window_row[tap];
        if (stride == 1) {
            for (int64_t q = first; q < past; ++q) sum[q] += weight * image_row[q + shift];
        } else {
            for (int64_t q = first; q < past; ++q) sum[q] += weight * image_row[q * stride + shift];
        }
    }
}

/// One row of the result: `plane` counts batches and filters, `depth` and `height` are its place.
void convolve_row(const Sliding& s, const std::vector<double>& x, const std::vector<double>& w, int64_t row,
                  double* sum) {
    const int64_t height = row % s.result[1], depth = row / s.result[1] % s.result[0];
    const int64_t plane = row / (s.result[0] * s.result[1]);
    const int64_t filters = s.groups * s.result_channels;
    const int64_t filter = plane % filters, batch = plane / filters, group = filter / s.result_channels;
    for (int64_t c = 0; c < s.image_channels; ++c) {
        const int64_t channel = (batch * s.groups + group) * s.image_channels + c;
        const double* image = x.data() + channel * volume(s.image);
        const double* window = w.data() + (filter * s.image_channels + c) * volume(s.window);
        for (int64_t t = 0; t < s.window[0]; ++t) {
            const int64_t z = depth * s.stride[0] - s.pad[0] + t * s.dilation[0];
            if (z < 0 || z >= s.image[0]) continue;
            for (int64_t r = 0; r < s.window[1]; ++r) {
                const int64_t y = height * s.stride[1] - s.pad[1] + r * s.dilation[1];
                if (y < 0 || y >= s.image[1]) continue;
                add_row(s, image + (z * s.image[1] + y) * s.image[2], window + (t * s.window[1] + r) * s.window[2],
                        sum);
            }
        }
    }
}

/// Spreads one cell of the image over the plane of one filter.
void spread_cell(const Sliding& s, double cell, const Space& at, const double* window, double* plane) {
    for (int64_t t = 0; t < s.window[0]; ++t) {
        const int64_t z = at[0] * s.stride[0] - s.pad[0] + t * s.dilation[0];
        if (z < 0 || z >= s.result[0]) continue;
        for (int64_t r = 0; r < s.window[1]; ++r) {
            const int64_t y = at[1] * s.stride[1] - s.pad[1] + r * s.dilation[1];
            if (y < 0 || y >= s.result[1]) continue;
            for (int64_t tap = 0; tap < s.window[2]; ++tap) {
                const int64_t column = at[2] * s.stride[2] - s.pad[2] + tap * s.dilation[2];
                if (column < 0 || column >= s.result[2]) continue;
                plane[(z * s.result[1] + y) * s.result[2] + column] +=
                    cell * window[(t * s.window[1] + r) * s.window[2] + tap];
            }
        }
    }
}

void spread_plane(const Sliding& s, const std::vector<double>& x, const std::vector<double>& w, int64_t plane,
                  double* sum) {
    const int64_t filters = s.groups * s.result_channels;
    const int64_t filter = plane % filters, batch = plane / filters, group = filter / s.result_channels;
    for (int64_t c = 0; c < s.image_channels; ++c) {
        const int64_t channel = group * s.image_channels + c;
        const double* image = x.data() + (batch * s.groups * s.image_channels + channel) * volume(s.image);
        const double* window = w.data() + (channel * s.result_channels + filter % s.result_channels) * volume(s.window);
        for (int64_t z = 0; z < s.image[0]; ++z) {
            for (int64_t y = 0; y < s.image[1]; ++y) {
                for (int64_t column = 0; column < s.image[2]; ++column) {
                    spread_cell(s, *image++, {z, y, column}, window, sum);
                }
            }
        }
    }
}

Dims window_of(const Value& w) { return Dims(w.dims.begin() + 2, w.dims.end()); }

}  // namespace

// Cells outside the image are left out, not multiplied by zero: an infinite weight there does no harm.
Status evaluate(const Conv& op, const Sources& inputs, const Sinks& outputs) {
    TENON_ASSIGN(const WindowGeometry geometry,
                 window_geometry(window_of(inputs[1].value), op.stride, op.dilation, op.pad));
    Sliding s = sliding(geometry, op.groups, inputs[0].value, outputs[0].value);
    join_rows(s);
    const std::vector<double> x = read<double>(inputs[0]), w = read<double>(inputs[1]);
    std::vector<double> sums(static_cast<size_t>(element_count(outputs[0].value.dims)), 0.0);
    const int64_t rows = s.result[2] == 0 ? 0 : static_cast<int64_t>(sums.size()) / s.result[2];
    const double operations =
        static_cast<double>(sums.size()) * static_cast<double>(s.image_channels * volume(s.window));
    for_each_row(rows, operations, [&](int64_t row) { convolve_row(s, x, w, row, sums.data() + row * s.result[2]); });
    write_sums(inputs[0], outputs[0], sums);
    return {};
}

Status evaluate(const ConvTranspose& op, const Sources& inputs, const Sinks& outputs) {
    TENON_ASSIGN(const WindowGeometry geometry,
                 window_geometry(window_of(inputs[1].value), op.stride, op.dilation, op.pad));
    const Sliding s = sliding(geometry, op.groups, inputs[0].value, outputs[0].value);
    const std::vector<double> x = read<double>(inputs[0]), w = read<double>(inputs[1]);
    std::vector<double> sums(static_cast<size_t>(element_count(outputs[0].value.dims)), 0.0);
    const int64_t planes = s.batch * s.groups * s.result_channels;
    const double operations = static_cast<double>(x.size()) * static_cast<double>(s.result_channels * volume(s.window));
    for_each_row(planes, operations,
                 [&](int64_t plane) { spread_plane(s, x, w, plane, sums.data() + plane * volume(s.result)); });
    write_sums(inputs[0], outputs[0], sums);
    return {};
}

}  // namespace tenon::engine
