#include "frontend/onnx/rules/resample.h"

#include <algorithm>
#include <cmath>

#include "frontend/onnx/node_import.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 22;

double position(const Resampling& how, size_t axis, int64_t i, int64_t in, int64_t out) {
    const double index = static_cast<double>(i), scale = how.scale[axis];
    switch (how.coordinates) {
        case ResampleCoordinates::HalfPixelOrZero:
            if (out == 1) return 0.0;
            break;
        case ResampleCoordinates::AlignCorners:
            return out == 1 ? 0.0 : index * static_cast<double>(in - 1) / static_cast<double>(out - 1);
        case ResampleCoordinates::Asymmetric:
            return index / scale;
        case ResampleCoordinates::Middle:
            return (index + 0.5) / scale;
        case ResampleCoordinates::HalfPixel:
            break;
    }
    return (index + 0.5) / scale - 0.5;
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

/// Weight of a sample at distance `t` from the position, of the convolution kernel with coefficient `a`.
double cubic_weight(double t, double a) {
    t = std::fabs(t);
    if (t <= 1.0) return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    return t < 2.0 ? ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a : 0.0;
}

/// Adds the weights of output element `i` to its row of the matrix.
void add_weights(const Resampling& how, double at, int64_t in, double* row) {
    const bool cubic = how.kind == ResampleKind::Cubic;
    const auto low = static_cast<int64_t>(std::floor(at));
    double total = 0.0;
    for (int64_t sample = low - (cubic ? 1 : 0); sample <= low + (cubic ? 2 : 1); ++sample) {
        const double distance = at - static_cast<double>(sample);
        const double weight = cubic ? cubic_weight(distance, how.cubic) : std::max(0.0, 1.0 - std::fabs(distance));
        const bool is_outside = sample < 0 || sample >= in;
        if (is_outside && how.exclude_outside) continue;
        row[std::clamp<int64_t>(sample, 0, in - 1)] += weight;
        total += weight;
    }
    for (int64_t i = 0; how.exclude_outside && total != 0.0 && i < in; ++i) row[i] /= total;
}

/// The middle axis of [outer, in, inner].
Result<Operand> weighted(Builder& build, const Operand& x, const Resampling& how, size_t axis, int64_t out) {
    const int64_t in = x.dims[1];
    if (in * out > kMostWeights)
        return NodeImport::unsupported("axis " + std::to_string(axis) + " would need " + std::to_string(in * out) +
                                       " weights");
    std::vector<double> matrix(static_cast<size_t>(in * out), 0.0);
    for (int64_t i = 0; i < out; ++i) add_weights(how, position(how, axis, i, in, out), in, matrix.data() + i * in);
    const Operand weights = Builder::of(known_numbers(DataType::F32, {out, in}, matrix));
    TENON_ASSIGN(const Operand typed, build.cast(weights, x.type));
    return build.apply(Matmul{}, {typed, x});
}

Result<Operand> nearest(Builder& build, const Operand& x, const Resampling& how, size_t axis, int64_t out) {
    const int64_t in = x.dims[1];
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < out; ++i) {
        const double at = rounded(how.rounding, position(how, axis, i, in, out));
        indices.push_back(static_cast<int64_t>(std::clamp(at, 0.0, static_cast<double>(in - 1))));
    }
    return build.apply(Gather{1}, {x, Builder::of(known_integers(DataType::I64, {out}, indices))});
}

}  // namespace

Result<Operand> resample(Builder& build, const Operand& x, const Resampling& how) {
    Operand result = x;
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        const int64_t in = x.dims[axis], out = how.output[axis];
        if (in == out && how.scale[axis] == 1.0) continue;
        if (in < 1 || out < 1 || in > INT32_MAX || out > kMostWeights)
            return NodeImport::invalid("axis " + std::to_string(axis) + " goes from " + std::to_string(in) + " to " +
                                       std::to_string(out));
        Dims dims = result.dims;
        const int64_t outer = element_count(Dims(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis)));
        const int64_t inner = element_count(Dims(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end()));
        TENON_ASSIGN(const Operand rows, build.reshape(result, {outer, in, inner}));
        TENON_ASSIGN(const Operand moved, how.kind == ResampleKind::Nearest ? nearest(build, rows, how, axis, out)
                                                                            : weighted(build, rows, how, axis, out));
        dims[axis] = out;
        TENON_ASSIGN(result, build.reshape(moved, dims));
    }
    return result;
}

}  // namespace tenon::onnx
