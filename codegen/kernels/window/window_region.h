#pragma once

#include <array>
#include <optional>
#include <string>

#include "codegen/kernels/family.h"
#include "codegen/region/domain.h"
#include "codegen/source/body_text.h"
#include "frontend/ops/conv_geometry.h"
#include "heuristics/window_tile.h"

namespace tenon::codegen {

/// What slides over the image.
enum class WindowKind { Depthwise, Grouped, MaxPool, AveragePool };

/// Spatial attributes over depth, height and width; axes the tensor lacks have extent 1.
struct WindowAxes {
    std::array<int64_t, 3> image{1, 1, 1}, output{1, 1, 1}, window{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1},
        pad{0, 0, 0}, pad_after{0, 0, 0};
};

/// Strides of an image [batch, channels, spatial…] over the same axes; 0 for axes it lacks.
struct ImageAxes {
    int64_t batch = 0, channel = 0;
    std::array<int64_t, 3> spatial{0, 0, 0};
};

/// A region whose anchor is a window over one image, seen the way its kernels walk it.
struct WindowRegion {
    WindowKind kind = WindowKind::MaxPool;
    WindowAxes axes;
    int64_t batch = 1, channels = 1;  ///< Of the output.
    int64_t outputs_per_channel = 1;
    bool count_padding = false;
    const Operand* x = nullptr;  ///< What is read, or of what elements are computed the first thing read.
    bool is_computed = false;    ///< Elements of the image are computed on their way in.
    const Operand* w = nullptr;  ///< Of a convolution.
    ImageAxes x_strides, w_strides;
    bool lanes_are_columns = false;
};

/// The view, or why these kernels cannot serve the region. Operands point into `region`.
Verdict view_window(const Region& region, const GraphData& graph, WindowRegion& window);

/// The same for a convolution whose output channels sum up several input channels of a group.
Verdict view_grouped_conv(const Region& region, const GraphData& graph, WindowRegion& window);

/// The lanes that x, filters and the accesses of the epilogue over `domain` allow.
int most_lanes(const WindowRegion& window, const Domain& domain, const std::vector<Access>& list,
               const std::vector<Access>& extra);
/// Neighbouring columns of x that a thread can load at once, given what it computes.
int columns_per_access(const WindowRegion& window, const heuristics::WindowTile& tile);
/// How a thread loads its weights.
struct WeightAccess {
    bool side_by_side = false;  ///< All its filters are one run of memory.
    int run = 1;                ///< Elements at once: of that run, or of one tap in neighbouring channels.
};
WeightAccess weight_access(const WindowRegion& window, const heuristics::WindowTile& tile);

/// The problem as the tile model wants it; `bytes_moved` is left to the caller.
heuristics::WindowProblem problem_of(const WindowRegion& window, const Region& region);

/// `constexpr WindowShape kWindow{…};` and for convolutions `constexpr FilterStrides kFilter{…};`.
std::string shape_constant(const WindowRegion& window);
std::string filter_constant(const WindowRegion& window, const WeightAccess& access);

}  // namespace tenon::codegen
