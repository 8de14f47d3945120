#include "codegen/kernels/window/window_region.h"

#include <algorithm>

#include "codegen/source/literal.h"

namespace tenon::codegen {
namespace {

/// The first tensor that a computed input reads with one element for each of its own.
const Operand* first_read(const Region& region, const Body& body) {
    for (const Term& term : body.terms) {
        if (term.kind != Term::Kind::Load || term.operand < 0) continue;
        const Operand& operand = region.operands[static_cast<size_t>(term.operand)];
        if (!operand.is_host_scalar) return &operand;
    }
    return nullptr;
}

bool is_float_up_to_32(DataType type) {
    return type == DataType::F16 || type == DataType::BF16 || type == DataType::F32;
}

/// The last axes of three, from the spatial axes of a tensor.
void put(const Dims& from, size_t first, std::array<int64_t, 3>& to) {
    const size_t count = from.size() - first;
    for (size_t i = 0; i < count; ++i) to[3 - count + i] = from[first + i];
}

ImageAxes image_axes(const Dims& strides) {
    ImageAxes axes{strides[0], strides[1], {}};
    put(strides, 2, axes.spatial);
    return axes;
}

void put(const WindowGeometry& geometry, WindowAxes& axes) {
    put(geometry.window, 0, axes.window);
    put(geometry.stride, 0, axes.stride);
    put(geometry.dilation, 0, axes.dilation);
    put(geometry.pad_before, 0, axes.pad);
    put(geometry.pad_after, 0, axes.pad_after);
}

Dims tail(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

/// Reads the attributes of each anchor; everything else is no window.
struct Reader {
    const Region& region;
    WindowRegion& window;

    const Dims& dims(size_t i) const { return region.inputs[i].dims; }

    Verdict operator()(const Conv& op) const {
        if (op.groups != dims(0)[1] || dims(1)[1] != 1)
            return Verdict::no("CHANNELS_MIX", "each output channel sums up several input channels");
        window.kind = WindowKind::Depthwise;
        window.outputs_per_channel = dims(1)[0] / op.groups;
        put(*window_geometry(tail(dims(1)), op.stride, op.dilation, op.pad), window.axes);
        return Verdict::yes();
    }
    Verdict operator()(const Pool& op) const {
        window.kind = op.kind == PoolKind::Max ? WindowKind::MaxPool : WindowKind::AveragePool;
        window.count_padding = op.count_padding;
        put(*window_geometry(op.window.empty() ? tail(dims(0)) : op.window, op.stride, op.dilation, op.pad),
            window.axes);
        return Verdict::yes();
    }
    Verdict operator()(const AdaptivePool& op) const {
        window.kind = op.kind == PoolKind::Max ? WindowKind::MaxPool : WindowKind::AveragePool;
        Dims size = tail(dims(0));
        for (size_t i = 0; i < size.size(); ++i) {
            if (op.output[i] == 0 || size[i] % op.output[i] != 0) {
                return Verdict::no("UNEVEN_WINDOWS", std::to_string(size[i]) + " elements do not split into " +
                                                         std::to_string(op.output[i]) + " equal windows");
            }
            size[i] /= op.output[i];
        }
        put(*window_geometry(size, size, {}, {}), window.axes);
        return Verdict::yes();
    }
    template <typename Other>
    Verdict operator()(const Other&) const {
        return Verdict::no("NOT_A_WINDOW", "the anchor slides no window over an image");
    }
};

std::string list(const std::array<int64_t, 3>& values) {
    return "{" + integer_literal(values[0]) + ", " + integer_literal(values[1]) + ", " + integer_literal(values[2]) +
           "}";
}

/// Whether every stride of x but `inner` moves by whole vectors, for axes it moves along.
bool moves_by(const WindowRegion& window, int lanes, bool channels) {
    const auto divides = [&](int64_t stride) { return stride % lanes == 0; };
    const ImageAxes& x = window.x_strides;
    const bool outer = divides(x.batch) && divides(x.spatial[0]) && divides(x.spatial[1]) && divides(window.x->offset);
    return outer && (channels ? divides(x.spatial[2]) : divides(x.channel));
}

Verdict is_image(const Region& region) {
    if (region.anchor == kNone) return Verdict::no("NO_ANCHOR", "pointwise regions slide no window");
    if (region.inputs.empty() || region.inputs[0].dims.size() < 3 || region.inputs[0].dims.size() > 5)
        return Verdict::no("NOT_AN_IMAGE", "windows slide over one to three spatial axes");
    return Verdict::yes();
}

/// Operands, extents and layout of a window whose attributes are known.
Verdict view_operands(const Region& region, WindowRegion& window) {
    for (size_t i = 0; i < region.inputs.size(); ++i) {
        const Operand* operand = region.plain_input(i);
        if (operand == nullptr && i == 0 && window.kind != WindowKind::Grouped && window.outputs_per_channel == 1) {
            operand = first_read(region, region.inputs[0]);
            window.is_computed = true;
        }
        if (operand == nullptr)
            return Verdict::no("COMPUTED_INPUT", "an input of the window is computed on the way in");
        const DataType type = region.inputs[i].terms.back().type;
        if (!is_float_up_to_32(type)) {
            return Verdict::no("OTHER_TYPE",
                               "input of type " + std::string(to_string(type)) + ", needs f16, bf16 or f32");
        }
        (i == 0 ? window.x : window.w) = operand;
        if (i == 0 && window.is_computed) continue;
        (i == 0 ? window.x_strides : window.w_strides) = image_axes(operand->strides);
    }
    if (!is_float_up_to_32(region.epilogue.terms[0].type))
        return Verdict::no("OTHER_TYPE", "the result is neither f16, bf16 nor f32");
    put(region.inputs[0].dims, 2, window.axes.image);
    put(region.epilogue.dims, 2, window.axes.output);
    constexpr int64_t kReach = int64_t{1} << 29;
    for (size_t i = 0; i < 3; ++i) {
        const int64_t reach = window.axes.image[i] + window.axes.pad[i] + window.axes.pad_after[i] +
                              window.axes.window[i] * window.axes.dilation[i] + window.axes.stride[i];
        if (reach > kReach) return Verdict::no("TOO_LONG", "a padded axis is longer than 2^29");
    }
    window.batch = region.epilogue.dims[0];
    window.channels = region.epilogue.dims[1];
    const Dims& order = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
    window.lanes_are_columns = image_order(region.epilogue.dims, order).columns.front() != 1;
    return Verdict::yes();
}

}  // namespace

Verdict view_window(const Region& region, const GraphData& graph, WindowRegion& window) {
    const Verdict image = is_image(region);
    if (!image) return image;
    const Verdict verdict = std::visit(Reader{region, window}, graph.node(region.anchor).op);
    return verdict ? view_operands(region, window) : verdict;
}

Verdict view_grouped_conv(const Region& region, const GraphData& graph, WindowRegion& window) {
    const Verdict image = is_image(region);
    if (!image) return image;
    const auto* conv = std::get_if<Conv>(&graph.node(region.anchor).op);
    if (conv == nullptr || conv->groups == 1) return Verdict::no("ONE_GROUP", "the anchor has no groups");
    window.kind = WindowKind::Grouped;
    const Dims& filter = region.inputs[1].dims;
    put(*window_geometry(tail(filter), conv->stride, conv->dilation, conv->pad), window.axes);
    return view_operands(region, window);
}

int most_lanes(const WindowRegion& window, const Domain& domain, const std::vector<Access>& list,
               const std::vector<Access>& extra) {
    int lanes = lanes_for(domain, list);
    const auto allows = [&](int count) {
        if (!window.is_computed && !window.lanes_are_columns && window.outputs_per_channel == 1 &&
            window.x_strides.channel == 1 &&
            (!moves_by(window, count, true) || count * bytes_of(window.x->type) > 16)) {
            return false;
        }
        for (const Access& access : extra) {
            const auto divides = [&](int64_t stride) { return stride == 1 || stride % count == 0; };
            if (!divides(access.offset) || !std::all_of(access.strides.begin(), access.strides.end(), divides))
                return false;
        }
        return true;
    };
    while (lanes > 1 && !allows(lanes)) lanes /= 2;
    return lanes;
}

int columns_per_access(const WindowRegion& window, const heuristics::WindowTile& tile) {
    if (window.is_computed || !window.lanes_are_columns || window.x_strides.spatial[2] != 1) return 1;
    const int64_t advance = tile.columns * tile.lanes * window.axes.stride[2];
    for (int run = static_cast<int>(16 / bytes_of(window.x->type)); run > 1; run /= 2) {
        if (advance % run == 0 && window.axes.image[2] % run == 0 && moves_by(window, run, false)) return run;
    }
    return 1;
}

WeightAccess weight_access(const WindowRegion& window, const heuristics::WindowTile& tile) {
    const int64_t bytes = bytes_of(window.w->type);
    const ImageAxes& w = window.w_strides;
    const int lanes = window.lanes_are_columns ? 1 : tile.lanes;
    const int64_t taps = window.axes.window[1] * window.axes.window[2];
    const bool packed = !tile.rolled && window.axes.window[0] == 1 && w.batch == taps &&
                        (window.axes.window[1] == 1 || w.spatial[1] == window.axes.window[2]) &&
                        (window.axes.window[2] == 1 || w.spatial[2] == 1);
    if (packed) {
        for (int run = static_cast<int>(16 / bytes); run > 1; run /= 2) {
            if (taps * lanes % run == 0 && window.w->offset % run == 0) return {true, run};
        }
        return {true, 1};
    }
    const auto divides = [&](int64_t stride) { return stride % lanes == 0; };
    const bool whole = w.batch == 1 && divides(w.spatial[0]) && divides(w.spatial[1]) && divides(w.spatial[2]) &&
                       divides(window.w->offset);
    return {false, whole ? lanes : 1};
}

heuristics::WindowProblem problem_of(const WindowRegion& window, const Region& region) {
    heuristics::WindowProblem problem{.batch = window.batch,
                                      .channels = window.channels,
                                      .output = window.axes.output,
                                      .window = window.axes.window,
                                      .stride = window.axes.stride,
                                      .dilation = window.axes.dilation,
                                      .input_bytes = bytes_of(window.x->type),
                                      .output_bytes = 0,
                                      .has_weights = window.w != nullptr,
                                      .lanes_are_columns = window.lanes_are_columns};
    for (const Operand& operand : region.operands) {
        const bool full =
            std::none_of(operand.strides.begin(), operand.strides.end(), [](int64_t s) { return s == 0; });
        if (&operand != window.x && &operand != window.w && full) problem.output_bytes += bytes_of(operand.type);
    }
    if (window.kind != WindowKind::Depthwise)
        problem.instructions_per_tap = window.kind == WindowKind::MaxPool ? 3.0 : 1.0;
    if (!region.anchor_stores.empty()) {
        problem.state_registers = 4;
        problem.instructions_per_tap = 8.0;
    }
    return problem;
}

std::string shape_constant(const WindowRegion& window) {
    const WindowAxes& a = window.axes;
    return "constexpr WindowShape kWindow{\n    .batch = " + std::to_string(window.batch) +
           ",\n    .channels = " + std::to_string(window.channels) +
           ",\n    .outputs_per_channel = " + std::to_string(window.outputs_per_channel) +
           ",\n    .image = " + list(a.image) + ",\n    .output = " + list(a.output) +
           ",\n    .window = " + list(a.window) + ",\n    .stride = " + list(a.stride) +
           ",\n    .dilation = " + list(a.dilation) + ",\n    .pad = " + list(a.pad) +
           ",\n    .pad_after = " + list(a.pad_after) +
           ",\n    .x = {.batch = " + integer_literal(window.x_strides.batch) +
           ", .channel = " + integer_literal(window.x_strides.channel) +
           ", .spatial = " + list(window.x_strides.spatial) + "},\n};";
}

std::string filter_constant(const WindowRegion& window, const WeightAccess& access) {
    return "constexpr FilterStrides kFilter{.channel = " + integer_literal(window.w_strides.batch) +
           ", .spatial = " + list(window.w_strides.spatial) +
           ", .side_by_side = " + (access.side_by_side ? "true" : "false") + ", .run = " + std::to_string(access.run) +
           "};";
}

}  // namespace tenon::codegen
