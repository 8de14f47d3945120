// Pointwise nodes in front of an anchor are computed while it reads.

#include <gmock/gmock.h>

#include "tests/planner/planned.h"
#include "tests/support/run.h"

namespace tenon::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Numbers are f64, which only the direct family computes: what joins a kernel here does not depend on what the families
// in front of it take.
constexpr DataType kDouble = DataType::F64;

void expect_kernels(const Graph& graph, size_t kernels) {
    const Planned plan = planned(graph);
    ASSERT_EQ(plan.failure, "");
    EXPECT_EQ(plan.kernels, kernels) << plan.notes << plan.source;
    EXPECT_EQ(test::disagreement(graph, test::random_inputs(graph, 2)), "");
}

Conv same_size() { return {.pad = {1, 1, 1, 1}}; }

TEST(Prologue, FusesScaleBiasAndReluIntoTheImageAndKeepsThePaddingZero) {
    Graph g;
    const Tensor x = g.input({"x", {2, 4, 5, 6}, kDouble, Layout::NHWC});
    const Tensor scaled = g.multiply(x, g.input({"scale", {4, 1, 1}, kDouble}));
    const Tensor image = g.relu(g.add(scaled, g.input({"shift", {4, 1, 1}, kDouble})));
    const Tensor w = g.input({"w", {3, 4, 3, 3}, kDouble, Layout::NHWC});
    g.output(g.conv(image, w, same_size()), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Prologue, FusesDequantisedFilters) {
    Graph g;
    const Tensor x = g.input({"x", {1, 4, 5, 5}, kDouble});
    const Tensor w = g.cast(g.input({"w", {3, 4, 3, 3}, DataType::I8}), kDouble);
    const Tensor scaled = g.multiply(w, g.input({"scale", {3, 1, 1, 1}, kDouble}));
    g.output(g.conv(x, scaled), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Prologue, FusesAGateOfTheImage) {
    Graph g;
    const Tensor x = g.input({"x", {2, 4, 5, 5}, kDouble});
    const Tensor gated = g.multiply(x, g.input({"gate", {2, 4, 1, 1}, kDouble}));
    g.output(g.conv(gated, g.input({"w", {6, 4, 1, 1}, kDouble})), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Prologue, FusesIntoReductionsAndPools) {
    Graph g;
    const Tensor x = g.input({"x", {2, 4, 5, 6}, kDouble});
    g.output(g.reduce(g.pointwise(PointwiseKind::Square, {x}), {ReduceKind::Mean, {2, 3}}), {.name = "mean"});
    g.output(g.pool(g.silu(x), {PoolKind::Max, {2, 2}, {2, 2}}), {.name = "pooled"});
    expect_kernels(g, 2);
}

TEST(Prologue, SeesThroughTransposesReshapesAndSlices) {
    Graph g;
    const Tensor a = g.relu(g.input({"a", {5, 2, 3}, kDouble}));
    const Tensor left = g.reshape(g.transpose(a, {1, 2, 0}), {6, 5});
    const Tensor part = g.apply(Slice{{1, 4}, {4, 5}, {1, -1}}, {left}).front();
    g.output(g.matmul(part, g.input({"b", {5, 7}, kDouble})), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Prologue, IsRepeatedForEachAnchorThatReadsIt) {
    Graph g;
    const Tensor x = g.relu(g.input({"x", {1, 4, 5, 5}, kDouble}));
    g.output(g.conv(x, g.input({"w", {6, 4, 1, 1}, kDouble})), {.name = "y"});
    g.output(g.conv(x, g.input({"v", {6, 4, 3, 3}, kDouble})), {.name = "z"});
    expect_kernels(g, 2);
}

TEST(Prologue, OfAResultTheCallerWantsIsStoredOnce) {
    Graph g;
    const Tensor x = g.relu(g.input({"x", {1, 4, 5, 5}, kDouble}), {.name = "kept"});
    g.output(x);
    g.output(g.conv(x, g.input({"w", {6, 4, 1, 1}, kDouble})), {.name = "y"});
    expect_kernels(g, 2);
}

/// The result has the extents of the image, so the image could be taken for an operand of the epilogue.
TEST(Prologue, MayBeReadBesideTheResultAsWell) {
    Graph g;
    const Tensor x = g.clip(g.input({"x", {1, 1, 1}, kDouble}), -1.0, 2.0);
    g.output(g.softmax(x), {.name = "y"});
    g.output(g.add(x, g.reduce(x, {ReduceKind::Sum, {2}})), {.name = "z"});
    const Tensor image = g.relu(g.input({"image", {1, 3, 4, 4}, kDouble}));
    g.output(g.add(g.conv(image, g.input({"w", {3, 3, 3, 3}, kDouble}), same_size()), image), {.name = "residual"});
    EXPECT_EQ(planned(g).failure, "");
    EXPECT_EQ(test::disagreement(g, test::random_inputs(g, 2)), "");
}

TEST(Prologue, RefusesWhatIsCostlyToRepeatForEveryProduct) {
    Graph g;
    g.output(g.conv(g.gelu(g.gelu(g.input({"x", {1, 4, 5, 5}, kDouble}))), g.input({"w", {6, 4, 1, 1}, kDouble})),
             {.name = "y"});
    const Planned plan = planned(g);
    EXPECT_EQ(plan.kernels, 2u);
    EXPECT_THAT(plan.codes, Contains("COSTLY_TO_REPEAT"));
    EXPECT_THAT(plan.notes, HasSubstr("instructions"));
}

TEST(Prologue, RefusesWhereTheGraphForbidsIt) {
    Graph g;
    const Tensor conv =
        g.conv(g.relu(g.input({"x", {1, 4, 5, 5}, kDouble})), g.input({"w", {6, 4, 1, 1}, kDouble}), {}, {.name = "y"});
    g.set_fusion(conv, Fusion::Forbidden);
    g.output(conv);
    const Planned plan = planned(g);
    EXPECT_EQ(plan.kernels, 2u);
    EXPECT_THAT(plan.codes, Contains("FORBIDDEN_BY_USER"));
}

TEST(Prologue, MayBeRequired) {
    for (const bool costly : {false, true}) {
        Graph g;
        const Tensor x = g.input({"x", {1, 4, 5, 5}, kDouble});
        const Tensor image = costly ? g.gelu(g.gelu(x)) : g.relu(x);
        const Tensor conv = g.conv(image, g.input({"w", {6, 4, 1, 1}, kDouble}), {}, {.name = "y"});
        g.set_fusion(conv, Fusion::Required);
        g.output(conv);
        EXPECT_EQ(planned(g).failure.empty(), !costly) << planned(g).failure;
        if (costly) {
            EXPECT_THAT(planned(g).failure, HasSubstr("COSTLY_TO_REPEAT"));
        }
    }
}

}  // namespace
}  // namespace tenon::testing
