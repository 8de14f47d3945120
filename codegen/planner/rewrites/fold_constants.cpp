#include <algorithm>
#include <optional>

#include "codegen/planner/constants.h"
#include "codegen/planner/evaluate.h"
#include "codegen/planner/rewrites.h"
#include "codegen/planner/storage.h"

namespace tenon::codegen {
namespace {

using Numbers = std::vector<double>;

/// Larger results are left to the kernels that read them: a plan should not grow by them.
constexpr int64_t kMostElements = int64_t{1} << 22;

/// Row-major numbers of `dims`, read at strides of packed `from` numbers.
Numbers gathered(const Numbers& from, const Dims& dims, const Dims& strides, int64_t offset) {
    Numbers numbers(static_cast<size_t>(element_count(dims)));
    for (size_t n = 0; n < numbers.size(); ++n) {
        int64_t rest = static_cast<int64_t>(n), at = offset;
        for (size_t axis = dims.size(); axis-- > 0;) {
            at += rest % dims[axis] * strides[axis];
            rest /= dims[axis];
        }
        numbers[n] = from[static_cast<size_t>(at)];
    }
    return numbers;
}

/// Strides of packed `dims` over `to`, broadcast as operands are.
Dims broadcast_strides(const Dims& dims, const Dims& to) {
    const Dims packed = packed_strides(dims, Layout::NCHW);
    Dims strides(to.size(), 0);
    const size_t missing = to.size() - dims.size();
    for (size_t axis = 0; axis < dims.size(); ++axis) strides[missing + axis] = dims[axis] == 1 ? 0 : packed[axis];
    return strides;
}

std::optional<Numbers> evaluate_pointwise(const GraphData& graph, const Node& node, const Pointwise& op) {
    const auto function = constant_function(op);
    const Value& result = graph.value(node.outputs[0]);
    if (!function || !is_floating(result.type) || node.inputs.size() > 3) return std::nullopt;
    Numbers operands[3];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Value& input = graph.value(node.inputs[i]);
        if (!is_floating(input.type)) return std::nullopt;
        const Numbers numbers = *read_constant(input);
        operands[i] = gathered(numbers, result.dims, broadcast_strides(input.dims, result.dims), 0);
    }
    Numbers numbers(static_cast<size_t>(element_count(result.dims)));
    const auto operand = [&](size_t i, size_t n) { return operands[i].empty() ? 0.0 : operands[i][n]; };
    for (size_t n = 0; n < numbers.size(); ++n) numbers[n] = function(operand(0, n), operand(1, n), operand(2, n));
    return numbers;
}

std::optional<Numbers> evaluate(const GraphData& graph, const Node& node) {
    const Value& result = graph.value(node.outputs[0]);
    if (const auto* pointwise = std::get_if<Pointwise>(&node.op)) return evaluate_pointwise(graph, node, *pointwise);
    if (std::holds_alternative<Cast>(node.op)) return read_constant(graph.value(node.inputs[0]));
    const bool moves = std::holds_alternative<Reshape>(node.op) || std::holds_alternative<Transpose>(node.op) ||
                       std::holds_alternative<Slice>(node.op);
    if (!moves) return std::nullopt;
    const Value& x = graph.value(node.inputs[0]);
    const Storage packed{0, packed_strides(x.dims, Layout::NCHW), 0};
    const std::optional<Storage> seen = storage_through(node.op, x.dims, packed, result.dims);
    if (!seen) return std::nullopt;
    return gathered(*read_constant(x), result.dims, seen->strides, seen->offset);
}

bool is_foldable(const GraphData& graph, const Node& node) {
    if (node.inputs.empty() || node.outputs.size() != 1 || graph.is_output(node.outputs[0])) return false;
    const Value& result = graph.value(node.outputs[0]);
    return element_count(result.dims) <= kMostElements && result.type != DataType::I64 &&
           std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
               const Value& value = graph.value(input);
               return value.kind == ValueKind::Constant && value.data != nullptr && value.type != DataType::I64;
           });
}

}  // namespace

// f(constants) -> constant, in double, rounded to the declared type of each result
void fold_constants(GraphData& graph, std::vector<std::string>& done) {
    std::vector<Node> kept;
    for (Node& node : graph.nodes) {
        const std::optional<Numbers> numbers = is_foldable(graph, node) ? evaluate(graph, node) : std::nullopt;
        if (numbers) {
            Value& value = graph.values[static_cast<size_t>(node.outputs[0])];
            value.kind = ValueKind::Constant;
            value.producer = kNone;
            value.data = constant_bytes(value.type, value.dims, value.strides, *numbers);
            done.push_back("fold_constants: " + node.name);
            continue;
        }
        for (const ValueId output : node.outputs)
            graph.values[static_cast<size_t>(output)].producer = static_cast<NodeId>(kept.size());
        kept.push_back(std::move(node));
    }
    graph.nodes = std::move(kept);
}

}  // namespace tenon::codegen
