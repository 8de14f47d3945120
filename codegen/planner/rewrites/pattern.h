#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/graph_data.h"
#include "frontend/graph/graph_view.h"

namespace tenon::codegen {

/// Follows a written-out function from its last node towards its inputs, and remembers the nodes on the way. A step
/// that does not match returns an empty result and may leave nodes behind; start a new pattern for each try.
class Pattern {
  public:
    Pattern(const GraphData& graph, const GraphView& view, NodeId last) : graph_(graph), view_(view), last_(last) {
        nodes_.insert(last);
    }

    using Pair = std::pair<ValueId, ValueId>;

    /// Inputs of the node behind `value` if it is this function.
    std::optional<ValueId> unary(ValueId value, PointwiseKind kind);
    std::optional<Pair> binary(ValueId value, PointwiseKind kind);
    /// The input of a reduction over the last axes with kept extents; `axis` receives the first of them.
    std::optional<ValueId> reduction(ValueId value, ReduceKind kind, int64_t& axis);
    /// The other operand of a sum or product with a number.
    std::optional<ValueId> with_number(ValueId value, PointwiseKind kind, double number);
    std::optional<std::pair<ValueId, double>> with_any_number(ValueId value, PointwiseKind kind);
    /// x of x * x, x^2 or square(x).
    std::optional<ValueId> squared(ValueId value);
    /// Factors of a product, however it is nested, and the product of its numbers.
    bool product(ValueId value, std::vector<ValueId>& factors, double& number);
    /// A constant of one element.
    std::optional<double> number_of(ValueId value) const;
    bool is_number(ValueId value, double number) const;

    const Node* node_behind(ValueId value) const;
    void take(ValueId value) { nodes_.insert(graph_.value(value).producer); }

    /// Empty if the matched nodes may become one: nobody else reads their results, nothing between rounds to 16 bits
    /// (unless the graph is relaxed), no node forbids fusion; else why not.
    std::string refusal() const;

  private:
    const GraphData& graph_;
    const GraphView& view_;
    NodeId last_;
    std::set<NodeId> nodes_;
};

}  // namespace tenon::codegen
