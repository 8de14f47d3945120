#include <cmath>

#include "engine/reference/reference.h"
#include "frontend/ops/conv_geometry.h"

namespace tenon::engine {
namespace {

using Inputs = std::vector<const Dense*>;

Dims coordinates(const Dims& dims, int64_t number) {
    Dims at(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
        at[axis] = number % dims[axis];
        number /= dims[axis];
    }
    return at;
}

int64_t number_of(const Dims& dims, const Dims& at) {
    int64_t number = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis) number = number * dims[axis] + at[axis];
    return number;
}

Number element(const Dense& dense, const Dims& at) {
    return dense.elements[static_cast<size_t>(number_of(dense.dims, at))];
}

/// Element of an operand that broadcasts against `at`, axes aligned at the end.
Number broadcast_element(const Dense& dense, const Dims& at) {
    Dims own(dense.dims.size());
    const size_t missing = at.size() - own.size();
    for (size_t axis = 0; axis < own.size(); ++axis) own[axis] = dense.dims[axis] == 1 ? 0 : at[missing + axis];
    return element(dense, own);
}

/// Fills a result from a function of its coordinates.
template <typename Function>
void fill(Dense& result, Function function) {
    const int64_t count = element_count(result.dims);
    result.elements.resize(static_cast<size_t>(count));
    for (int64_t n = 0; n < count; ++n)
        result.elements[static_cast<size_t>(n)] = rounded(result.type, function(coordinates(result.dims, n)));
}

Dims tail(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

Number conv_element(const Conv& op, const WindowGeometry& g, const Dense& x, const Dense& w, const Dims& at) {
    const Dims window = tail(w.dims);
    const int64_t group = at[1] / (w.dims[0] / op.groups);
    Number sum = 0;
    for (int64_t tap = 0; tap < element_count(window); ++tap) {
        const Dims step = coordinates(window, tap);
        Dims image{at[0], 0}, filter{at[1], 0};
        bool inside = true;
        for (size_t i = 0; i < window.size(); ++i) {
            const int64_t position = at[i + 2] * g.stride[i] - g.pad_before[i] + step[i] * g.dilation[i];
            inside &= position >= 0 && position < x.dims[i + 2];
            image.push_back(position);
            filter.push_back(step[i]);
        }
        for (int64_t c = 0; inside && c < w.dims[1]; ++c) {
            image[1] = group * w.dims[1] + c;
            filter[1] = c;
            sum += element(x, image) * element(w, filter);
        }
    }
    return sum;
}

struct Evaluator {
    const Inputs& in;
    std::vector<Dense> out;

    void operator()(const Conv& op) {
        const WindowGeometry g = *window_geometry(tail(in[1]->dims), op.stride, op.dilation, op.pad);
        fill(out[0], [&](const Dims& at) { return conv_element(op, g, *in[0], *in[1], at); });
    }

    void operator()(const ConvTranspose& op) {
        // Scatter: every input element times every tap, added where it lands.
        const Dense &x = *in[0], &w = *in[1];
        const WindowGeometry g = *window_geometry(tail(w.dims), op.stride, op.dilation, op.pad);
        std::vector<Number> sums(static_cast<size_t>(element_count(out[0].dims)), 0);
        const int64_t channels = x.dims[1] / op.groups;
        for (int64_t n = 0; n < element_count(x.dims); ++n) {
            const Dims at = coordinates(x.dims, n);
            for (int64_t tap = 0; tap < element_count(w.dims) / w.dims[0]; ++tap) {
                const Dims step = coordinates(Dims(w.dims.begin() + 1, w.dims.end()), tap);
                Dims to{at[0], at[1] / channels * w.dims[1] + step[0]}, filter{at[1], step[0]};
                bool inside = true;
                for (size_t i = 0; i + 1 < step.size(); ++i) {
                    to.push_back(at[i + 2] * g.stride[i] - g.pad_before[i] + step[i + 1] * g.dilation[i]);
                    inside &= to.back() >= 0 && to.back() < out[0].dims[i + 2];
                    filter.push_back(step[i + 1]);
                }
                if (inside)
                    sums[static_cast<size_t>(number_of(out[0].dims, to))] +=
                        x.elements[static_cast<size_t>(n)] * element(w, filter);
            }
        }
        fill(out[0], [&](const Dims& at) { return sums[static_cast<size_t>(number_of(out[0].dims, at))]; });
    }

    void operator()(const Matmul&) {
        const Dense &a = *in[0], &b = *in[1];
        fill(out[0], [&](const Dims& at) {
            Number sum = 0;
            for (int64_t k = 0; k < a.dims.back(); ++k) {
                Dims left = at, right = at;
                left.back() = k;
                right[right.size() - 2] = k;
                sum += broadcast_matrix(a, left) * broadcast_matrix(b, right);
            }
            return sum;
        });
    }
    /// Batch axes broadcast, the last two are the matrix's own.
    static Number broadcast_matrix(const Dense& dense, const Dims& at) {
        Dims own(dense.dims.size());
        const size_t missing = at.size() - own.size();
        for (size_t axis = 0; axis < own.size(); ++axis)
            own[axis] = axis + 2 < own.size() && dense.dims[axis] == 1 ? 0 : at[missing + axis];
        return element(dense, own);
    }

    void operator()(const Pointwise& op) {
        const size_t data = op.kind == PointwiseKind::Select ? 1 : 0;
        fill(out[0], [&](const Dims& at) {
            Number values[3] = {0, 0, 0};
            for (size_t i = 0; i < in.size(); ++i) values[i] = broadcast_element(*in[i], at);
            return pointwise_value(op, in[data]->type, values[0], values[1], values[2]);
        });
    }
    void operator()(const Cast&) {
        fill(out[0], [&](const Dims& at) {
            const Number value = element(*in[0], at);
            const bool from_integer = !is_floating(in[0]->type) && is_integer(out[0].type);
            return from_integer ? wrapped(out[0].type, value) : value;
        });
    }

    /// Mean and biased variance over the elements that `same` selects.
    struct Moments {
        Number mean = 0, variance = 0;
    };
    template <typename Same>
    Moments moments(const Dense& x, bool centre, Same same) const {
        Moments m;
        int64_t count = 0;
        for (int64_t n = 0; n < element_count(x.dims); ++n) {
            if (!same(coordinates(x.dims, n))) continue;
            m.mean += x.elements[static_cast<size_t>(n)];
            ++count;
        }
        m.mean = centre ? m.mean / count : 0;
        for (int64_t n = 0; n < element_count(x.dims); ++n) {
            const Number deviation = x.elements[static_cast<size_t>(n)] - m.mean;
            if (same(coordinates(x.dims, n))) m.variance += deviation * deviation / count;
        }
        return m;
    }

    void operator()(const Norm& op) {
        const Dense& x = *in[0];
        const bool channels = op.kind == NormKind::Instance || op.kind == NormKind::Group;
        const size_t axis = channels ? 1 : *normalized_axis(op.axis, x.dims.size());
        const auto group_of = [&](const Dims& at) {
            if (!channels) return Dims(at.begin(), at.begin() + static_cast<int64_t>(axis));
            return Dims{at[0], op.kind == NormKind::Group ? at[1] / (x.dims[1] / op.groups) : at[1]};
        };
        std::map<Dims, Moments> known;
        const auto moments_at = [&](const Dims& group) {
            const auto [entry, is_new] = known.try_emplace(group);
            if (is_new)
                entry->second =
                    moments(x, op.kind != NormKind::Rms, [&](const Dims& other) { return group_of(other) == group; });
            return entry->second;
        };
        fill(out[0], [&](const Dims& at) {
            const Moments m = moments_at(group_of(at));
            Number value = (element(x, at) - m.mean) / std::sqrt(m.variance + op.epsilon);
            const Dims own = channels ? Dims{at[1]} : Dims(at.begin() + static_cast<int64_t>(axis), at.end());
            if (in.size() > 1) value *= element(*in[1], own);
            if (in.size() > 2) value += element(*in[2], own);
            return value;
        });
        for (size_t i = 1; i < out.size(); ++i) {
            const bool inverse = i + 1 == out.size();
            fill(out[i], [&](const Dims& at) {
                const Moments m = moments_at(channels ? at : Dims(at.begin(), at.begin() + static_cast<int64_t>(axis)));
                return inverse ? 1 / std::sqrt(m.variance + op.epsilon) : m.mean;
            });
        }
    }

    void operator()(const BatchNorm& op) {
        const Dense& x = *in[0];
        const auto vector = [&](size_t i, int64_t c) { return in[i]->elements[static_cast<size_t>(c)]; };
        std::vector<Moments> channel(static_cast<size_t>(x.dims[1]));
        for (int64_t c = 0; c < x.dims[1]; ++c) {
            channel[static_cast<size_t>(c)] = op.training ? moments(x, true, [&](const Dims& at) { return at[1] == c; })
                                                          : Moments{vector(3, c), vector(4, c)};
        }
        const auto moment = [&](int64_t c) { return channel[static_cast<size_t>(c)]; };
        fill(out[0], [&](const Dims& at) {
            return (element(x, at) - moment(at[1]).mean) / std::sqrt(moment(at[1]).variance + op.epsilon) *
                       vector(1, at[1]) +
                   vector(2, at[1]);
        });
        if (!op.training) return;
        const Number momentum = in.size() > 5 ? in[5]->elements[0] : static_cast<Number>(op.momentum);
        const Number count = static_cast<Number>(element_count(x.dims)) / static_cast<Number>(x.dims[1]);
        fill(out[1], [&](const Dims& at) { return (1 - momentum) * vector(3, at[0]) + momentum * moment(at[0]).mean; });
        fill(out[2], [&](const Dims& at) {
            return (1 - momentum) * vector(4, at[0]) + momentum * moment(at[0]).variance * count / (count - 1);
        });
        fill(out[3], [&](const Dims& at) { return moment(at[0]).mean; });
        fill(out[4], [&](const Dims& at) { return 1 / std::sqrt(moment(at[0]).variance + op.epsilon); });
    }

    void operator()(const Reduce& op) {
        const Dense& x = *in[0];
        std::vector<bool> reduced(x.dims.size(), op.axes.empty());
        for (const int64_t axis : op.axes) reduced[*normalized_axis(axis, x.dims.size())] = true;
        std::vector<std::vector<Number>> members(static_cast<size_t>(element_count(out[0].dims)));
        for (int64_t n = 0; n < element_count(x.dims); ++n) {
            const Dims at = coordinates(x.dims, n);
            Dims kept;
            for (size_t axis = 0; axis < at.size(); ++axis) {
                if (!reduced[axis]) kept.push_back(at[axis]);
                if (reduced[axis] && op.keep_dims) kept.push_back(0);
            }
            members[static_cast<size_t>(number_of(out[0].dims, kept))].push_back(x.elements[static_cast<size_t>(n)]);
        }
        fill(out[0], [&](const Dims& at) {
            return reduce(op.kind, x.type, members[static_cast<size_t>(number_of(out[0].dims, at))]);
        });
    }
    static Number reduce(ReduceKind kind, DataType type, const std::vector<Number>& members) {
        Number sum = 0, product = 1, absolute = 0, squares = 0, largest = -INFINITY, smallest = INFINITY, amax = 0;
        size_t argmax = 0, argmin = 0;
        for (size_t i = 0; i < members.size(); ++i) {
            const Number value = members[i];
            sum += value;
            product = is_integer(type) ? wrapped(DataType::I64, product * value) : product * value;
            absolute += std::fabs(value);
            squares += value * value;
            amax = std::isnan(value) || std::fabs(value) > amax ? std::fabs(value) : amax;
            if (i == 0 || (!std::isnan(largest) && (std::isnan(value) || value > largest))) largest = value, argmax = i;
            if (i == 0 || (!std::isnan(smallest) && (std::isnan(value) || value < smallest)))
                smallest = value, argmin = i;
        }
        const auto fit = [&](Number value) { return is_integer(type) ? wrapped(type, value) : value; };
        switch (kind) {
            case ReduceKind::Sum:
                return fit(sum);
            case ReduceKind::Mean:
                return is_integer(type) ? (members.empty() ? 0 : std::trunc(sum / members.size()))
                                        : sum / members.size();
            case ReduceKind::Max:
                return largest;
            case ReduceKind::Min:
                return smallest;
            case ReduceKind::Prod:
                return fit(product);
            case ReduceKind::Amax:
                return amax;
            case ReduceKind::Norm1:
                return fit(absolute);
            case ReduceKind::Norm2:
                return is_integer(type) ? std::trunc(std::sqrt(squares)) : std::sqrt(squares);
            case ReduceKind::Argmax:
                return argmax;
            case ReduceKind::Argmin:
                return argmin;
        }
        return 0;
    }

    void operator()(const Softmax& op) {
        const Dense& x = *in[0];
        const size_t axis = *normalized_axis(op.axis, x.dims.size());
        fill(out[0], [&](const Dims& at) {
            Number largest = -INFINITY, sum = 0;
            const auto along = [&](int64_t i) {
                Dims other = at;
                other[axis] = i;
                return element(x, other);
            };
            for (int64_t i = 0; i < x.dims[axis]; ++i)
                largest = std::isnan(along(i)) || along(i) > largest ? along(i) : largest;
            for (int64_t i = 0; i < x.dims[axis]; ++i) sum += std::exp(along(i) - largest);
            const Number shifted = element(x, at) - largest;
            return op.log ? shifted - std::log(sum) : std::exp(shifted) / sum;
        });
    }

    struct Pooled {
        Number value = -INFINITY;
        int64_t position = 0;
    };
    static Pooled pool_element(const Pool& op, const WindowGeometry& g, const Dense& x, const Dims& at) {
        Pooled best;
        Number sum = 0;
        int64_t seen = 0, counted = 0;
        for (int64_t cell = 0; cell < element_count(g.window); ++cell) {
            const Dims step = coordinates(g.window, cell);
            Dims image{at[0], at[1]};
            bool inside = true, in_padding = true;
            int64_t position = 0;
            for (size_t i = 0; i < step.size(); ++i) {
                image.push_back(at[i + 2] * g.stride[i] - g.pad_before[i] + step[i] * g.dilation[i]);
                inside &= image.back() >= 0 && image.back() < x.dims[i + 2];
                in_padding &= image.back() < x.dims[i + 2] + g.pad_after[i];
                position = position * x.dims[i + 2] + image.back();
            }
            counted += in_padding;
            if (!inside) continue;
            const Number value = element(x, image);
            sum += value;
            if (seen++ == 0 || (!std::isnan(best.value) && (std::isnan(value) || value > best.value)))
                best = {value, position};
        }
        if (op.kind == PoolKind::Average) best.value = sum / (op.count_padding ? counted : seen);
        return best;
    }
    void operator()(const Pool& op) {
        const Dense& x = *in[0];
        const WindowGeometry g =
            *window_geometry(op.window.empty() ? tail(x.dims) : op.window, op.stride, op.dilation, op.pad);
        fill(out[0], [&](const Dims& at) { return pool_element(op, g, x, at).value; });
        if (out.size() > 1) fill(out[1], [&](const Dims& at) -> Number { return pool_element(op, g, x, at).position; });
    }
    void operator()(const AdaptivePool& op) {
        const Dense& x = *in[0];
        fill(out[0], [&](const Dims& at) {
            Dims first, extent;
            for (size_t i = 0; i < op.output.size(); ++i) {
                const int64_t size = x.dims[i + 2], cells = op.output[i];
                first.push_back(at[i + 2] * size / cells);
                extent.push_back(((at[i + 2] + 1) * size + cells - 1) / cells - first.back());
            }
            Number sum = 0, largest = -INFINITY;
            for (int64_t cell = 0; cell < element_count(extent); ++cell) {
                Dims image = coordinates(extent, cell);
                for (size_t i = 0; i < image.size(); ++i) image[i] += first[i];
                image.insert(image.begin(), {at[0], at[1]});
                const Number value = element(x, image);
                sum += value;
                largest = std::isnan(value) || value > largest ? value : largest;
            }
            return op.kind == PoolKind::Average ? sum / element_count(extent) : largest;
        });
    }

    static double resize_position(const Resize& op, const Dense& x, size_t i, int64_t at) {
        const double size = static_cast<double>(x.dims[i + 2]), output = static_cast<double>(op.output[i]);
        const double scale = op.scale.empty() ? output / size : op.scale[i];
        if (op.coordinates == ResizeCoordinates::AlignCorners)
            return output > 1 ? static_cast<double>(at) * (size - 1) / (output - 1) : 0.0;
        if (op.coordinates == ResizeCoordinates::Asymmetric) return static_cast<double>(at) / scale;
        return (static_cast<double>(at) + 0.5) / scale - 0.5;
    }
    void operator()(const Resize& op) {
        const Dense& x = *in[0];
        const auto clamped = [&](double at, size_t i) {
            return std::min(std::max<int64_t>(static_cast<int64_t>(at), 0), x.dims[i + 2] - 1);
        };
        fill(out[0], [&](const Dims& at) {
            Number sum = 0;
            const size_t axes = op.output.size();
            for (size_t corner = 0; corner < (op.mode == ResizeMode::Linear ? size_t{1} << axes : 1); ++corner) {
                Dims image{at[0], at[1]};
                Number weight = 1;
                for (size_t i = 0; i < axes; ++i) {
                    double position = resize_position(op, x, i, at[i + 2]);
                    if (op.mode == ResizeMode::Linear) {
                        position = std::min(std::max(position, 0.0), static_cast<double>(x.dims[i + 2] - 1));
                        const double low = std::floor(position);
                        const bool upper = ((corner >> i) & 1) != 0;
                        weight *= upper ? position - low : 1 - (position - low);
                        image.push_back(clamped(low + (upper ? 1 : 0), i));
                        continue;
                    }
                    const double nearest[] = {std::ceil(position - 0.5), std::floor(position + 0.5),
                                              std::floor(position), std::ceil(position)};
                    image.push_back(clamped(nearest[static_cast<int>(op.rounding)], i));
                }
                if (weight != 0) sum += weight * element(x, image);
            }
            return sum;
        });
    }

    void operator()(const Reshape&) {
        fill(out[0], [&](const Dims& at) { return in[0]->elements[static_cast<size_t>(number_of(out[0].dims, at))]; });
    }
    void operator()(const Transpose& op) {
        fill(out[0], [&](const Dims& at) {
            Dims from(at.size());
            for (size_t i = 0; i < at.size(); ++i) from[static_cast<size_t>(op.permutation[i])] = at[i];
            return element(*in[0], from);
        });
    }
    void operator()(const Expand&) {
        fill(out[0], [&](const Dims& at) { return broadcast_element(*in[0], at); });
    }
    void operator()(const Slice& op) {
        fill(out[0], [&](const Dims& at) {
            Dims from = at;
            for (size_t i = 0; i < at.size(); ++i) from[i] = op.start[i] + at[i] * op.step[i];
            return element(*in[0], from);
        });
    }
    void operator()(const Concat& op) {
        const size_t axis = *normalized_axis(op.axis, out[0].dims.size());
        fill(out[0], [&](const Dims& at) {
            Dims from = at;
            size_t i = 0;
            while (from[axis] >= in[i]->dims[axis]) from[axis] -= in[i++]->dims[axis];
            return element(*in[i], from);
        });
    }
    void operator()(const Pad& op) {
        const Dense& x = *in[0];
        fill(out[0], [&](const Dims& at) -> Number {
            Dims from = at;
            for (size_t i = 0; i < at.size(); ++i) {
                const int64_t last = x.dims[i] - 1;
                from[i] -= op.before[i];
                if (op.mode == PadMode::Edge) from[i] = std::min(std::max<int64_t>(from[i], 0), last);
                if (op.mode == PadMode::Reflect)
                    from[i] = from[i] < 0 ? -from[i] : from[i] > last ? 2 * last - from[i] : from[i];
                if (from[i] < 0 || from[i] > last) return op.value;
            }
            return element(x, from);
        });
    }
    void operator()(const Gather& op) {
        const Dense& x = *in[0];
        const size_t axis = *normalized_axis(op.axis, x.dims.size()), rank = in[1]->dims.size();
        fill(out[0], [&](const Dims& at) {
            const Dims place(at.begin() + static_cast<int64_t>(axis), at.begin() + static_cast<int64_t>(axis + rank));
            int64_t index = static_cast<int64_t>(element(*in[1], place));
            if (index < 0) index += x.dims[axis];
            Dims from(at.begin(), at.begin() + static_cast<int64_t>(axis));
            from.push_back(std::min(std::max<int64_t>(index, 0), x.dims[axis] - 1));
            from.insert(from.end(), at.begin() + static_cast<int64_t>(axis + rank), at.end());
            return element(x, from);
        });
    }
    void operator()(const IndexAlong& op) {
        const size_t axis = *normalized_axis(op.axis, out[0].dims.size());
        fill(out[0], [&](const Dims& at) { return at[axis]; });
    }
};

}  // namespace

std::vector<Dense> evaluate(const Op& op, const std::vector<const Dense*>& inputs, const std::vector<Dense>& results) {
    Evaluator evaluator{inputs, results};
    std::visit(evaluator, op);
    return std::move(evaluator.out);
}

}  // namespace tenon::engine
