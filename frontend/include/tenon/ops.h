#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include <tenon/pointwise.h>
#include <tenon/types.h>

namespace tenon {

// One plain struct per operation. `fields` lists every field once; JSON, keys and dumps walk that list.
// Spatial attributes have one entry per spatial axis and may be left empty (stride and dilation 1, pad 0).
// `pad` is {before…, after…} over the spatial axes, e.g. {top, left, bottom, right} for images.

/// Cross-correlation of an image x [N, C, spatial…] with filters w [K, C / groups, window…]. Inputs: x, w.
/// Output [N, K, P…], P = floor((in + pad_before + pad_after - dilation * (window - 1) - 1) / stride) + 1.
struct Conv {
    Dims stride, dilation, pad;
    int64_t groups = 1;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("stride", self.stride);
        visit("dilation", self.dilation);
        visit("pad", self.pad);
        visit("groups", self.groups);
    }
};

/// Transposed convolution (gradient of Conv for its image). Inputs: x [N, C, spatial…], w [C, K / groups, window…].
/// Output extent (in - 1) * stride - pad_before - pad_after + dilation * (window - 1) + 1 + output_padding.
struct ConvTranspose {
    Dims stride, dilation, pad, output_padding;
    int64_t groups = 1;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("stride", self.stride);
        visit("dilation", self.dilation);
        visit("pad", self.pad);
        visit("output_padding", self.output_padding);
        visit("groups", self.groups);
    }
};

/// a [batch…, M, K] times b [batch…, K, N] -> [batch…, M, N]; batch axes broadcast; rank >= 2. A transposed operand is
/// a Transpose in front, which costs nothing.
struct Matmul {
    template <typename Self, typename Visit>
    static void fields(Self&, Visit&&) {}
};

/// One function of pointwise.h on 1 to 3 inputs that broadcast against each other as in NumPy (axes aligned at the
/// end).
struct Pointwise {
    PointwiseKind kind = PointwiseKind::Identity;
    std::array<double, 3> parameters{};  ///< In the order of the table row.

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind);
        visit("parameters", self.parameters);
    }
};

/// Converts elements. Float to integer rounds half to even, saturates, NaN becomes 0; anything non-zero is true.
struct Cast {
    DataType type = DataType::F32;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("type", self.type);
    }
};

enum class NormKind { Layer, Rms, Instance, Group };

/// (x - mean) / sqrt(variance + epsilon) * scale + bias with the biased variance; Rms has no mean: x / sqrt(mean(x^2) +
/// epsilon); epsilon >= 0. Layer and Rms reduce the axes from `axis` on; Instance the spatial axes per (N, C); Group
/// the spatial axes and the channels of one of `groups` groups. Inputs: x [, scale [, bias]]; scale and bias are [dims
/// from `axis` on] for Layer and Rms, [C] otherwise. Outputs: y; with `save_statistics` also mean (not for Rms) and 1 /
/// sqrt(variance + epsilon), f32.
struct Norm {
    NormKind kind = NormKind::Layer;
    int64_t axis = -1;
    int64_t groups = 1;
    double epsilon = 1e-5;
    bool save_statistics = false;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind);
        visit("axis", self.axis);
        visit("groups", self.groups);
        visit("epsilon", self.epsilon);
        visit("save_statistics", self.save_statistics);
    }
};

/// Batch normalisation over the channels (axis 1). Inputs: x, scale [C], bias [C], mean [C], variance [C] (the running
/// ones). Inference: y = (x - mean) / sqrt(variance + epsilon) * scale + bias. Training: uses the batch statistics;
/// outputs y, new running mean, new running variance, saved mean, saved inverse deviation. running = (1 - momentum) *
/// running + momentum * batch, with the unbiased variance n / (n - 1). A sixth input (a scalar) gives the momentum at
/// run time. One value per channel is refused, and a momentum outside 0 … 1.
struct BatchNorm {
    double epsilon = 1e-5;
    double momentum = 0.1;
    bool training = false;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("epsilon", self.epsilon);
        visit("momentum", self.momentum);
        visit("training", self.training);
    }
};

/// Amax is max(|x|), Norm1 sum(|x|), Norm2 sqrt(sum(x^2)). Argmax and Argmin reduce one axis, give I64, first wins.
enum class ReduceKind { Sum, Mean, Max, Min, Prod, Amax, Norm1, Norm2, Argmax, Argmin };

/// Reduces `axes` (empty: all). NaN propagates through Max and Min. Reducing nothing gives the neutral element: for Max
/// and Min the infinities, or the lowest and highest integer of the type; for Mean NaN, or 0 for integers.
struct Reduce {
    ReduceKind kind = ReduceKind::Sum;
    Dims axes;
    bool keep_dims = true;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind);
        visit("axes", self.axes);
        visit("keep_dims", self.keep_dims);
    }
};

/// exp(x - max) / sum(exp(x - max)) along `axis`, or its logarithm.
struct Softmax {
    int64_t axis = -1;
    bool log = false;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("log", self.log);
    }
};

enum class PoolKind { Max, Average };

/// Window over the spatial axes of [N, C, spatial…]. Max: padding never wins, NaN does; a window of padding only gives
/// -infinity, or the lowest integer of the type, at position 0; `with_indices` adds an I64
/// output with the row-major position in the unpadded image of (N, C) (first wins). Average divides by the window cells
/// inside the image, or with `count_padding` inside image and padding. `ceil_mode` lets the last window hang over the
/// end (never start past the image and the padding before it). An empty `window` pools the whole image.
struct Pool {
    PoolKind kind = PoolKind::Max;
    Dims window, stride, dilation, pad;
    bool ceil_mode = false;
    bool count_padding = false;
    bool with_indices = false;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind);
        visit("window", self.window);
        visit("stride", self.stride);
        visit("dilation", self.dilation);
        visit("pad", self.pad);
        visit("ceil_mode", self.ceil_mode);
        visit("count_padding", self.count_padding);
        visit("with_indices", self.with_indices);
    }
};

/// Output cell i of an axis covers inputs floor(i * in / out) … ceil((i + 1) * in / out) - 1.
struct AdaptivePool {
    PoolKind kind = PoolKind::Average;
    Dims output;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("kind", self.kind);
        visit("output", self.output);
    }
};

enum class ResizeMode { Nearest, Linear };
/// Where output index i lies in the input: HalfPixel (i + 0.5) / scale - 0.5, AlignCorners i * (in - 1) / (out - 1),
/// Asymmetric i / scale.
enum class ResizeCoordinates { HalfPixel, AlignCorners, Asymmetric };
enum class ResizeRounding { PreferFloor, PreferCeil, Floor, Ceil };

/// Resizes the spatial axes of [N, C, spatial…] to `output`; scale = out / in unless `scale` is given. Linear
/// interpolates in every spatial axis; coordinates are clamped to the image.
struct Resize {
    Dims output;
    std::vector<double> scale;
    ResizeMode mode = ResizeMode::Nearest;
    ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
    ResizeRounding rounding = ResizeRounding::PreferFloor;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("output", self.output);
        visit("scale", self.scale);
        visit("mode", self.mode);
        visit("coordinates", self.coordinates);
        visit("rounding", self.rounding);
    }
};

/// Same elements in row-major order under other extents; one extent may be -1.
struct Reshape {
    Dims dims;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("dims", self.dims);
    }
};

/// Output axis i is input axis permutation[i].
struct Transpose {
    Dims permutation;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("permutation", self.permutation);
    }
};

/// Broadcasts size-1 axes (and missing leading axes) to `dims`.
struct Expand {
    Dims dims;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("dims", self.dims);
    }
};

/// Output index i of an axis reads start + i * step. One entry per axis; step may be negative, never 0.
struct Slice {
    Dims start, length, step;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("start", self.start);
        visit("length", self.length);
        visit("step", self.step);
    }
};

/// Joins any number of inputs along `axis`.
struct Concat {
    int64_t axis = 0;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
};

enum class PadMode { Constant, Reflect, Edge };

/// Adds `before` and `after` cells per axis (negative crops).
struct Pad {
    Dims before, after;
    PadMode mode = PadMode::Constant;
    double value = 0.0;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("before", self.before);
        visit("after", self.after);
        visit("mode", self.mode);
        visit("value", self.value);
    }
};

/// Inputs: data, indices (I32 or I64; negative counts from the end; out of range is clamped). Output dims: data axes
/// before `axis`, the index dims, data axes after it.
struct Gather {
    int64_t axis = 0;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
};

/// The coordinate along `axis` of every element, with the dims of the input and the given type.
struct IndexAlong {
    int64_t axis = 0;
    DataType type = DataType::I32;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
        visit("type", self.type);
    }
};

using Op = std::variant<Conv, ConvTranspose, Matmul, Pointwise, Cast, Norm, BatchNorm, Reduce, Softmax, Pool,
                        AdaptivePool, Resize, Reshape, Transpose, Expand, Slice, Concat, Pad, Gather, IndexAlong>;

/// "conv", "matmul", …; for Pointwise the name of its function.
std::string_view name_of(const Op& op);

}  // namespace tenon
