#pragma once

#include <tenon/ops.h>
#include <tenon/status.h>

namespace tenon {

/// Spatial attributes of conv, transposed conv and pool with every entry filled in, one per spatial axis.
struct WindowGeometry {
    Dims window, stride, dilation, pad_before, pad_after;
};

/// Fills in defaults; an attribute with a wrong number of entries, or a value below its least, is refused.
Result<WindowGeometry> window_geometry(const Dims& window, const Dims& stride, const Dims& dilation, const Dims& pad);

/// floor((extent + pads - dilation * (window - 1) - 1) / stride) + 1, by floor division; may be 0 or negative.
int64_t window_positions(const WindowGeometry& geometry, size_t axis, int64_t extent);

/// The axis counted from the front, or a failure that names the rank.
Result<size_t> normalized_axis(int64_t axis, size_t rank);

}  // namespace tenon
