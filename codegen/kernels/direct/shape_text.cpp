#include "codegen/kernels/direct/shape_text.h"

#include <algorithm>

#include "codegen/source/literal.h"
#include "frontend/ops/conv_geometry.h"

namespace tenon::codegen {
namespace {

std::string list(const Dims& dims) {
    std::string text;
    for (const int64_t value : dims) text += (text.empty() ? "" : ", ") + integer_literal(value);
    return "{" + text + "}";
}

/// `{.rank = 4, .dims = {…}, .strides = {…}}` of anchor input i; a computed input has no strides.
std::string source(const Region& region, size_t i) {
    const Dims& dims = region.inputs[i].dims;
    if (dims.empty()) return "{.rank = 0}";
    const Operand* plain = region.plain_input(i);
    return "{.rank = " + std::to_string(dims.size()) + ", .dims = " + list(dims) +
           (plain == nullptr ? "" : ", .strides = " + list(plain->strides)) + "}";
}

Dims tail(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

/// The graph was validated, so the geometry exists.
WindowGeometry geometry_of(const Dims& window, const Dims& stride, const Dims& dilation, const Dims& pad) {
    return *window_geometry(window, stride, dilation, pad);
}

struct Writer {
    const Region& region;
    const GraphData& graph;

    const Dims& dims(size_t i) const { return region.inputs[i].dims; }
    double outputs() const { return static_cast<double>(element_count(region.epilogue.dims)); }

    std::string conv_shape(const WindowGeometry& g, int64_t groups) const {
        return "constexpr ConvShape kAnchor{\n    .x = " + source(region, 0) + ",\n    .w = " + source(region, 1) +
               ",\n    .stride = " + list(g.stride) + ",\n    .dilation = " + list(g.dilation) +
               ",\n    .pad = " + list(g.pad_before) + ",\n    .groups = " + std::to_string(groups) + ",\n};";
    }

    std::optional<AnchorText> operator()(const Conv& op) const {
        const WindowGeometry g = geometry_of(tail(dims(1)), op.stride, op.dilation, op.pad);
        const double taps =
            static_cast<double>(element_count(dims(1))) / static_cast<double>(std::max<int64_t>(dims(1)[0], 1));
        return AnchorText{"conv", conv_shape(g, op.groups), {"x", "w"}, 2.0 * outputs() * taps};
    }
    std::optional<AnchorText> operator()(const ConvTranspose& op) const {
        const WindowGeometry g = geometry_of(tail(dims(1)), op.stride, op.dilation, op.pad);
        const double products = static_cast<double>(element_count(dims(0))) *
                                static_cast<double>(element_count(dims(1))) / static_cast<double>(dims(1)[0]);
        return AnchorText{"conv_transpose", conv_shape(g, op.groups), {"x", "w"}, 2.0 * products};
    }
    std::optional<AnchorText> operator()(const Matmul&) const {
        return AnchorText{"matmul",
                          "constexpr MatmulShape kAnchor{\n    .a = " + source(region, 0) +
                              ",\n    .b = " + source(region, 1) +
                              ",\n    .rank = " + std::to_string(region.epilogue.dims.size()) + ",\n};",
                          {"a", "b"},
                          2.0 * outputs() * static_cast<double>(dims(0).back())};
    }
    std::optional<AnchorText> operator()(const Reduce& op) const {
        static constexpr const char* kKinds[] = {"Sum",  "Mean",  "Max",   "Min",    "Prod",
                                                 "Amax", "Norm1", "Norm2", "Argmax", "Argmin"};
        const size_t rank = dims(0).size();
        std::vector<bool> reduced(rank, op.axes.empty());
        for (const int64_t axis : op.axes) reduced[*normalized_axis(axis, rank)] = true;
        std::string flags;
        for (const bool flag : reduced) flags += std::string(flags.empty() ? "" : ", ") + (flag ? "true" : "false");
        return AnchorText{"reduce",
                          std::string("constexpr ReduceShape kAnchor{\n    .kind = Reduction::") +
                              kKinds[static_cast<int>(op.kind)] + ",\n    .x = " + source(region, 0) +
                              ",\n    .reduced = {" + flags +
                              "},\n    .keep_dims = " + (op.keep_dims ? "true" : "false") + ",\n};",
                          {"x"},
                          static_cast<double>(element_count(dims(0)))};
    }
    std::optional<AnchorText> operator()(const Pool& op) const {
        const WindowGeometry g =
            geometry_of(op.window.empty() ? tail(dims(0)) : op.window, op.stride, op.dilation, op.pad);
        return AnchorText{"pool",
                          std::string("constexpr PoolShape kAnchor{\n    .kind = Pooling::") +
                              (op.kind == PoolKind::Max ? "Max" : "Average") + ",\n    .x = " + source(region, 0) +
                              ",\n    .window = " + list(g.window) + ",\n    .stride = " + list(g.stride) +
                              ",\n    .dilation = " + list(g.dilation) + ",\n    .pad = " + list(g.pad_before) +
                              ",\n    .pad_after = " + list(g.pad_after) +
                              ",\n    .count_padding = " + (op.count_padding ? "true" : "false") + ",\n};",
                          {"x"},
                          outputs() * static_cast<double>(element_count(g.window))};
    }
    std::optional<AnchorText> operator()(const AdaptivePool& op) const {
        return AnchorText{"adaptive_pool",
                          std::string("constexpr AdaptivePoolShape kAnchor{\n    .kind = Pooling::") +
                              (op.kind == PoolKind::Max ? "Max" : "Average") + ",\n    .x = " + source(region, 0) +
                              ",\n    .output = " + list(op.output) + ",\n};",
                          {"x"},
                          static_cast<double>(element_count(dims(0)))};
    }
    std::optional<AnchorText> operator()(const Resize& op) const {
        static constexpr const char* kCoordinates[] = {"HalfPixel", "AlignCorners", "Asymmetric"};
        static constexpr const char* kRoundings[] = {"PreferFloor", "PreferCeil", "Floor", "Ceil"};
        std::string scale;
        for (size_t i = 0; i < op.output.size(); ++i) {
            const double ratio = op.scale.empty()
                                     ? static_cast<double>(op.output[i]) / static_cast<double>(dims(0)[i + 2])
                                     : op.scale[i];
            scale += (scale.empty() ? "" : ", ") + double_literal(ratio);
        }
        return AnchorText{"resize",
                          std::string("constexpr ResizeShape kAnchor{\n    .mode = Interpolation::") +
                              (op.mode == ResizeMode::Nearest ? "Nearest" : "Linear") +
                              ",\n    .coordinates = Coordinates::" + kCoordinates[static_cast<int>(op.coordinates)] +
                              ",\n    .rounding = Rounding::" + kRoundings[static_cast<int>(op.rounding)] +
                              ",\n    .x = " + source(region, 0) + ",\n    .output = " + list(op.output) +
                              ",\n    .scale = {" + scale + "},\n};",
                          {"x"},
                          outputs()};
    }
    std::optional<AnchorText> operator()(const tenon::Pad& op) const {
        static constexpr const char* kModes[] = {"Constant", "Reflect", "Edge"};
        return AnchorText{"pad",
                          std::string("constexpr PadShape kAnchor{\n    .mode = Padding::") +
                              kModes[static_cast<int>(op.mode)] + ",\n    .x = " + source(region, 0) +
                              ",\n    .before = " + list(op.before) + ",\n    .value = " + double_literal(op.value) +
                              ",\n};",
                          {"x"},
                          0.0};
    }
    std::optional<AnchorText> operator()(const Gather& op) const {
        return AnchorText{"gather",
                          "constexpr GatherShape kAnchor{\n    .x = " + source(region, 0) +
                              ",\n    .indices = " + source(region, 1) +
                              ",\n    .axis = " + std::to_string(*normalized_axis(op.axis, dims(0).size())) + ",\n};",
                          {"x", "indices"},
                          0.0};
    }
    std::optional<AnchorText> operator()(const Reshape&) const {
        const Dims& to = region.epilogue.dims;
        return AnchorText{"reshape",
                          "constexpr ReshapeShape kAnchor{\n    .x = " + source(region, 0) +
                              ",\n    .rank = " + std::to_string(to.size()) + ",\n    .dims = " + list(to) + ",\n};",
                          {"x"},
                          0.0};
    }
    template <typename Other>
    std::optional<AnchorText> operator()(const Other&) const {
        return std::nullopt;
    }
};

}  // namespace

std::optional<AnchorText> anchor_text(const Region& region, const GraphData& graph) {
    if (region.anchor == kNone) return std::nullopt;
    return std::visit(Writer{region, graph}, graph.node(region.anchor).op);
}

}  // namespace tenon::codegen
