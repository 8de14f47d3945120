#include "frontend/ops/conv_geometry.h"

#include "frontend/status_macros.h"

namespace tenon {
namespace {

Status filled(const char* what, const Dims& given, size_t count, int64_t initial, int64_t least, Dims& out) {
    out = given.empty() ? Dims(count, initial) : given;
    if (out.size() != count) {
        return Status(ErrorCode::InvalidGraph, std::string(what) + " has " + std::to_string(out.size()) +
                                                   " entries, needs " + std::to_string(count));
    }
    for (const int64_t value : out) {
        if (value < least || value > INT32_MAX) {
            return Status(ErrorCode::InvalidGraph, std::string(what) + " is " + std::to_string(value) + ", needs " +
                                                       std::to_string(least) + " to " + std::to_string(INT32_MAX));
        }
    }
    return {};
}

int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

Result<WindowGeometry> window_geometry(const Dims& window, const Dims& stride, const Dims& dilation, const Dims& pad) {
    const size_t axes = window.size();
    WindowGeometry geometry;
    TENON_TRY(filled("window", window, axes, 1, 1, geometry.window));
    TENON_TRY(filled("stride", stride, axes, 1, 1, geometry.stride));
    TENON_TRY(filled("dilation", dilation, axes, 1, 1, geometry.dilation));
    Dims both;
    TENON_TRY(filled("pad", pad, 2 * axes, 0, 0, both));
    geometry.pad_before.assign(both.begin(), both.begin() + static_cast<int64_t>(axes));
    geometry.pad_after.assign(both.begin() + static_cast<int64_t>(axes), both.end());
    return geometry;
}

int64_t window_positions(const WindowGeometry& g, size_t axis, int64_t extent) {
    const int64_t room = extent + g.pad_before[axis] + g.pad_after[axis] - g.dilation[axis] * (g.window[axis] - 1) - 1;
    return floor_divide(room, g.stride[axis]) + 1;
}

Result<size_t> normalized_axis(int64_t axis, size_t rank) {
    const int64_t signed_rank = static_cast<int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank) {
        return Status(ErrorCode::InvalidGraph,
                      "axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
    }
    return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace tenon
