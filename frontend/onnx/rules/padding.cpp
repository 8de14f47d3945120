#include "frontend/onnx/rules/padding.h"

#include <algorithm>

#include "frontend/status_macros.h"

namespace tenon::onnx {

Status check_window_list(const Dims& list, size_t axes) {
    if (list.size() != axes)
        return NodeImport::invalid("has " + std::to_string(list.size()) + " strides, dilations or extents of a window" +
                                   ", needs " + std::to_string(axes));
    for (const int64_t entry : list) {
        if (entry < 0 || entry > INT32_MAX) return NodeImport::invalid(std::to_string(entry) + " is out of range");
    }
    return {};
}

Result<WindowAttributes> window_attributes(NodeImport& node, const Dims& image, const Dims& window) {
    const size_t axes = window.size();
    if (image.size() != axes + 2)
        return node.invalid("a window " + to_text(window) + " does not slide over " + to_text(image));
    WindowAttributes attributes{node.integers("strides", Dims(axes, 1)), node.integers("dilations", Dims(axes, 1)),
                                node.integers("pads", Dims(2 * axes, 0))};
    const std::string mode = node.text("auto_pad", "NOTSET");
    if (mode == "NOTSET") return attributes;
    attributes.pad.assign(2 * axes, 0);
    if (mode == "VALID") return attributes;
    if (mode != "SAME_UPPER" && mode != "SAME_LOWER") return node.unsupported("auto_pad is '" + mode + "'");
    for (const Dims& list : {attributes.stride, attributes.dilation, window}) TENON_TRY(check_window_list(list, axes));
    for (size_t axis = 0; axis < axes; ++axis) {
        const int64_t in = image[axis + 2], stride = std::max<int64_t>(attributes.stride[axis], 1);
        const int64_t positions = (in + stride - 1) / stride;
        const int64_t reach = attributes.dilation[axis] * (window[axis] - 1) + 1;
        const int64_t total = std::max<int64_t>((positions - 1) * stride + reach - in, 0);
        attributes.pad[axis] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        attributes.pad[axes + axis] = total - attributes.pad[axis];
    }
    return attributes;
}

}  // namespace tenon::onnx
