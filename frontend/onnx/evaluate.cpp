// Shape computations of a model are small integer tensors put through ordinary operations. They are worked out here,
// once, so that what the graph sees is fixed extents.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "frontend/onnx/known.h"
#include "frontend/ops/conv_geometry.h"
#include "frontend/ops/op_rules.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

using Inputs = std::vector<Known>;
/// The element of the (first) input that each output element copies, in row-major order.
using Origins = std::vector<int64_t>;

/// Walks the row-major coordinates of `dims` and collects `offset + sum(coordinate * step)`.
Origins strided(const Dims& dims, const Dims& steps, int64_t offset = 0) {
    const int64_t count = element_count(dims);
    Origins origins;
    Dims at(dims.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
        origins.push_back(std::inner_product(at.begin(), at.end(), steps.begin(), offset));
        for (size_t axis = dims.size(); axis-- > 0 && ++at[axis] == dims[axis];) at[axis] = 0;
    }
    return origins;
}

Dims row_major(const Dims& dims) { return packed_strides(dims, Layout::NCHW); }

/// Steps of an operand over the axes of a result that it broadcasts to.
Dims broadcast_steps(const Dims& own, const Dims& result) {
    const Dims strides = row_major(own);
    Dims steps(result.size(), 0);
    for (size_t axis = 0; axis < own.size(); ++axis) {
        if (own[axis] != 1) steps[result.size() - own.size() + axis] = strides[axis];
    }
    return steps;
}

Known copied(const Known& source, const Origins& origins, Dims dims) {
    const auto width = static_cast<size_t>(bytes_of(source.type));
    auto bytes = std::make_shared<Bytes>(origins.size() * width);
    for (size_t i = 0; i < origins.size(); ++i)
        std::memcpy(bytes->data() + i * width, source.bytes->data() + static_cast<size_t>(origins[i]) * width, width);
    return {source.type, std::move(dims), std::move(bytes)};
}

template <typename T>
T arithmetic(PointwiseKind kind, T a, T b, bool& is_known) {
    switch (kind) {
        case PointwiseKind::Add:
            return a + b;
        case PointwiseKind::Subtract:
            return a - b;
        case PointwiseKind::Multiply:
            return a * b;
        case PointwiseKind::Maximum:
            return std::max(a, b);
        case PointwiseKind::Minimum:
            return std::min(a, b);
        default:
            is_known = false;
            return a;
    }
}

/// -1, 0, 1 … as in a comparison; false for other functions.
template <typename T>
bool compared(PointwiseKind kind, T a, T b, bool& is_known) {
    switch (kind) {
        case PointwiseKind::Equal:
            return a == b;
        case PointwiseKind::NotEqual:
            return a != b;
        case PointwiseKind::Greater:
            return a > b;
        case PointwiseKind::GreaterEqual:
            return a >= b;
        case PointwiseKind::Less:
            return a < b;
        case PointwiseKind::LessEqual:
            return a <= b;
        default:
            is_known = false;
            return false;
    }
}

int64_t whole(PointwiseKind kind, int64_t a, int64_t b, bool& is_known) {
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);  // wraps where int64 may not
    switch (kind) {
        case PointwiseKind::Identity:
            return a;
        case PointwiseKind::Negate:
            return static_cast<int64_t>(0 - ua);
        case PointwiseKind::Abs:
            return a < 0 ? static_cast<int64_t>(0 - ua) : a;
        case PointwiseKind::Divide:
            return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - ua) : a / b;
        case PointwiseKind::Modulo:
            return b == 0 || b == -1 ? 0 : a % b;
        case PointwiseKind::Maximum:
            return std::max(a, b);
        case PointwiseKind::Minimum:
            return std::min(a, b);
        case PointwiseKind::LogicalAnd:
            return a != 0 && b != 0;
        case PointwiseKind::LogicalOr:
            return a != 0 || b != 0;
        case PointwiseKind::LogicalNot:
            return a == 0;
        default:
            return static_cast<int64_t>(arithmetic(kind, ua, ub, is_known));
    }
}

double real(PointwiseKind kind, double a, double b, bool& is_known) {
    switch (kind) {
        case PointwiseKind::Identity:
            return a;
        case PointwiseKind::Negate:
            return -a;
        case PointwiseKind::Abs:
            return std::fabs(a);
        case PointwiseKind::Divide:
            return a / b;
        case PointwiseKind::Ceil:
            return std::ceil(a);
        case PointwiseKind::Floor:
            return std::floor(a);
        case PointwiseKind::Round:
            return std::nearbyint(a);
        case PointwiseKind::Truncate:
            return std::trunc(a);
        case PointwiseKind::Sqrt:
            return std::sqrt(a);
        case PointwiseKind::Reciprocal:
            return 1.0 / a;
        case PointwiseKind::Power:
            return std::pow(a, b);
        case PointwiseKind::Maximum:
        case PointwiseKind::Minimum:
            if (std::isnan(a) || std::isnan(b)) return std::nan("");
            break;
        default:
            break;
    }
    return arithmetic(kind, a, b, is_known);
}

/// Elements of an operand as they stand under the result's elements.
template <typename T>
std::vector<T> spread(const std::vector<T>& elements, const Dims& own, const Dims& result) {
    std::vector<T> under;
    for (const int64_t origin : strided(result, broadcast_steps(own, result)))
        under.push_back(elements[static_cast<size_t>(origin)]);
    return under;
}

template <typename T>
std::optional<Known> pointwise_of(PointwiseKind kind, const std::vector<std::vector<T>>& in, const Value& result,
                                  T (*function)(PointwiseKind, T, T, bool&)) {
    bool is_known = true;
    std::vector<T> values;
    const bool compares = info(kind).result == PointwiseResult::Bool;
    for (size_t i = 0; i < in[0].size(); ++i) {
        const T a = in[0][i], b = in.size() > 1 ? in[1][i] : T{};
        values.push_back(compares ? static_cast<T>(compared(kind, a, b, is_known)) : function(kind, a, b, is_known));
    }
    if (!is_known) return std::nullopt;
    if constexpr (std::is_same_v<T, double>)
        return known_numbers(result.type, result.dims, values);
    else
        return known_integers(result.type, result.dims, values);
}

bool is_small_float(DataType type) { return type == DataType::F16 || type == DataType::BF16; }

std::optional<Known> evaluate(const Pointwise& op, const Inputs& inputs, const Value& result) {
    if (op.kind == PointwiseKind::Select) {
        if (inputs[1].type != inputs[2].type) return std::nullopt;
        const std::vector<int64_t> mask = spread(integers_of(inputs[0]), inputs[0].dims, result.dims);
        // One pool of elements: those of b, then those of c.
        Known both{inputs[1].type, {}, {}};
        auto bytes = std::make_shared<Bytes>(*inputs[1].bytes);
        bytes->insert(bytes->end(), inputs[2].bytes->begin(), inputs[2].bytes->end());
        both.bytes = std::move(bytes);
        const Origins yes = strided(result.dims, broadcast_steps(inputs[1].dims, result.dims));
        Origins origins = strided(result.dims, broadcast_steps(inputs[2].dims, result.dims), inputs[1].count());
        for (size_t i = 0; i < origins.size(); ++i) origins[i] = mask[i] != 0 ? yes[i] : origins[i];
        return copied(both, origins, result.dims);
    }
    bool is_real = false;
    for (const Known& input : inputs) {
        if (is_small_float(input.type)) return std::nullopt;
        is_real = is_real || is_floating(input.type);
    }
    if (inputs.size() > 2 || is_small_float(result.type)) return std::nullopt;
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<int64_t>> integers;
    for (const Known& input : inputs) {
        if (is_real) numbers.push_back(spread(numbers_of(input), input.dims, result.dims));
        if (!is_real) integers.push_back(spread(integers_of(input), input.dims, result.dims));
    }
    return is_real ? pointwise_of<double>(op.kind, numbers, result, &real)
                   : pointwise_of<int64_t>(op.kind, integers, result, &whole);
}

std::optional<Known> evaluate(const Cast& op, const Inputs& inputs, const Value& result) {
    if (is_small_float(op.type) || is_small_float(inputs[0].type)) return std::nullopt;
    if (!is_floating(inputs[0].type)) {
        const std::vector<int64_t> values = integers_of(inputs[0]);
        return known_integers(op.type, result.dims, values);
    }
    std::vector<double> values = numbers_of(inputs[0]);
    if (is_floating(op.type)) return known_numbers(op.type, result.dims, values);
    if (op.type == DataType::Bool) {
        std::vector<int64_t> truths;
        for (const double value : values) truths.push_back(value != 0.0);
        return known_integers(op.type, result.dims, truths);
    }
    for (double& value : values) value = std::nearbyint(value);
    const std::vector<int64_t> rounded = integers_of(known_numbers(DataType::F64, result.dims, values));
    // Saturation of narrower types is left to the graph.
    if (op.type != DataType::I64 && op.type != DataType::I32) return std::nullopt;
    for (const int64_t value : rounded) {
        if (op.type == DataType::I32 && (value < INT32_MIN || value > INT32_MAX)) return std::nullopt;
    }
    return known_integers(op.type, result.dims, rounded);
}

std::optional<Known> evaluate(const Reshape&, const Inputs& inputs, const Value& result) {
    return Known{inputs[0].type, result.dims, inputs[0].bytes};
}

std::optional<Known> evaluate(const Transpose& op, const Inputs& inputs, const Value& result) {
    const Dims strides = row_major(inputs[0].dims);
    Dims steps;
    for (const int64_t axis : op.permutation) steps.push_back(strides[static_cast<size_t>(axis)]);
    return copied(inputs[0], strided(result.dims, steps), result.dims);
}

std::optional<Known> evaluate(const Expand&, const Inputs& inputs, const Value& result) {
    return copied(inputs[0], strided(result.dims, broadcast_steps(inputs[0].dims, result.dims)), result.dims);
}

std::optional<Known> evaluate(const Slice& op, const Inputs& inputs, const Value& result) {
    const Dims strides = row_major(inputs[0].dims);
    Dims steps;
    int64_t offset = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
        steps.push_back(strides[axis] * op.step[axis]);
        offset += strides[axis] * op.start[axis];
    }
    return copied(inputs[0], strided(result.dims, steps, offset), result.dims);
}

std::optional<Known> evaluate(const Concat& op, const Inputs& inputs, const Value& result) {
    const Result<size_t> axis = normalized_axis(op.axis, result.dims.size());
    if (!axis.is_ok()) return std::nullopt;
    const auto at = static_cast<std::ptrdiff_t>(*axis);
    const int64_t outer = element_count(Dims(result.dims.begin(), result.dims.begin() + at));
    auto bytes = std::make_shared<Bytes>();
    for (int64_t row = 0; row < outer; ++row) {
        for (const Known& input : inputs) {
            const auto size = static_cast<std::ptrdiff_t>(input.bytes->size()) / outer;
            bytes->insert(bytes->end(), input.bytes->begin() + row * size, input.bytes->begin() + (row + 1) * size);
        }
    }
    return Known{result.type, result.dims, std::move(bytes)};
}

std::optional<Known> evaluate(const Gather& op, const Inputs& inputs, const Value& result) {
    const Dims& dims = inputs[0].dims;
    const Result<size_t> axis = normalized_axis(op.axis, dims.size());
    if (!axis.is_ok() || inputs[0].count() == 0) return std::nullopt;
    const int64_t extent = dims[*axis], inner = row_major(dims)[*axis], outer = inputs[0].count() / (extent * inner);
    Origins origins;
    for (int64_t row = 0; row < outer; ++row) {
        for (const int64_t index : integers_of(inputs[1])) {
            const int64_t wrapped = std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
            for (int64_t i = 0; i < inner; ++i) origins.push_back((row * extent + wrapped) * inner + i);
        }
    }
    return copied(inputs[0], origins, result.dims);
}

/// Of whole numbers over all axes: sizes.
std::optional<Known> evaluate(const Reduce& op, const Inputs& inputs, const Value& result) {
    if (result.type != DataType::I64 || inputs[0].type != DataType::I64 || element_count(result.dims) != 1)
        return std::nullopt;
    const std::vector<int64_t> values = integers_of(inputs[0]);
    uint64_t total = op.kind == ReduceKind::Prod ? 1 : 0;
    for (const int64_t value : values) {
        if (op.kind == ReduceKind::Prod) total *= static_cast<uint64_t>(value);
        if (op.kind == ReduceKind::Sum) total += static_cast<uint64_t>(value);
    }
    if (op.kind != ReduceKind::Prod && op.kind != ReduceKind::Sum) {
        if (values.empty() || (op.kind != ReduceKind::Max && op.kind != ReduceKind::Min)) return std::nullopt;
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        total = static_cast<uint64_t>(op.kind == ReduceKind::Max ? *most : *least);
    }
    return known_integers(DataType::I64, result.dims, {static_cast<int64_t>(total)});
}

template <typename Other>
std::optional<Known> evaluate(const Other&, const Inputs&, const Value&) {
    return std::nullopt;
}

}  // namespace

Result<std::optional<Known>> evaluate_known(const Op& op, const std::vector<Known>& inputs) {
    std::vector<Value> values;
    for (const Known& input : inputs) {
        if (input.count() > kMostKnownElements) return std::optional<Known>();
        Value value;
        value.name = "constant";
        value.kind = ValueKind::Constant;
        value.type = input.type;
        value.dims = input.dims;
        value.strides = row_major(input.dims);
        values.push_back(std::move(value));
    }
    std::vector<const Value*> pointers;
    for (const Value& value : values) pointers.push_back(&value);
    TENON_ASSIGN(const std::vector<Value> results, infer(op, pointers));
    if (results.size() != 1) return std::optional<Known>();
    int64_t count = 1;
    for (const int64_t extent : results[0].dims) {
        if (__builtin_mul_overflow(count, extent, &count) || count > kMostKnownElements) return std::optional<Known>();
    }
    return std::visit([&](const auto& known_op) { return evaluate(known_op, inputs, results[0]); }, op);
}

}  // namespace tenon::onnx
