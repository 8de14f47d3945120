// Resize and the older Upsample.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "frontend/onnx/rules/resample.h"
#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

Result<ResampleKind> kind_of(const std::string& mode) {
    if (mode == "nearest") return ResampleKind::Nearest;
    if (mode == "linear" || mode == "bilinear") return ResampleKind::Linear;
    if (mode == "cubic") return ResampleKind::Cubic;
    return NodeImport::unsupported("mode is '" + mode + "'");
}

Result<ResizeRounding> rounding_of(const std::string& mode) {
    if (mode == "round_prefer_floor") return ResizeRounding::PreferFloor;
    if (mode == "round_prefer_ceil") return ResizeRounding::PreferCeil;
    if (mode == "floor") return ResizeRounding::Floor;
    if (mode == "ceil") return ResizeRounding::Ceil;
    return NodeImport::unsupported("nearest_mode is '" + mode + "'");
}

Result<ResampleCoordinates> coordinates_of(const std::string& mode) {
    if (mode == "half_pixel") return ResampleCoordinates::HalfPixel;
    if (mode == "pytorch_half_pixel") return ResampleCoordinates::HalfPixelOrZero;
    if (mode == "align_corners") return ResampleCoordinates::AlignCorners;
    if (mode == "asymmetric") return ResampleCoordinates::Asymmetric;
    if (mode == "tf_half_pixel_for_nn") return ResampleCoordinates::Middle;
    return NodeImport::unsupported("coordinate_transformation_mode is '" + mode + "'");
}

Result<Resampling> attributes_of(NodeImport& node) {
    Resampling how;
    TENON_ASSIGN(how.kind, kind_of(node.text("mode", "nearest")));
    TENON_ASSIGN(how.coordinates, coordinates_of(node.text("coordinate_transformation_mode", "half_pixel")));
    TENON_ASSIGN(how.rounding, rounding_of(node.text("nearest_mode", "round_prefer_floor")));
    how.cubic = node.number("cubic_coeff_a", -0.75);
    how.exclude_outside = node.integer("exclude_outside", 0) != 0;
    node.ignore("extrapolation_value");  // of tf_crop_and_resize, which is refused
    if (node.integer("antialias", 0) != 0) return node.unsupported("antialias is not supported");
    const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch") return node.unsupported("keep_aspect_ratio_policy is '" + policy + "'");
    return how;
}

/// floor(extent * scale) of every axis.
Status extents_by_scale(NodeImport& node, const std::vector<double>& scales, const Dims& axes, Resampling& how) {
    const Dims& in = node[0].dims;
    if (scales.size() != axes.size())
        return node.invalid("scales has " + std::to_string(scales.size()) + " entries, needs " +
                            std::to_string(axes.size()));
    for (size_t i = 0; i < axes.size(); ++i) {
        TENON_ASSIGN(const size_t axis, node.axis(axes[i], in.size()));
        const double extent = std::floor(static_cast<double>(in[axis]) * scales[i]);
        if (!(scales[i] > 0.0) || !(extent >= 0.0) || extent > INT32_MAX)
            return node.invalid("axis " + std::to_string(axis) + " has the scale " + std::to_string(scales[i]));
        how.output[axis] = static_cast<int64_t>(extent);
        how.scale[axis] = scales[i];
    }
    return {};
}

Status extents_by_size(NodeImport& node, const Dims& sizes, const Dims& axes, Resampling& how) {
    const Dims& in = node[0].dims;
    if (sizes.size() != axes.size())
        return node.invalid("sizes has " + std::to_string(sizes.size()) + " entries, needs " +
                            std::to_string(axes.size()));
    for (size_t i = 0; i < axes.size(); ++i) {
        TENON_ASSIGN(const size_t axis, node.axis(axes[i], in.size()));
        if (sizes[i] < 1 || sizes[i] > INT32_MAX || in[axis] < 1)
            return node.invalid("axis " + std::to_string(axis) + " goes from " + std::to_string(in[axis]) + " to " +
                                std::to_string(sizes[i]));
        how.output[axis] = sizes[i];
        how.scale[axis] = static_cast<double>(sizes[i]) / static_cast<double>(in[axis]);
    }
    return {};
}

/// Whether the graph's own Resize says the same: batch and channels stay, and it knows the coordinates.
bool is_image_resize(const Operand& x, const Resampling& how) {
    const bool fits = x.rank() >= 3 && x.rank() <= 5 && how.output[0] == x.dims[0] && how.output[1] == x.dims[1];
    const bool has_single = std::count(how.output.begin(), how.output.end(), 1) > 0;
    const bool known = how.coordinates != ResampleCoordinates::Middle &&
                       (how.coordinates != ResampleCoordinates::HalfPixelOrZero || !has_single);
    return fits && known && how.kind != ResampleKind::Cubic;
}

Result<Operands> resized(NodeImport& node, const Resampling& how) {
    const Operand& x = node[0];
    if (!is_image_resize(x, how)) return single(resample(node.build, x, how));
    Resize op;
    op.output.assign(how.output.begin() + 2, how.output.end());
    op.scale.assign(how.scale.begin() + 2, how.scale.end());
    op.mode = how.kind == ResampleKind::Linear ? ResizeMode::Linear : ResizeMode::Nearest;
    op.rounding = how.rounding;
    if (how.coordinates == ResampleCoordinates::AlignCorners) op.coordinates = ResizeCoordinates::AlignCorners;
    if (how.coordinates == ResampleCoordinates::Asymmetric) op.coordinates = ResizeCoordinates::Asymmetric;
    return single(node.build.apply(op, {x}));
}

/// A list that is given and not empty: older models pass an empty one where the other of scales and sizes counts.
bool is_given(const NodeImport& node, size_t input) {
    return node.has(input) && !(node[input].known && node[input].known->count() == 0);
}

Result<Operands> resize(NodeImport& node) {
    const bool is_first_version = node.opset() < 11;
    TENON_ASSIGN(Resampling how, attributes_of(node));
    if (is_first_version) {
        how.coordinates = ResampleCoordinates::Asymmetric;
        how.rounding = ResizeRounding::Floor;
    }
    how.output = node[0].dims;
    how.scale.assign(node[0].rank(), 1.0);
    Dims all(node[0].rank());
    std::iota(all.begin(), all.end(), 0);
    const Dims axes = node.integers("axes", all);
    const size_t scales_at = is_first_version ? 1 : 2;
    if (is_given(node, 3)) {
        TENON_ASSIGN(const Dims sizes, node.known_integers(3));
        TENON_TRY(extents_by_size(node, sizes, axes, how));
    } else if (is_given(node, scales_at)) {
        TENON_ASSIGN(const std::vector<double> scales, node.known_numbers(scales_at));
        TENON_TRY(extents_by_scale(node, scales, axes, how));
    } else {
        return node.invalid("has neither scales nor sizes");
    }
    return resized(node, how);
}

/// Operator set 7: scales is an attribute; 9: an input.
Result<Operands> upsample(NodeImport& node) {
    Resampling how;
    TENON_ASSIGN(how.kind, kind_of(node.text("mode", "nearest")));
    how.coordinates = ResampleCoordinates::Asymmetric;
    how.rounding = ResizeRounding::Floor;
    how.output = node[0].dims;
    how.scale.assign(node[0].rank(), 1.0);
    std::vector<double> scales = node.numbers("scales");
    if (node.has(1)) {
        TENON_ASSIGN(scales, node.known_numbers(1));
    }
    Dims axes(node[0].rank());
    std::iota(axes.begin(), axes.end(), 0);
    TENON_TRY(extents_by_scale(node, scales, axes, how));
    return resized(node, how);
}

constexpr RuleRow kRows[] = {
    {"Resize", 1, 4, resize},
    {"Upsample", 1, 2, upsample},
};

}  // namespace

std::span<const RuleRow> resize_rules() { return kRows; }

}  // namespace tenon::onnx
