#include <cmath>
#include <limits>

#include "engine/reference/operations.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Elements along one axis of a row-major tensor.
struct Line {
    double* first;
    int64_t length, step;

    double& operator[](int64_t i) const { return first[i * step]; }
};

/// The largest element is taken off first, so no exponential overflows. NaN spreads over the line; so do lines of
/// -infinity only, or with +infinity, which have no limit.
void normalize(const Line& line, bool log) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < line.length; ++i) largest = std::isnan(line[i]) || line[i] > largest ? line[i] : largest;
    double sum = 0.0;
    for (int64_t i = 0; i < line.length; ++i) sum += std::exp(line[i] - largest);
    for (int64_t i = 0; i < line.length; ++i) {
        const double below = line[i] - largest;
        line[i] = log ? below - std::log(sum) : std::exp(below) / sum;
    }
}

}  // namespace

Status evaluate(const Softmax& op, const Sources& inputs, const Sinks& outputs) {
    const Dims& dims = inputs[0].value.dims;
    TENON_ASSIGN(const size_t axis, normalized_axis(op.axis, dims.size()));
    std::vector<double> x = read<double>(inputs[0]);
    const int64_t length = dims[axis];
    const int64_t inner = element_count(Dims(dims.begin() + static_cast<int64_t>(axis) + 1, dims.end()));
    const int64_t lines = length == 0 ? 0 : static_cast<int64_t>(x.size()) / length;
    for (int64_t line = 0; line < lines; ++line) {
        normalize({x.data() + line / inner * length * inner + line % inner, length, inner}, op.log);
    }
    write(outputs[0], x);
    return {};
}

}  // namespace tenon::engine
