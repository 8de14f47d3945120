#include "codegen/kernels/contraction/view.h"

#include <algorithm>
#include <numeric>

#include "codegen/source/body_text.h"
#include "frontend/ops/conv_geometry.h"

namespace tenon::codegen {
namespace {

int64_t extent_of(const std::vector<OperandAxis>& axes) {
    return std::accumulate(axes.begin(), axes.end(), int64_t{1},
                           [](int64_t product, const OperandAxis& axis) { return product * axis.extent; });
}

/// Drops axes of extent 1 and merges neighbours that move like one axis; axes of a window stay as they are.
void simplify(std::vector<OperandAxis>& axes) {
    std::vector<OperandAxis> kept;
    for (const OperandAxis& axis : axes) {
        if (axis.extent == 1 && axis.window < 0) continue;
        const bool merges = !kept.empty() && kept.back().window < 0 && axis.window < 0 &&
                            kept.back().stride == axis.stride * axis.extent;
        if (merges) {
            kept.back() = {kept.back().extent * axis.extent, axis.stride, -1};
        } else {
            kept.push_back(axis);
        }
    }
    axes = std::move(kept);
}

/// Most neighbouring elements, up to 16 bytes, that can be moved together along the last axis of `along`.
int widest_chunk(const OperandView& view, const std::vector<OperandAxis>& along, const InputPlace& place,
                 int64_t element_bytes) {
    if (along.empty() || along.back().stride != 1 || along.back().window >= 0) return 1;
    for (int64_t chunk = std::min<int64_t>(16 / element_bytes, place.most_lanes); chunk > 1; chunk /= 2) {
        const auto divides = [&](int64_t elements) { return elements % chunk == 0; };
        const auto moves_whole = [&](const OperandAxis& axis) {
            return &axis == &along.back() || divides(axis.stride);
        };
        const auto all_whole = [&](const std::vector<OperandAxis>& axes) {
            return std::all_of(axes.begin(), axes.end(), moves_whole);
        };
        const bool steps_whole = std::all_of(view.window.begin(), view.window.end(),
                                             [&](const OperandWindow& window) { return divides(window.step); });
        if (divides(along.back().extent) && divides(place.offset + view.origin) && steps_whole &&
            all_whole(view.batch) && all_whole(view.outer) && all_whole(view.depth))
            return static_cast<int>(chunk);
    }
    return 1;
}

/// Chooses how the operand is brought into shared memory. Only matrices of 2-byte elements can be turned on the way to
/// the tensor cores; other elements are turned on the way into shared memory.
void choose_chunks(OperandView& view, const InputPlace& place, bool may_be_outer_major) {
    simplify(view.batch);
    simplify(view.outer);
    simplify(view.depth);
    const int64_t bytes = bytes_of(place.type);
    const auto neighbours = [](const std::vector<OperandAxis>& axes) {
        return !axes.empty() && axes.back().stride == 1;
    };
    const int along_depth = widest_chunk(view, view.depth, place, bytes);
    const int along_outer = widest_chunk(view, view.outer, place, bytes);
    const bool outer_is_innermost = neighbours(view.outer) && !neighbours(view.depth);
    view.outer_major = may_be_outer_major && bytes == 2 && (along_outer > along_depth || outer_is_innermost);
    view.outer_first = !view.outer_major && outer_is_innermost;
    view.chunk = view.outer_major ? along_outer : along_depth;
}

/// Takes bounds away where no position ever leaves the image, as without padding.
void drop_idle_windows(OperandView& view) {
    for (size_t i = 0; i < view.window.size(); ++i) {
        const OperandWindow& window = view.window[i];
        const auto last_of = [&](const std::vector<OperandAxis>& axes) {
            for (const OperandAxis& axis : axes) {
                if (axis.window == static_cast<int>(i)) return axis.extent - 1;
            }
            return int64_t{0};
        };
        const int64_t reach = last_of(view.outer) * window.stride + last_of(view.depth) * window.dilation;
        if (window.spread > 1 || window.dilation < 0 || window.pad > 0 || reach >= window.extent) continue;
        for (std::vector<OperandAxis>* axes : {&view.outer, &view.depth}) {
            for (OperandAxis& axis : *axes) axis.window = axis.window == static_cast<int>(i) ? -1 : axis.window;
        }
    }
}

Dims tail(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

/// What forward and transposed convolutions have in common: which axis of the filter is what, and the windows.
struct ConvolutionParts {
    WindowGeometry geometry;
    int64_t groups = 1;
    bool transposed = false;
};

/// Channels last where the image has them innermost, so that whole chunks of channels move; else in the filter's order.
bool taps_go_first(const Region& region) {
    const InputPlace x = place_of_input(region, 0);
    return x.strides[1] == 1 || region.inputs[0].dims[1] == 1;
}

OperandView image_view(const Region& region, const ConvolutionParts& conv, bool taps_first) {
    const Dims& dims = region.inputs[0].dims;
    const Dims strides = place_of_input(region, 0).strides;
    const Dims& output = region.epilogue.dims;
    const int64_t channels = dims[1] / conv.groups;
    OperandView view{.input = 0};
    view.batch = {{conv.groups, channels * strides[1]}};
    view.outer = {{dims[0], strides[0]}};
    std::vector<OperandAxis> taps;
    for (size_t i = 0; i < conv.geometry.window.size(); ++i) {
        const int64_t step = strides[i + 2], stride = conv.geometry.stride[i], dilation = conv.geometry.dilation[i];
        const int64_t pad = conv.geometry.pad_before[i];
        const int window = static_cast<int>(i);
        // Transposed: output p takes tap r of image element (p + pad - r * dilation) / stride, where that is whole.
        const bool spreads = conv.transposed && stride > 1;
        const OperandWindow positions =
            conv.transposed
                ? OperandWindow{(dims[i + 2] - 1) * stride + 1, 1, -dilation, -pad, stride, spreads ? step : 0}
                : OperandWindow{dims[i + 2], stride, dilation, pad};
        view.window.push_back(positions);
        const int64_t moved = spreads ? 0 : step;
        view.outer.push_back({output[i + 2], positions.stride * moved, window});
        taps.push_back({conv.geometry.window[i], positions.dilation * moved, window});
        view.origin -= positions.pad * moved;
    }
    const OperandAxis channel{channels, strides[1]};
    view.depth = taps;
    view.depth.insert(taps_first ? view.depth.end() : view.depth.begin(), channel);
    return view;
}

OperandView filter_view(const Region& region, const ConvolutionParts& conv, bool taps_first) {
    const Dims& dims = region.inputs[1].dims;
    const Dims strides = place_of_input(region, 1).strides;
    // Filters are [K, C / groups, …]; transposed ones [C, K / groups, …].
    const size_t outputs = conv.transposed ? 1 : 0, inputs = 1 - outputs;
    const int64_t filters = conv.transposed ? dims[1] : dims[0] / conv.groups;
    const int64_t channels = conv.transposed ? dims[0] / conv.groups : dims[1];
    OperandView view{.input = 1};
    view.batch = {{conv.groups, (conv.transposed ? channels : filters) * strides[0]}};
    view.outer = {{filters, strides[outputs]}};
    for (size_t i = 0; i + 2 < dims.size(); ++i) view.depth.push_back({dims[i + 2], strides[i + 2]});
    const OperandAxis channel{channels, strides[inputs]};
    view.depth.insert(taps_first ? view.depth.end() : view.depth.begin(), channel);
    return view;
}

ContractionView convolution_view(const Region& region, const ConvolutionParts& conv) {
    const bool taps_first = taps_go_first(region);
    OperandView image = image_view(region, conv, taps_first);
    OperandView filter = filter_view(region, conv, taps_first);
    const Dims& dims = region.epilogue.dims;
    const Operand& result = region.operands[static_cast<size_t>(region.stores.front().operand)];
    ContractionView view;
    view.columns_are_channels = image_order(dims, result.strides).columns.front() == 1;
    for (int axis = 0; axis < static_cast<int>(dims.size()); ++axis) {
        const bool is_row = (axis == 1) != view.columns_are_channels;
        (is_row ? view.order.rows : view.order.columns).push_back(axis);
    }
    view.batch_along_columns = view.columns_are_channels;
    view.row_operand = view.columns_are_channels ? std::move(image) : std::move(filter);
    view.column_operand = view.columns_are_channels ? std::move(filter) : std::move(image);
    return view;
}

/// Stride of batch axis `axis` of the result in an operand; 0 where it is broadcast.
int64_t batch_stride(const Region& region, int input, size_t axis) {
    const Dims& dims = region.inputs[static_cast<size_t>(input)].dims;
    const size_t missing = region.epilogue.dims.size() - dims.size();
    if (axis < missing || dims[axis - missing] == 1) return 0;
    return place_of_input(region, input).strides[axis - missing];
}

ContractionView matmul_view(const Region& region) {
    const Dims& dims = region.epilogue.dims;
    const size_t rank = dims.size();
    const Dims a = place_of_input(region, 0).strides;
    const Dims b = place_of_input(region, 1).strides;
    const int64_t depth = region.inputs[0].dims.back();
    OperandView left{.input = 0}, right{.input = 1};
    left.outer = {{dims[rank - 2], a[a.size() - 2]}};
    left.depth = {{depth, a.back()}};
    right.outer = {{dims[rank - 1], b.back()}};
    right.depth = {{depth, b[b.size() - 2]}};

    ContractionView view;
    const Dims& result = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
    const bool turned = result[rank - 2] == 1 && result[rank - 1] != 1 && dims[rank - 1] > 1 && dims[rank - 2] > 1;
    OperandView& rows = turned ? right : left;
    OperandView& columns = turned ? left : right;
    for (size_t axis = 0; axis + 2 < rank; ++axis) {
        view.order.rows.push_back(static_cast<int>(axis));
        rows.batch.push_back({dims[axis], batch_stride(region, rows.input, axis)});
        columns.batch.push_back({dims[axis], batch_stride(region, columns.input, axis)});
    }
    // A batch axis that the column operand does not have is more rows.
    while (!columns.batch.empty() && (columns.batch.back().stride == 0 || columns.batch.back().extent == 1)) {
        rows.outer.insert(rows.outer.begin(), rows.batch.back());
        rows.batch.pop_back();
        columns.batch.pop_back();
    }
    view.order.rows.push_back(static_cast<int>(turned ? rank - 1 : rank - 2));
    view.order.columns = {static_cast<int>(turned ? rank - 2 : rank - 1)};
    view.row_operand = std::move(rows);
    view.column_operand = std::move(columns);
    return view;
}

ConvolutionParts parts_of(const Region& region, const Op& op) {
    const Dims window = tail(region.inputs[1].dims);
    if (const auto* conv = std::get_if<Conv>(&op))
        return {*window_geometry(window, conv->stride, conv->dilation, conv->pad), conv->groups, false};
    const auto& conv = std::get<ConvTranspose>(op);
    return {*window_geometry(window, conv.stride, conv.dilation, conv.pad), conv.groups, true};
}

/// Tiles of a group would be mostly empty: depthwise and nearly depthwise convolutions.
Verdict has_wide_groups(const Region& region, const ConvolutionParts& conv) {
    constexpr int64_t kFewest = 4;
    const int64_t channels = region.inputs[0].dims[1] / conv.groups, filters = region.epilogue.dims[1] / conv.groups;
    if (conv.groups == 1 || (channels >= kFewest && filters >= kFewest)) return Verdict::yes();
    return Verdict::no("NARROW_GROUPS", "a group has " + std::to_string(channels) + " channels and " +
                                            std::to_string(filters) + " filters, a tile needs " +
                                            std::to_string(kFewest) + " of each");
}

/// The strides that decide the order of a computed input's points: those of the load that moves along most axes.
Dims leading_strides(const Region& region, const Body& body) {
    Dims leading(body.dims.size(), 0);
    const auto moving = [](const Dims& strides) {
        return std::count_if(strides.begin(), strides.end(), [](int64_t s) { return s != 0; });
    };
    for (const Term& term : body.terms) {
        if (term.kind != Term::Kind::Load) continue;
        const Dims& strides = region.operands[static_cast<size_t>(term.operand)].strides;
        if (strides.size() == leading.size() && moving(strides) > moving(leading)) leading = strides;
    }
    return leading;
}

}  // namespace

InputPlace place_of_input(const Region& region, int input) {
    const Body& body = region.inputs[static_cast<size_t>(input)];
    if (const Operand* plain = region.plain_input(static_cast<size_t>(input)))
        return {plain->type, plain->strides, plain->offset, 16, {}};
    InputPlace place{body.terms.back().type, Dims(body.dims.size(), 0), 0, 16, {}};
    const std::vector<Access> list = accesses(region, body, {});
    const Dims leading = leading_strides(region, body);
    place.domain = arrange_elementwise(body.dims, leading, strides_of(list));
    place.most_lanes = lanes_for(place.domain, list);
    int64_t stride = 1;
    const std::vector<int> order = memory_order(body.dims, leading);
    for (size_t i = order.size(); i-- > 0;) {
        place.strides[static_cast<size_t>(order[i])] = stride;
        stride *= body.dims[static_cast<size_t>(order[i])];
    }
    return place;
}

Verdict is_contraction(const Region& region, const GraphData& graph) {
    if (region.anchor == kNone) return Verdict::no("NO_ANCHOR", "there is nothing to sum");
    const Op& op = graph.node(region.anchor).op;
    const bool convolution = std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op);
    if (!convolution && !std::holds_alternative<Matmul>(op))
        return Verdict::no("OTHER_ANCHOR", std::string(name_of(op)) + " is neither a convolution nor a matrix product");
    const DataType type = place_of_input(region, 0).type;
    if (type == DataType::F64) return Verdict::no("DOUBLE", "tiles sum in float or int32, f64 sums in double");
    if (region.stores.empty()) return Verdict::no("NO_RESULT", "the result is not stored");
    const bool empty = std::any_of(region.inputs.begin(), region.inputs.end(),
                                   [](const Body& body) { return element_count(body.dims) == 0; });
    if (empty) return Verdict::no("EMPTY", "there are no products");
    return convolution ? has_wide_groups(region, parts_of(region, op)) : Verdict::yes();
}

ContractionView view_of(const Region& region, const GraphData& graph) {
    const Op& op = graph.node(region.anchor).op;
    ContractionView view =
        std::holds_alternative<Matmul>(op) ? matmul_view(region) : convolution_view(region, parts_of(region, op));
    view.batch = extent_of(view.row_operand.batch);
    view.rows = extent_of(view.row_operand.outer);
    view.columns = extent_of(view.column_operand.outer);
    view.depth = extent_of(view.row_operand.depth);
    for (OperandView* operand : {&view.row_operand, &view.column_operand}) drop_idle_windows(*operand);
    return view;
}

void choose_chunks(ContractionView& view, const Region& region, bool may_be_outer_major) {
    for (OperandView* operand : {&view.row_operand, &view.column_operand})
        choose_chunks(*operand, place_of_input(region, operand->input), may_be_outer_major);
}

}  // namespace tenon::codegen
