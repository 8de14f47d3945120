#pragma once

#include "frontend/onnx/builder.h"

namespace tenon::onnx {

enum class ResampleKind { Nearest, Linear, Cubic };

/// Where output index i lies in the input: HalfPixel (i + 0.5) / scale - 0.5; HalfPixelOrZero the same, but 0 where the
/// output has one element; AlignCorners i * (in - 1) / (out - 1); Asymmetric i / scale; Middle (i + 0.5) / scale.
enum class ResampleCoordinates { HalfPixel, HalfPixelOrZero, AlignCorners, Asymmetric, Middle };

/// How every axis of a tensor of any rank is brought to a new extent.
struct Resampling {
    ResampleKind kind = ResampleKind::Nearest;
    ResampleCoordinates coordinates = ResampleCoordinates::HalfPixel;
    ResizeRounding rounding = ResizeRounding::PreferFloor;
    double cubic = -0.75;          ///< The coefficient a of the cubic kernel.
    bool exclude_outside = false;  ///< Cubic: samples outside get no weight, the others share it.
    Dims output;
    std::vector<double> scale;
};

/// Resamples axis by axis: nearest gathers, linear and cubic multiply with a matrix [out, in] of weights. For what the
/// graph's Resize does not cover; it costs in / (samples) times the work, but runs anywhere.
Result<Operand> resample(Builder& build, const Operand& x, const Resampling& how);

}  // namespace tenon::onnx
