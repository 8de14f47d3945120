#pragma once

#include "frontend/onnx/node_import.h"

namespace tenon::onnx {

/// Attributes that convolutions and pools share, one entry per spatial axis (pad: two).
struct WindowAttributes {
    Dims stride, dilation, pad;
};

/// Reads strides, dilations, pads and auto_pad of a node whose window of extents `window` slides over an image of
/// extents `image` [N, C, spatial…]. SAME gives ceil(in / stride) positions; the odd cell of padding goes to the end
/// (SAME_UPPER) or the front (SAME_LOWER).
Result<WindowAttributes> window_attributes(NodeImport& node, const Dims& image, const Dims& window);

/// A failure if a list of strides or the like has not `axes` entries, or one out of range for index arithmetic.
Status check_window_list(const Dims& list, size_t axes);

}  // namespace tenon::onnx
