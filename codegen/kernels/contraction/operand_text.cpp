#include "codegen/kernels/contraction/view.h"

namespace tenon::codegen {
namespace {

std::string axes_text(const std::vector<OperandAxis>& axes) {
    std::string text;
    for (const OperandAxis& axis : axes) {
        text += (text.empty() ? "{" : ", {") + std::to_string(axis.extent) + ", " + std::to_string(axis.stride) + "}";
    }
    return "{" + text + "}";
}

size_t axis_of_window(const std::vector<OperandAxis>& axes, size_t window) {
    size_t at = 0;
    while (at < axes.size() && axes[at].window != static_cast<int>(window)) ++at;
    return at;
}

std::string window_text(const OperandView& view, size_t number) {
    const OperandWindow& window = view.window[number];
    std::string text = "{.outer = " + std::to_string(axis_of_window(view.outer, number)) +
                       ", .depth = " + std::to_string(axis_of_window(view.depth, number)) +
                       ", .extent = " + std::to_string(window.extent) + ", .stride = " + std::to_string(window.stride) +
                       ", .dilation = " + std::to_string(window.dilation) + ", .pad = " + std::to_string(window.pad);
    if (window.spread > 1)
        text += ",\n         .spread = " + std::to_string(window.spread) + ", .step = " + std::to_string(window.step);
    return text + "}";
}

}  // namespace

std::string operand_constant(const std::string& name, const OperandView& view) {
    std::string text = "constexpr TileOperand " + name + "{\n";
    const auto field = [&](const std::string& field, const std::string& value) {
        text += "    ." + field + " = " + value + ",\n";
    };
    if (!view.batch.empty()) field("batch", axes_text(view.batch));
    if (!view.outer.empty()) field("outer", axes_text(view.outer));
    if (!view.depth.empty()) field("depth", axes_text(view.depth));
    std::string windows;
    for (size_t i = 0; i < view.window.size(); ++i) {
        if (axis_of_window(view.outer, i) == view.outer.size()) continue;
        windows += "        " + window_text(view, i) + ",\n";
    }
    if (!windows.empty()) field("window", "{\n" + windows + "    }");
    if (view.origin != 0) field("origin", std::to_string(view.origin));
    field("chunk", std::to_string(view.chunk));
    if (view.outer_major) field("outer_major", "true");
    if (view.outer_first) field("outer_first", "true");
    return text + "};";
}

}  // namespace tenon::codegen
