#pragma once

#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include "codegen/kernels/contraction/page.h"

namespace tenon::testing {

/// A convolution (1-D to 3-D, or transposed) or matrix product, then bias and relu in the type of the result.
struct ContractionCase {
    std::string name;
    Graph graph;
    int64_t depth;         ///< Products per result.
    double precision = 0;  ///< Largest relative rounding of an operand before it is multiplied.
};
void PrintTo(const ContractionCase& test, std::ostream* out);

Graph convolution(DataType type, Layout layout, const Dims& image, const Dims& filter, Conv conv);
Graph convolution(DataType type, Layout layout, Layout filter_layout, const Dims& image, const Dims& filter, Conv conv);
Graph transposed_convolution(DataType type, Layout layout, const Dims& image, const Dims& filter, ConvTranspose conv);
enum class Turned { None, Left, Right, Both };
Graph matmul(DataType type, Dims left, Dims right, Turned turned = Turned::None);

/// The graph's only region as a contraction, without a tile; the graph must outlive it.
codegen::ContractionPlan contraction_plan(const Graph& graph, const Target& target);
/// A plan of the kernels that the contraction family writes for the graph's only region, or why it takes it not.
Result<Plan> plan_of_family(const Graph& graph, const Target& target);
/// A plan whose kernels have this tile.
Plan plan_with_tile(const Graph& graph, const Target& target, const heuristics::ContractionTile& tile);

/// Runs the plan's kernels and compares with the reference on the same normal (or small whole) numbers.
::testing::AssertionResult agrees(const ContractionCase& test, const Plan& plan);

}  // namespace tenon::testing
