// Views and copies: the same elements under other coordinates.

#include <algorithm>
#include <numeric>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

/// A list that is the attribute `name` or, in newer models, the input `at`.
Result<Dims> attribute_or_input(NodeImport& node, std::string_view name, size_t at) {
    Dims list = node.integers(name);
    if (node.has(at)) {
        TENON_ASSIGN(list, node.known_integers(at));
    }
    return list;
}

Result<Operands> reshape(NodeImport& node) {
    const Operand& x = node[0];
    const bool zero_is_zero = node.integer("allowzero", 0) != 0;
    TENON_ASSIGN(Dims dims, attribute_or_input(node, "shape", 1));
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] != 0 || zero_is_zero) continue;
        if (axis >= x.rank()) return node.invalid("keeps axis " + std::to_string(axis) + " of " + to_text(x.dims));
        dims[axis] = x.dims[axis];
    }
    return single(node.build.reshape(x, dims));
}

Result<Operands> flatten(NodeImport& node) {
    const Operand& x = node[0];
    const auto rank = static_cast<int64_t>(x.rank());
    const int64_t named = node.integer("axis", 1), axis = named < 0 ? named + rank : named;
    if (axis < 0 || axis > rank)
        return node.invalid("axis " + std::to_string(named) + " is outside rank " + std::to_string(rank));
    const int64_t rows = element_count(Dims(x.dims.begin(), x.dims.begin() + axis));
    const int64_t columns = element_count(Dims(x.dims.begin() + axis, x.dims.end()));
    return single(node.build.reshape(x, {rows, columns}));
}

Result<Operands> squeeze(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(const Dims axes, attribute_or_input(node, "axes", 1));
    std::vector<bool> leaves(x.rank(), false);
    for (size_t axis = 0; axis < x.rank(); ++axis) leaves[axis] = axes.empty() && x.dims[axis] == 1;
    for (const int64_t named : axes) {
        TENON_ASSIGN(const size_t axis, node.axis(named, x.rank()));
        if (x.dims[axis] != 1)
            return node.invalid("axis " + std::to_string(named) + " of " + to_text(x.dims) + " is not 1");
        leaves[axis] = true;
    }
    Dims dims;
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        if (!leaves[axis]) dims.push_back(x.dims[axis]);
    }
    return single(node.build.reshape(x, dims));
}

Result<Operands> unsqueeze(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(const Dims axes, attribute_or_input(node, "axes", 1));
    const size_t rank = x.rank() + axes.size();
    std::vector<bool> is_new(rank, false);
    for (const int64_t named : axes) {
        TENON_ASSIGN(const size_t axis, node.axis(named, rank));
        if (is_new[axis]) return node.invalid("axis " + std::to_string(named) + " is named twice");
        is_new[axis] = true;
    }
    Dims dims;
    auto next = x.dims.begin();
    for (size_t axis = 0; axis < rank; ++axis) dims.push_back(is_new[axis] ? 1 : *next++);
    return single(node.build.reshape(x, dims));
}

Result<Operands> transpose(NodeImport& node) {
    Dims reversed(node[0].rank());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return single(node.build.transpose(node[0], node.integers("perm", reversed)));
}

Result<Operands> concat(NodeImport& node) {
    const int64_t axis = node.integer("axis", 1);  // had a default before operator set 4
    return single(node.build.apply(Concat{axis}, node.all_inputs()));
}

Slice whole(const Operand& x) { return {Dims(x.rank(), 0), x.dims, Dims(x.rank(), 1)}; }

/// Lengths of the parts: given, or as equal as they come with a shorter last one.
Result<Dims> part_lengths(NodeImport& node, int64_t extent) {
    TENON_ASSIGN(Dims lengths, attribute_or_input(node, "split", 1));
    if (!lengths.empty()) return lengths;
    const int64_t parts = node.integer("num_outputs", static_cast<int64_t>(node.output_count()));
    if (parts < 1 || parts > static_cast<int64_t>(node.output_count()))
        return node.invalid("num_outputs is " + std::to_string(parts) + ", the node has " +
                            std::to_string(node.output_count()) + " outputs");
    const int64_t length = (extent + parts - 1) / parts;
    for (int64_t part = 0; part < parts; ++part)
        lengths.push_back(std::clamp<int64_t>(extent - part * length, 0, length));
    return lengths;
}

Result<Operands> split(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(const size_t axis, node.axis(node.integer("axis", 0), x.rank()));
    TENON_ASSIGN(const Dims lengths, part_lengths(node, x.dims[axis]));
    Operands parts;
    Slice slice = whole(x);
    for (const int64_t length : lengths) {
        if (length < 0 || length > x.dims[axis] - slice.start[axis])
            return node.invalid("a part of " + std::to_string(length) + " does not fit axis " + std::to_string(axis) +
                                " of " + to_text(x.dims));
        slice.length[axis] = length;
        TENON_ASSIGN(Operand part, node.build.apply(slice, {x}));
        parts.push_back(std::move(part));
        slice.start[axis] += length;
    }
    if (slice.start[axis] != x.dims[axis])
        return node.invalid("the parts cover " + std::to_string(slice.start[axis]) + " of " +
                            std::to_string(x.dims[axis]));
    return parts;
}

/// One axis of a slice by the rules of NumPy: ends count from the back if negative and are clamped.
void slice_axis(int64_t extent, int64_t start, int64_t end, int64_t step, size_t axis, Slice& slice) {
    const auto from_front = [&](int64_t index) { return index < 0 ? index + extent : index; };
    const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
    const int64_t first = std::clamp(from_front(start), step > 0 ? int64_t{0} : least, most);
    const int64_t past = std::clamp(from_front(end), least, most);
    const int64_t distance = step > 0 ? past - first : first - past, stride = step > 0 ? step : -step;
    slice.length[axis] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    slice.start[axis] = slice.length[axis] == 0 ? 0 : first;
    // A step that is never taken may be as long as it likes in the model, not in the graph.
    slice.step[axis] = slice.length[axis] <= 1 ? 1 : step;
}

Result<Operands> slice(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(const Dims starts, attribute_or_input(node, "starts", 1));
    TENON_ASSIGN(const Dims ends, attribute_or_input(node, "ends", 2));
    TENON_ASSIGN(Dims axes, attribute_or_input(node, "axes", 3));
    Dims steps(starts.size(), 1);
    if (node.has(4)) {
        TENON_ASSIGN(steps, node.known_integers(4));
    }
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        return node.invalid("starts, ends, axes and steps differ in length");
    Slice slice = whole(x);
    for (size_t i = 0; i < axes.size(); ++i) {
        TENON_ASSIGN(const size_t axis, node.axis(axes[i], x.rank()));
        if (steps[i] == 0 || steps[i] == INT64_MIN) return node.invalid("steps by " + std::to_string(steps[i]));
        slice_axis(x.dims[axis], starts[i], ends[i], steps[i], axis, slice);
    }
    return single(node.build.apply(slice, {x}));
}

Result<Operands> pad(NodeImport& node) {
    const Operand& x = node[0];
    const std::string mode = node.text("mode", "constant");
    Pad pad{Dims(x.rank(), 0), Dims(x.rank(), 0), PadMode::Constant, node.number("value", 0.0)};
    if (mode == "reflect") pad.mode = PadMode::Reflect;
    if (mode == "edge") pad.mode = PadMode::Edge;
    if (mode != "constant" && mode != "reflect" && mode != "edge") return node.unsupported("mode is '" + mode + "'");
    TENON_ASSIGN(const Dims pads, attribute_or_input(node, "pads", 1));
    if (node.has(2)) {
        TENON_ASSIGN(const std::vector<double> value, node.known_numbers(2));
        if (value.size() == 1) pad.value = value[0];
    }
    Dims axes(x.rank());
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3)) {
        TENON_ASSIGN(axes, node.known_integers(3));
    }
    if (pads.size() != 2 * axes.size())
        return node.invalid("pads has " + std::to_string(pads.size()) + " entries, needs " +
                            std::to_string(2 * axes.size()));
    for (size_t i = 0; i < axes.size(); ++i) {
        TENON_ASSIGN(const size_t axis, node.axis(axes[i], x.rank()));
        pad.before[axis] = pads[i];
        pad.after[axis] = pads[axes.size() + i];
    }
    return single(node.build.apply(pad, {x}));
}

Result<Operands> gather(NodeImport& node) {
    return single(node.build.apply(Gather{node.integer("axis", 0)}, {node[0], node[1]}));
}

/// Both sides broadcast: an extent of 1 in the wanted shape keeps the tensor's own.
Result<Operands> expand(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(Dims dims, node.known_integers(1));
    if (dims.size() < x.rank()) dims.insert(dims.begin(), x.rank() - dims.size(), 1);
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        int64_t& wanted = dims[dims.size() - x.rank() + axis];
        if (wanted == 1) wanted = x.dims[axis];
    }
    return single(node.build.expand(x, dims));
}

/// [a, b] repeated (p, q) times is [a, 1, b, 1] expanded to [p, a, q, b] and flattened.
Result<Operands> tile(NodeImport& node) {
    const Operand& x = node[0];
    TENON_ASSIGN(const Dims repeats, node.known_integers(1));
    if (repeats.size() != x.rank())
        return node.invalid("repeats has " + std::to_string(repeats.size()) + " entries, needs " +
                            std::to_string(x.rank()));
    Operand result = x;
    for (size_t axis = 0; axis < repeats.size(); ++axis) {
        if (repeats[axis] == 1) continue;
        Dims apart = result.dims, wide, together = result.dims;
        if (repeats[axis] < 0 || __builtin_mul_overflow(together[axis], repeats[axis], &together[axis]))
            return node.invalid("repeats " + std::to_string(repeats[axis]) + " times");
        apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        wide = apart;
        wide[axis] = repeats[axis];
        TENON_ASSIGN(const Operand lifted, node.build.reshape(result, apart));
        TENON_ASSIGN(const Operand repeated, node.build.expand(lifted, wide));
        TENON_ASSIGN(result, node.build.reshape(repeated, together));
    }
    return Operands{result};
}

Status need_blocks(const Operand& x, int64_t block) {
    if (x.rank() == 4 && block >= 1 && block <= 4096) return {};
    return NodeImport::invalid("needs an image [N, C, H, W] and a block size, found " + to_text(x.dims) + " and " +
                               std::to_string(block));
}

Result<Operands> depth_to_space(NodeImport& node) {
    const Operand& x = node[0];
    const int64_t block = node.integer("blocksize", 0);
    const std::string mode = node.text("mode", "DCR");
    TENON_TRY(need_blocks(x, block));
    if (mode != "DCR" && mode != "CRD") return node.unsupported("mode is '" + mode + "'");
    const int64_t n = x.dims[0], c = x.dims[1] / (block * block), h = x.dims[2], w = x.dims[3];
    const bool depth_first = mode == "DCR";
    TENON_ASSIGN(const Operand parts,
                 node.build.reshape(x, depth_first ? Dims{n, block, block, c, h, w} : Dims{n, c, block, block, h, w}));
    TENON_ASSIGN(const Operand woven,
                 node.build.transpose(parts, depth_first ? Dims{0, 3, 4, 1, 5, 2} : Dims{0, 1, 4, 2, 5, 3}));
    return single(node.build.reshape(woven, {n, c, h * block, w * block}));
}

Result<Operands> space_to_depth(NodeImport& node) {
    const Operand& x = node[0];
    const int64_t block = node.integer("blocksize", 0);
    TENON_TRY(need_blocks(x, block));
    const int64_t n = x.dims[0], c = x.dims[1], h = x.dims[2] / block, w = x.dims[3] / block;
    TENON_ASSIGN(const Operand parts, node.build.reshape(x, {n, c, h, block, w, block}));
    TENON_ASSIGN(const Operand sorted, node.build.transpose(parts, {0, 3, 5, 1, 2, 4}));
    return single(node.build.reshape(sorted, {n, c * block * block, h, w}));
}

constexpr RuleRow kRows[] = {
    {"Concat", 1, kAnyNumber, concat},
    {"DepthToSpace", 1, 1, depth_to_space},
    {"Expand", 2, 2, expand},
    {"Flatten", 1, 1, flatten},
    {"Gather", 2, 2, gather},
    {"Pad", 1, 4, pad},
    {"Reshape", 1, 2, reshape},
    {"Slice", 1, 5, slice},
    {"SpaceToDepth", 1, 1, space_to_depth},
    {"Split", 1, 2, split},
    {"Squeeze", 1, 2, squeeze},
    {"Tile", 2, 2, tile},
    {"Transpose", 1, 1, transpose},
    {"Unsqueeze", 1, 2, unsqueeze},
};

}  // namespace

std::span<const RuleRow> shape_rules() { return kRows; }

}  // namespace tenon::onnx
