#include <cmath>
#include <limits>

#include "engine/reference/number.h"
#include "engine/reference/operations.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(int64_t) { return false; }
double magnitude(double value) { return std::fabs(value); }
// Through unsigned numbers, where overflow is defined: integers wrap.
int64_t magnitude(int64_t value) {
    return value < 0 ? static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(value)) : value;
}
double plus(double a, double b) { return a + b; }
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
double times(double a, double b) { return a * b; }
int64_t times(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// True if `value` takes the place of `best`: NaN beats everything, and the first of equals stays.
template <typename T>
bool beats(T value, T best, bool greatest) {
    if (is_nan(best)) return false;
    return is_nan(value) || (greatest ? value > best : value < best);
}

/// The neutral element of Max and Min.
template <typename T>
T outermost(DataType type, bool lowest) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if constexpr (std::is_same_v<T, double>)
        return lowest ? -kInfinite : kInfinite;
    else
        return lowest ? lowest_integer(type) : highest_integer(type);
}

template <typename T>
T extreme(const std::vector<T>& values, DataType type, bool greatest) {
    T best = outermost<T>(type, greatest);
    for (const T value : values) best = beats(value, best, greatest) ? value : best;
    return best;
}

template <typename T>
int64_t position_of_extreme(const std::vector<T>& values, bool greatest) {
    size_t best = 0;
    for (size_t i = 1; i < values.size(); ++i) best = beats(values[i], values[best], greatest) ? i : best;
    return static_cast<int64_t>(best);
}

double mean_of(double sum, size_t count) { return sum / static_cast<double>(count); }
/// Truncated, like integer division; of nothing it is 0.
int64_t mean_of(int64_t sum, size_t count) { return count == 0 ? 0 : sum / static_cast<int64_t>(count); }
double root(double sum) { return std::sqrt(sum); }
/// Truncated like the mean.
int64_t root(int64_t sum) { return static_cast<int64_t>(std::sqrt(static_cast<double>(sum))); }

template <typename T>
T reduced(ReduceKind kind, const std::vector<T>& values, DataType type) {
    T sum = 0, product = 1, magnitudes = 0, squares = 0, largest = 0;
    for (const T value : values) {
        sum = plus(sum, value);
        product = times(product, value);
        magnitudes = plus(magnitudes, magnitude(value));
        squares = plus(squares, times(value, value));
        largest = beats(magnitude(value), largest, true) ? magnitude(value) : largest;
    }
    switch (kind) {
        case ReduceKind::Sum:
            return sum;
        case ReduceKind::Mean:
            return mean_of(sum, values.size());
        case ReduceKind::Max:
            return extreme(values, type, true);
        case ReduceKind::Min:
            return extreme(values, type, false);
        case ReduceKind::Prod:
            return product;
        case ReduceKind::Amax:
            return largest;
        case ReduceKind::Norm1:
            return magnitudes;
        case ReduceKind::Norm2:
            return root(squares);
        case ReduceKind::Argmax:
        case ReduceKind::Argmin:
            break;  // an integer for every type; see below
    }
    return T(0);
}

/// Extents and strides of the axes that stay and of those that go.
struct Split {
    Dims kept, kept_strides, gone, gone_strides;
};

Result<Split> split(const Reduce& op, const Value& x) {
    std::vector<bool> goes(x.dims.size(), op.axes.empty());
    for (const int64_t named : op.axes) {
        TENON_ASSIGN(const size_t axis, normalized_axis(named, x.dims.size()));
        goes[axis] = true;
    }
    Split split;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        (goes[axis] ? split.gone : split.kept).push_back(x.dims[axis]);
        (goes[axis] ? split.gone_strides : split.kept_strides).push_back(x.strides[axis]);
    }
    return split;
}

template <typename T>
Status reduce(const Reduce& op, const Source& x, const Sink& y) {
    TENON_ASSIGN(const Split axes, split(op, x.value));
    const bool positions = op.kind == ReduceKind::Argmax || op.kind == ReduceKind::Argmin;
    std::vector<T> results;
    std::vector<int64_t> indices;
    std::vector<T> values;
    walk<1>(axes.kept, {axes.kept_strides}, [&](const auto& base) {
        values.clear();
        walk<1>(axes.gone, {axes.gone_strides}, [&](const auto& at) {
            if constexpr (std::is_same_v<T, double>)
                values.push_back(load(x.memory, x.value.type, base[0] + at[0]));
            else
                values.push_back(load_integer(x.memory, x.value.type, base[0] + at[0]));
        });
        if (positions)
            indices.push_back(position_of_extreme(values, op.kind == ReduceKind::Argmax));
        else
            results.push_back(reduced(op.kind, values, x.value.type));
    });
    if (positions)
        write(y, indices);
    else
        write(y, results);
    return {};
}

}  // namespace

// Sums and products of integers are exact modulo 2^64 and wrap to the declared type at the end.
Status evaluate(const Reduce& op, const Sources& inputs, const Sinks& outputs) {
    if (is_floating(inputs[0].value.type)) return reduce<double>(op, inputs[0], outputs[0]);
    return reduce<int64_t>(op, inputs[0], outputs[0]);
}

}  // namespace tenon::engine
