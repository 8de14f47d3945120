#include <cmath>

#include "engine/reference/operations.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Two passes: the mean first, then the squares of what is left, so a large mean costs no digits.
struct Statistics {
    double mean = 0.0;
    double variance = 0.0;  ///< Biased.
};

Statistics statistics_of(const std::vector<double>& values, bool about_zero) {
    const double count = static_cast<double>(values.size());
    Statistics statistics;
    for (const double value : values) statistics.mean += about_zero ? 0.0 : value / count;
    for (const double value : values)
        statistics.variance += (value - statistics.mean) * (value - statistics.mean) / count;
    return statistics;
}

/// Row-major x as rows that are normalised apart, and where in scale and bias an element of a row looks.
struct Rows {
    int64_t count, length;
    int64_t vector_period;  ///< Elements of a row that share one entry of the vectors.
    int64_t vector_groups;  ///< Rows after which the vectors start again.

    int64_t vector_index(int64_t row, int64_t i) const {
        return row % vector_groups * (length / vector_period) + i / vector_period;
    }
};

Result<Rows> rows_of(const Norm& op, const Dims& dims) {
    const auto product = [&](size_t first, size_t past) {
        return element_count(
            Dims(dims.begin() + static_cast<int64_t>(first), dims.begin() + static_cast<int64_t>(past)));
    };
    if (op.kind == NormKind::Layer || op.kind == NormKind::Rms) {
        TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, dims.size()));
        return Rows{product(0, axis), product(axis, dims.size()), 1, 1};
    }
    const int64_t groups = op.kind == NormKind::Instance ? dims[1] : op.groups, spatial = product(2, dims.size());
    return Rows{dims[0] * groups, dims[1] / groups * spatial, spatial, groups};
}

/// Running statistics after one training step.
double blended(double running, double batch, double momentum) { return (1.0 - momentum) * running + momentum * batch; }

}  // namespace

Status evaluate(const Norm& op, const Sources& inputs, const Sinks& outputs) {
    TENON_ASSIGN(const Rows rows, rows_of(op, inputs[0].value.dims));
    std::vector<double> x = read<double>(inputs[0]);
    const std::vector<double> scale = inputs.size() > 1 ? read<double>(inputs[1]) : std::vector<double>();
    const std::vector<double> bias = inputs.size() > 2 ? read<double>(inputs[2]) : std::vector<double>();
    std::vector<double> means, inverse_deviations;
    for (int64_t row = 0; row < rows.count; ++row) {
        double* values = x.data() + row * rows.length;
        const Statistics s = statistics_of(std::vector<double>(values, values + rows.length), op.kind == NormKind::Rms);
        const double deviation = std::sqrt(s.variance + op.epsilon);
        means.push_back(s.mean);
        inverse_deviations.push_back(1.0 / deviation);
        for (int64_t i = 0; i < rows.length; ++i) {
            const size_t at = static_cast<size_t>(rows.vector_index(row, i));
            values[i] = (values[i] - s.mean) / deviation;
            if (!scale.empty()) values[i] *= scale[at];
            if (!bias.empty()) values[i] += bias[at];
        }
    }
    write(outputs[0], x);
    if (!op.save_statistics) return {};
    if (op.kind != NormKind::Rms) write(outputs[1], means);
    write(outputs.back(), inverse_deviations);
    return {};
}

Status evaluate(const BatchNorm& op, const Sources& inputs, const Sinks& outputs) {
    const Dims& dims = inputs[0].value.dims;
    const int64_t batch = dims[0], channels = dims[1], spatial = element_count(Dims(dims.begin() + 2, dims.end()));
    std::vector<double> x = read<double>(inputs[0]);
    const std::vector<double> scale = read<double>(inputs[1]), bias = read<double>(inputs[2]);
    std::vector<double> mean = read<double>(inputs[3]), variance = read<double>(inputs[4]);
    std::vector<double> saved_mean, inverse_deviation;
    const double momentum = inputs.size() > 5 ? read<double>(inputs[5])[0] : op.momentum;
    for (int64_t c = 0; c < channels; ++c) {
        const size_t at = static_cast<size_t>(c);
        const auto for_each_value = [&](const auto& visit) {
            for (int64_t n = 0; n < batch; ++n) {
                for (int64_t i = 0; i < spatial; ++i) visit(x[static_cast<size_t>((n * channels + c) * spatial + i)]);
            }
        };
        Statistics used{mean[at], variance[at]};
        if (op.training) {
            std::vector<double> values;
            for_each_value([&](const double& value) { values.push_back(value); });
            used = statistics_of(values, false);
            const double count = static_cast<double>(values.size());
            mean[at] = blended(mean[at], used.mean, momentum);
            variance[at] = blended(variance[at], used.variance * count / (count - 1.0), momentum);
        }
        const double deviation = std::sqrt(used.variance + op.epsilon);
        saved_mean.push_back(used.mean);
        inverse_deviation.push_back(1.0 / deviation);
        for_each_value([&](double& value) { value = (value - used.mean) / deviation * scale[at] + bias[at]; });
    }
    write(outputs[0], x);
    if (!op.training) return {};
    write(outputs[1], mean);
    write(outputs[2], variance);
    write(outputs[3], saved_mean);
    write(outputs[4], inverse_deviation);
    return {};
}

}  // namespace tenon::engine
