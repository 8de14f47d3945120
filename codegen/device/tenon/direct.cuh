// Anchors one output element at a time: any strides, any type, no main loop to speak of. Right for everything; other families are faster.
#pragma once

#include <tenon/direct_input.cuh>

namespace tenon {

struct ConvShape {
    Source x, w;
    int64 stride[3], dilation[3], pad[3];
    int64 groups;
};

/// Element of a convolution: p = (n, k, p…). Taps outside the image count as zero and are not read.
template <ConvShape S, typename X, typename W>
__device__ inline ComputeIn<X> conv(const X& x, const W& w, const Point& p) {
    constexpr int kSpatial = S.x.rank - 2;
    constexpr int64 kChannels = S.w.dims[1], kFilters = S.w.dims[0] / S.groups;
    const int64 group = p.axis[1] / kFilters;
    ComputeIn<X> sum = 0;
    Point image{{p.axis[0]}}, filter{{p.axis[1]}};
    int64 taps = 1;
    for (int i = 0; i < kSpatial; ++i) taps *= S.w.dims[i + 2];
    for (int64 tap = 0; tap < taps; ++tap) {
        bool inside = true;
        int64 rest = tap;
        for (int i = kSpatial - 1; i >= 0; --i) {
            const int64 step = rest % S.w.dims[i + 2];
            rest /= S.w.dims[i + 2];
            const int64 position = p.axis[i + 2] * S.stride[i] - S.pad[i] + step * S.dilation[i];
            inside = inside && position >= 0 && position < S.x.dims[i + 2];
            image.axis[i + 2] = position;
            filter.axis[i + 2] = step;
        }
        if (!inside) continue;
        for (int64 c = 0; c < kChannels; ++c) {
            image.axis[1] = group * kChannels + c;
            filter.axis[1] = c;
            sum = multiply_add(read<S.x>(x, image), ComputeIn<X>(read<S.w>(w, filter)), sum);
        }
    }
    return sum;
}

/// Element of a transposed convolution: the taps and image positions that would have produced it.
template <ConvShape S, typename X, typename W>
__device__ inline ComputeIn<X> conv_transpose(const X& x, const W& w, const Point& p) {
    constexpr int kSpatial = S.x.rank - 2;
    constexpr int64 kFilters = S.w.dims[1], kChannels = S.x.dims[1] / S.groups;
    const int64 group = p.axis[1] / kFilters;
    ComputeIn<X> sum = 0;
    Point image{{p.axis[0]}}, filter{};
    filter.axis[1] = p.axis[1] % kFilters;
    int64 taps = 1;
    for (int i = 0; i < kSpatial; ++i) taps *= S.w.dims[i + 2];
    for (int64 tap = 0; tap < taps; ++tap) {
        bool inside = true;
        int64 rest = tap;
        for (int i = kSpatial - 1; i >= 0; --i) {
            const int64 step = rest % S.w.dims[i + 2];
            rest /= S.w.dims[i + 2];
            const int64 spread = p.axis[i + 2] + S.pad[i] - step * S.dilation[i];
            const int64 position = spread / S.stride[i];
            inside = inside && spread >= 0 && spread % S.stride[i] == 0 && position < S.x.dims[i + 2];
            image.axis[i + 2] = position;
            filter.axis[i + 2] = step;
        }
        if (!inside) continue;
        for (int64 c = 0; c < kChannels; ++c) {
            image.axis[1] = filter.axis[0] = group * kChannels + c;
            sum = multiply_add(read<S.x>(x, image), ComputeIn<X>(read<S.w>(w, filter)), sum);
        }
    }
    return sum;
}

struct MatmulShape {
    Source a, b;
    int rank;  ///< Of the result.
};

/// Element of a [batch…, M, N] product; batch axes align at the end and extent-1 ones are read at 0.
template <MatmulShape S, typename A, typename B>
__device__ inline ComputeIn<A> matmul(const A& a, const B& b, const Point& p) {
    constexpr int kLeft = S.a.rank - 2, kRight = S.b.rank - 2, kBatch = S.rank - 2;
    Point left{}, right{};
    for (int i = 0; i < kLeft; ++i) left.axis[i] = S.a.dims[i] == 1 ? 0 : p.axis[kBatch - kLeft + i];
    for (int i = 0; i < kRight; ++i) right.axis[i] = S.b.dims[i] == 1 ? 0 : p.axis[kBatch - kRight + i];
    left.axis[kLeft] = p.axis[kBatch];
    right.axis[kRight + 1] = p.axis[kBatch + 1];
    ComputeIn<A> sum = 0;
    for (int64 k = 0; k < S.a.dims[kLeft + 1]; ++k) {
        left.axis[kLeft + 1] = right.axis[kRight] = k;
        sum = multiply_add(read<S.a>(a, left), ComputeIn<A>(read<S.b>(b, right)), sum);
    }
    return sum;
}

enum class Reduction { Sum, Mean, Max, Min, Prod, Amax, Norm1, Norm2, Argmax, Argmin };

struct ReduceShape {
    Reduction kind;
    Source x;
    bool reduced[kMaxAxes];
    bool keep_dims;
};

/// Wide enough for sums over any number of elements: double, or 64-bit integers.
template <typename T>
struct SumOf {
    using type = int64;
};
template <>
struct SumOf<float> {
    using type = double;
};
template <>
struct SumOf<double> {
    using type = double;
};

/// What every other element of X beats: the neutral element of maxima, or of minima. Infinite for floats.
template <typename X, bool kOfMaxima>
__device__ inline Compute<X> outermost() {
    if constexpr (kIsFloating<Compute<X>>) return Compute<X>(kOfMaxima ? -kInfinity : kInfinity);
    else return Compute<X>(kOfMaxima ? Limits<X>::kLowest : Limits<X>::kHighest);
}

/// Element of a reduction: all elements of x whose kept coordinates are p, in row-major order.
template <ReduceShape S, typename X>
__device__ inline auto reduce(const X& x, const Point& p) {
    using Element = ComputeIn<X>;
    using Sum = typename SumOf<Element>::type;
    constexpr bool kPosition = S.kind == Reduction::Argmax || S.kind == Reduction::Argmin;
    Point at{};
    int64 count = 1;
    for (int i = 0, kept = 0; i < S.x.rank; ++i) {
        if (S.reduced[i]) count *= S.x.dims[i];
        if (!S.reduced[i]) at.axis[i] = p.axis[kept];
        if (!S.reduced[i] || S.keep_dims) ++kept;
    }
    Sum sum = S.kind == Reduction::Prod ? 1 : 0;
    Element best = 0;
    int64 best_at = 0;
    for (int64 n = 0; n < count; ++n) {
        int64 rest = n;
        for (int i = S.x.rank - 1; i >= 0; --i) {
            if (!S.reduced[i]) continue;
            at.axis[i] = rest % S.x.dims[i];
            rest /= S.x.dims[i];
        }
        const Element value = read<S.x>(x, at);
        if constexpr (S.kind == Reduction::Sum || S.kind == Reduction::Mean) sum += Sum(value);
        if constexpr (S.kind == Reduction::Prod) sum *= Sum(value);
        if constexpr (S.kind == Reduction::Norm1) sum += Sum(abs(value));
        if constexpr (S.kind == Reduction::Norm2) sum += Sum(value) * Sum(value);
        if constexpr (S.kind == Reduction::Amax) best = n == 0 ? abs(value) : maximum(best, abs(value));
        if constexpr (S.kind == Reduction::Max) best = n == 0 ? value : maximum(best, value);
        if constexpr (S.kind == Reduction::Min) best = n == 0 ? value : minimum(best, value);
        if constexpr (kPosition) {
            const bool beats = S.kind == Reduction::Argmax ? value > best : value < best;
            if (n == 0 || (best == best && (beats || value != value))) {
                best = value;
                best_at = n;
            }
        }
    }
    if constexpr (kPosition) return best_at;
    else if constexpr (S.kind == Reduction::Max || S.kind == Reduction::Min) {
        return count == 0 ? outermost<typename ElementOf<X>::type, S.kind == Reduction::Max>() : best;
    } else if constexpr (S.kind == Reduction::Amax) return best;
    else if constexpr (S.kind == Reduction::Mean) {
        if constexpr (kIsFloating<Element>) return Element(sum / double(count));
        else return count == 0 ? Element(0) : Element(sum / count);
    } else if constexpr (S.kind == Reduction::Norm2) return Element(sqrt_of(double(sum)));
    else return Element(sum);
}

enum class Pooling { Max, Average };

struct PoolShape {
    Pooling kind;
    Source x;
    int64 window[3], stride[3], dilation[3], pad[3], pad_after[3];
    bool count_padding;
};

/// Element of a pooling, and for maxima where it was found.
template <typename T>
struct Pooled {
    T value;
    int64 position;
};

template <PoolShape S, typename X>
__device__ inline Pooled<ComputeIn<X>> pool_with_position(const X& x, const Point& p) {
    using Element = ComputeIn<X>;
    using Sum = typename SumOf<Element>::type;
    constexpr int kSpatial = S.x.rank - 2;
    int64 cells = 1, divisor = 1, seen = 0;
    for (int i = 0; i < kSpatial; ++i) {
        cells *= S.window[i];
        const int64 start = p.axis[i + 2] * S.stride[i] - S.pad[i];
        const int64 end = S.x.dims[i + 2] + S.pad_after[i];
        int64 covered = 0;
        for (int64 step = 0; step < S.window[i]; ++step) covered += start + step * S.dilation[i] < end;
        divisor *= covered;
    }
    Sum sum = 0;
    Pooled<Element> best{Element(0), 0};
    for (int64 cell = 0; cell < cells; ++cell) {
        Point place{{p.axis[0], p.axis[1]}};
        int64 position = 0, scale = 1, rest = cell;
        bool inside = true;
        for (int i = kSpatial - 1; i >= 0; --i) {
            const int64 at = p.axis[i + 2] * S.stride[i] - S.pad[i] + rest % S.window[i] * S.dilation[i];
            rest /= S.window[i];
            inside = inside && at >= 0 && at < S.x.dims[i + 2];
            place.axis[i + 2] = at;
            position += at * scale;
            scale *= S.x.dims[i + 2];
        }
        if (!inside) continue;
        const Element value = read<S.x>(x, place);
        sum += Sum(value);
        if (seen == 0 || (best.value == best.value && (value > best.value || value != value))) best = {value, position};
        ++seen;
    }
    if constexpr (S.kind == Pooling::Average) {
        return {Element(double(sum) / double(S.count_padding ? divisor : seen)), 0};
    } else {
        if (seen == 0) best.value = outermost<typename ElementOf<X>::type, true>();
        return best;
    }
}

template <PoolShape S, typename X>
__device__ inline ComputeIn<X> pool(const X& x, const Point& p) {
    return pool_with_position<S>(x, p).value;
}

/// Element of an adaptive pooling: cell i covers inputs floor(i in / out) to ceil((i + 1) in / out).
struct AdaptivePoolShape {
    Pooling kind;
    Source x;
    int64 output[3];
};

template <AdaptivePoolShape S, typename X>
__device__ inline ComputeIn<X> adaptive_pool(const X& x, const Point& p) {
    using Element = ComputeIn<X>;
    constexpr int kSpatial = S.x.rank - 2;
    int64 first[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, cells = 1;
    for (int i = 0; i < kSpatial; ++i) {
        const int64 in = S.x.dims[i + 2], out = S.output[i], at = p.axis[i + 2];
        first[i] = at * in / out;
        extent[i] = ((at + 1) * in + out - 1) / out - first[i];
        cells *= extent[i];
    }
    typename SumOf<Element>::type sum = 0;
    Element best = 0;
    for (int64 cell = 0; cell < cells; ++cell) {
        Point place{{p.axis[0], p.axis[1]}};
        int64 rest = cell;
        for (int i = kSpatial - 1; i >= 0; --i) {
            place.axis[i + 2] = first[i] + rest % extent[i];
            rest /= extent[i];
        }
        const Element value = read<S.x>(x, place);
        sum += value;
        best = cell == 0 ? value : maximum(best, value);
    }
    return S.kind == Pooling::Average ? Element(sum / double(cells)) : best;
}

enum class Interpolation { Nearest, Linear };
enum class Coordinates { HalfPixel, AlignCorners, Asymmetric };
enum class Rounding { PreferFloor, PreferCeil, Floor, Ceil };

struct ResizeShape {
    Interpolation mode;
    Coordinates coordinates;
    Rounding rounding;
    Source x;
    int64 output[3];
    double scale[3];
};

/// Where output index `at` of spatial axis i lies in the input.
template <ResizeShape S>
__device__ inline double resize_position(int i, int64 at) {
    const double in = double(S.x.dims[i + 2]), out = double(S.output[i]);
    if (S.coordinates == Coordinates::AlignCorners) return out > 1.0 ? double(at) * (in - 1.0) / (out - 1.0) : 0.0;
    if (S.coordinates == Coordinates::Asymmetric) return double(at) / S.scale[i];
    return (double(at) + 0.5) / S.scale[i] - 0.5;
}

__device__ inline int64 clamped(int64 at, int64 extent) { return at < 0 ? 0 : at >= extent ? extent - 1 : at; }

template <ResizeShape S, typename X>
__device__ inline ComputeIn<X> resize(const X& x, const Point& p) {
    using Element = ComputeIn<X>;
    constexpr int kSpatial = S.x.rank - 2;
    Point place{{p.axis[0], p.axis[1]}};
    if constexpr (S.mode == Interpolation::Nearest) {
        for (int i = 0; i < kSpatial; ++i) {
            const double at = resize_position<S>(i, p.axis[i + 2]);
            double nearest = floor_of(at);
            if (S.rounding == Rounding::Ceil) nearest = ceil_of(at);
            if (S.rounding == Rounding::PreferFloor) nearest = ceil_of(at - 0.5);
            if (S.rounding == Rounding::PreferCeil) nearest = floor_of(at + 0.5);
            place.axis[i + 2] = clamped(int64(nearest), S.x.dims[i + 2]);
        }
        return read<S.x>(x, place);
    } else {
        double sum = 0.0;
        for (int corner = 0; corner < 1 << kSpatial; ++corner) {
            double weight = 1.0;
            for (int i = 0; i < kSpatial; ++i) {
                double at = resize_position<S>(i, p.axis[i + 2]);
                const double last = double(S.x.dims[i + 2] - 1);
                at = at < 0.0 ? 0.0 : at > last ? last : at;
                const double low = floor_of(at);
                const bool upper = (corner >> i & 1) != 0;
                weight *= upper ? at - low : 1.0 - (at - low);
                place.axis[i + 2] = clamped(int64(low) + (upper ? 1 : 0), S.x.dims[i + 2]);
            }
            if (weight != 0.0) sum += weight * double(read<S.x>(x, place));
        }
        return Element(sum);
    }
}

enum class Padding { Constant, Reflect, Edge };

struct PadShape {
    Padding mode;
    Source x;
    int64 before[kMaxAxes];
    double value;
};

template <PadShape S, typename X>
__device__ inline ComputeIn<X> pad(const X& x, const Point& p) {
    Point place{};
    bool inside = true;
    for (int i = 0; i < S.x.rank; ++i) {
        const int64 last = S.x.dims[i] - 1;
        int64 at = p.axis[i] - S.before[i];
        if (S.mode == Padding::Edge) at = clamped(at, last + 1);
        if (S.mode == Padding::Reflect) at = at < 0 ? -at : at > last ? 2 * last - at : at;
        inside = inside && at >= 0 && at <= last;
        place.axis[i] = at;
    }
    return inside ? read<S.x>(x, place) : widened(narrowed<typename ElementOf<X>::type>(S.value));
}

struct GatherShape {
    Source x, indices;
    int axis;
};

/// Element of x whose coordinate along `axis` is read from `indices`; negative ones count from the end, all are clamped.
template <GatherShape S, typename X, typename I>
__device__ inline ComputeIn<X> gather(const X& x, const I& indices, const Point& p) {
    Point entry{}, place{};
    for (int i = 0; i < S.indices.rank; ++i) entry.axis[i] = p.axis[S.axis + i];
    int64 index = int64(read<S.indices>(indices, entry));
    if (index < 0) index += S.x.dims[S.axis];
    for (int i = 0; i < S.axis; ++i) place.axis[i] = p.axis[i];
    place.axis[S.axis] = clamped(index, S.x.dims[S.axis]);
    for (int i = S.axis + 1; i < S.x.rank; ++i) place.axis[i] = p.axis[i - 1 + S.indices.rank];
    return read<S.x>(x, place);
}

struct ReshapeShape {
    Source x;
    int rank;
    int64 dims[kMaxAxes];
};

/// Element of x with the same row-major number.
template <ReshapeShape S, typename X>
__device__ inline ComputeIn<X> reshape(const X& x, const Point& p) {
    int64 number = 0;
    for (int i = 0; i < S.rank; ++i) number = number * S.dims[i] + p.axis[i];
    Point place{};
    for (int i = S.x.rank - 1; i >= 0; --i) {
        place.axis[i] = number % S.x.dims[i];
        number /= S.x.dims[i];
    }
    return read<S.x>(x, place);
}

}  // namespace tenon
