// Tensors that come from nowhere: constants, extents of other tensors, ranges, masks by position.

#include <algorithm>
#include <cmath>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 20;

Known list_of(const Dims& values) {
    return known_integers(DataType::I64, {static_cast<int64_t>(values.size())}, values);
}

Result<Operands> constant(NodeImport& node) {
    if (const Known* value = node.tensor("value")) return Operands{Builder::of(*value)};
    if (node.has_attribute("value_int"))
        return Operands{Builder::of(known_integers(DataType::I64, {}, {node.integer("value_int", 0)}))};
    if (node.has_attribute("value_float"))
        return Operands{Builder::of(known_numbers(DataType::F32, {}, {node.number("value_float", 0.0)}))};
    if (node.has_attribute("value_ints")) return Operands{Builder::of(list_of(node.integers("value_ints")))};
    if (node.has_attribute("value_floats")) {
        const std::vector<double> values = node.numbers("value_floats");
        return Operands{Builder::of(known_numbers(DataType::F32, {static_cast<int64_t>(values.size())}, values))};
    }
    return node.unsupported("has no value of numbers");
}

/// The same element everywhere: known if the tensor is small, else a broadcast.
Result<Operands> constant_of_shape(NodeImport& node) {
    const Known* value = node.tensor("value");
    TENON_ASSIGN(const Dims dims, node.known_integers(0));
    if (value != nullptr && value->count() != 1) return node.invalid("value has " + to_text(value->dims) + " elements");
    const Known element =
        value == nullptr ? known_numbers(DataType::F32, {}, {0.0}) : Known{value->type, {}, value->bytes};
    return single(node.build.apply(Expand{dims}, {Builder::of(element)}));
}

Result<Operands> shape(NodeImport& node) {
    const Dims& dims = node[0].dims;
    const auto rank = static_cast<int64_t>(dims.size());
    const auto clamped = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank); };
    const int64_t start = clamped(node.integer("start", 0)), end = clamped(node.integer("end", rank));
    if (start >= end) return Operands{Builder::of(list_of({}))};
    return Operands{Builder::of(list_of(Dims(dims.begin() + start, dims.begin() + end)))};
}

Result<Operands> size(NodeImport& node) {
    return Operands{Builder::of(known_integers(DataType::I64, {}, {node[0].count()}))};
}

Result<Operands> range(NodeImport& node) {
    std::array<double, 3> limits{};  // start, limit, delta
    for (size_t i = 0; i < 3; ++i) {
        TENON_ASSIGN(const std::vector<double> values, node.known_numbers(i));
        if (values.size() != 1) return node.invalid("start, limit and delta must be scalars");
        limits[i] = values[0];
    }
    const double count = std::ceil((limits[1] - limits[0]) / limits[2]);
    if (!std::isfinite(count) || count > static_cast<double>(kMostElements))
        return node.invalid("the range would have more than " + std::to_string(kMostElements) + " elements");
    const auto elements = static_cast<int64_t>(std::max(count, 0.0));
    const DataType type = node[0].type;
    if (type == DataType::F16 || type == DataType::BF16) return node.unsupported("ranges of 16-bit numbers");
    std::vector<double> values;
    for (int64_t i = 0; i < elements; ++i) values.push_back(limits[0] + static_cast<double>(i) * limits[2]);
    if (is_floating(type)) return Operands{Builder::of(known_numbers(type, {elements}, values))};
    return Operands{Builder::of(known_integers(type, {elements}, std::vector<int64_t>(values.begin(), values.end())))};
}

/// column - row of every element of a matrix (the last two axes), shifted by `k`.
Result<Operand> diagonals(NodeImport& node, const Operand& x, int64_t k) {
    TENON_ASSIGN(const Operand column, node.build.apply(IndexAlong{-1, DataType::I64}, {x}));
    TENON_ASSIGN(const Operand row, node.build.apply(IndexAlong{-2, DataType::I64}, {x}));
    TENON_ASSIGN(const Operand distance, node.build.pointwise(PointwiseKind::Subtract, {column, row}));
    const Operand shift = Builder::of(known_integers(DataType::I64, {}, {k}));
    return node.build.pointwise(PointwiseKind::Subtract, {distance, shift});
}

Result<Operands> triangle(NodeImport& node) {
    const bool upper = node.integer("upper", 1) != 0;
    int64_t k = 0;
    if (node.has(1)) {
        TENON_ASSIGN(const Dims given, node.known_integers(1));
        if (given.size() == 1) k = given[0];
    }
    const Operand& x = node[0];
    if (x.count() == 0) return Operands{x};
    TENON_ASSIGN(const Operand distance, diagonals(node, x, k));
    const Operand zero = Builder::of(known_integers(DataType::I64, {}, {0}));
    TENON_ASSIGN(
        const Operand stays,
        node.build.pointwise(upper ? PointwiseKind::GreaterEqual : PointwiseKind::LessEqual, {distance, zero}));
    return single(node.build.pointwise(PointwiseKind::Select, {stays, x, node.build.number(0.0, x.type)}));
}

Result<Operands> eye_like(NodeImport& node) {
    const Operand& x = node[0];
    const int64_t k = node.integer("k", 0);
    DataType type = x.type;
    if (node.has_attribute("dtype")) {
        TENON_ASSIGN(type, data_type(node.integer("dtype", 0)));
    }
    if (x.rank() != 2) return node.invalid(to_text(x.dims) + " is no matrix");
    TENON_ASSIGN(const Operand distance, diagonals(node, x, k));
    const Operand zero = Builder::of(known_integers(DataType::I64, {}, {0}));
    TENON_ASSIGN(const Operand is_diagonal, node.build.pointwise(PointwiseKind::Equal, {distance, zero}));
    return single(node.build.apply(Cast{type}, {is_diagonal}));
}

/// Off and on values by whether the position along a new axis is the index; a negative index counts from the end, one
/// outside gives no on value.
Result<Operands> one_hot(NodeImport& node) {
    Builder& build = node.build;
    TENON_ASSIGN(const std::vector<double> depths, node.known_numbers(1));
    if (depths.size() != 1 || !(depths[0] >= 1.0) || depths[0] > static_cast<double>(kMostElements))
        return node.invalid("depth must be one number from 1 to " + std::to_string(kMostElements));
    const auto depth = static_cast<int64_t>(depths[0]);
    if (node[2].dims != Dims{2}) return node.invalid("values is " + to_text(node[2].dims) + ", needs 2");
    TENON_ASSIGN(const size_t axis, node.axis(node.integer("axis", -1), node[0].rank() + 1));
    TENON_ASSIGN(const Operand whole, build.cast(node[0], DataType::I64));
    const Operand extent = Builder::of(known_integers(DataType::I64, {}, {depth}));
    const Operand zero = Builder::of(known_integers(DataType::I64, {}, {0}));
    TENON_ASSIGN(const Operand is_negative, build.pointwise(PointwiseKind::Less, {whole, zero}));
    TENON_ASSIGN(const Operand from_end, build.pointwise(PointwiseKind::Add, {whole, extent}));
    TENON_ASSIGN(const Operand index, build.pointwise(PointwiseKind::Select, {is_negative, from_end, whole}));
    Dims dims = index.dims;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    TENON_ASSIGN(const Operand lifted, build.reshape(index, dims));
    std::vector<int64_t> numbers(static_cast<size_t>(depth));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
    Dims along(dims.size() - axis, 1);
    along[0] = depth;
    const Operand positions = Builder::of(known_integers(DataType::I64, along, numbers));
    TENON_ASSIGN(const Operand is_hot, build.pointwise(PointwiseKind::Equal, {lifted, positions}));
    TENON_ASSIGN(const Operand off, build.apply(Slice{{0}, {1}, {1}}, {node[2]}));
    TENON_ASSIGN(const Operand on, build.apply(Slice{{1}, {1}, {1}}, {node[2]}));
    return single(build.pointwise(PointwiseKind::Select, {is_hot, on, off}));
}

constexpr RuleRow kRows[] = {
    {"Constant", 0, 0, constant}, {"ConstantOfShape", 1, 1, constant_of_shape},
    {"EyeLike", 1, 1, eye_like},  {"OneHot", 3, 3, one_hot},
    {"Range", 3, 3, range},       {"Shape", 1, 1, shape},
    {"Size", 1, 1, size},         {"Trilu", 1, 2, triangle},
};

}  // namespace

std::span<const RuleRow> constant_rules() { return kRows; }

}  // namespace tenon::onnx
