// Pointwise nodes behind and beside an anchor join its kernel.

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

void expect_kernels(const Graph& graph, size_t kernels, const std::string& code = "") {
    const Planned plan = planned(graph);
    ASSERT_EQ(plan.failure, "");
    EXPECT_EQ(plan.kernels, kernels) << plan.notes << plan.source;
    if (!code.empty()) {
        EXPECT_THAT(plan.codes, Contains(code)) << plan.notes;
    }
    EXPECT_EQ(test::disagreement(graph, test::random_inputs(graph, 3)), "");
}

Tensor conv_of(Graph& g, Dims filter = {6, 4, 1, 1}) {
    const Tensor x = g.input({"x", {2, 4, 3, 5}, kDouble});
    return g.conv(x, g.input({"w", std::move(filter), kDouble}));
}

TEST(Epilogue, ReachesThroughAReshape) {
    Graph g;
    const Tensor flat = g.reshape(conv_of(g), {2, 6, 15});
    g.output(g.relu(g.add(flat, g.input({"bias", {6, 1}, kDouble}))), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, ReachesThroughATransposeAndStoresWhereTheOutputLies) {
    Graph g;
    const Tensor turned = g.transpose(conv_of(g), {0, 2, 3, 1});
    const Tensor y = g.relu(g.add(turned, g.input({"bias", {6}, kDouble})));
    g.output(g.transpose(y, {3, 0, 1, 2}), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, StoresIntoTheSlicesOfAConcat) {
    Graph g;
    const Tensor conv = g.relu(conv_of(g));
    const Tensor other = g.sigmoid(g.input({"z", {2, 2, 3, 5}, kDouble}));
    g.output(g.concat({conv, other}, 1), {.name = "y"});
    expect_kernels(g, 2);
}

TEST(Epilogue, ComputesItsOperandsItself) {
    Graph g;
    const Tensor conv = conv_of(g);
    const Tensor product = g.multiply(g.input({"a", {2, 6, 3, 5}, kDouble}), g.input({"b", {2, 6, 3, 5}, kDouble}));
    g.output(g.relu(g.add(conv, g.tanh(product))), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, ComputesPerChannelOperandsItself) {
    Graph g;
    const Tensor deviation = g.pointwise(
        PointwiseKind::Rsqrt,
        {g.add(g.pointwise(PointwiseKind::Abs, {g.input({"variance", {6, 1, 1}, kDouble})}), g.scalar(0.5))});
    const Tensor scale = g.multiply(g.input({"gamma", {6, 1, 1}, kDouble}), deviation);
    g.output(g.add(g.multiply(conv_of(g), scale), g.input({"beta", {6, 1, 1}, kDouble})), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, ForksAndRejoinsWithSeveralOutputs) {
    Graph g;
    const Tensor conv = conv_of(g);
    const Tensor gate = g.sigmoid(conv), value = g.tanh(conv);
    g.output(g.multiply(gate, value), {.name = "y"});
    g.output(gate, {.name = "gate"});
    expect_kernels(g, 1);
}

TEST(Epilogue, TakesEveryKindOfBroadcast) {
    const std::vector<Dims> sides{{},     {1, 6, 1, 1}, {2, 6, 1, 1}, {2, 1, 1, 1},
                                  {3, 5}, {5},          {2, 1, 3, 1}, {2, 6, 3, 5}};
    Graph g;
    Tensor y = conv_of(g);
    for (size_t i = 0; i < sides.size(); ++i) {
        const Tensor side = g.input({"side" + std::to_string(i), sides[i], kDouble});
        y = i % 2 == 0 ? g.add(y, side) : g.multiply(y, side);
    }
    g.output(y, {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, GoesBehindTheAnchorThatSavesMore) {
    Graph g;
    const Tensor x = g.input({"x", {1, 4, 4, 4}, DataType::F16});
    const Tensor kept = g.conv(x, g.input({"w", {4, 4, 1, 1}, DataType::F16}));
    const Tensor inner = g.conv(x, g.input({"v", {4, 4, 1, 1}, DataType::F16}), {}, {.type = DataType::F32});
    g.output(kept, {.name = "kept"});
    g.output(g.add(kept, inner), {.name = "y"});
    expect_kernels(g, 2, "BETTER_ELSEWHERE");
}

TEST(Epilogue, RefusesAResultReadInTwoOrders) {
    Graph g;
    const Tensor product = g.matmul(g.input({"a", {4, 3}, kDouble}), g.input({"b", {3, 4}, kDouble}));
    g.output(g.add(product, g.transpose(product, {1, 0})), {.name = "y"});
    expect_kernels(g, 2, "OTHER_ORDER");
}

TEST(Epilogue, RefusesAPartOfTheResult) {
    Graph g;
    const Tensor part = g.apply(Slice{{0, 0, 0, 0}, {2, 3, 3, 5}, {1, 2, 1, 1}}, {conv_of(g)}).front();
    g.output(g.relu(part), {.name = "y"});
    expect_kernels(g, 2, "PART_OF_THE_RESULT");
}

TEST(Epilogue, RefusesOtherExtents) {
    Graph g;
    const Tensor conv = conv_of(g);
    g.output(g.add(conv, g.input({"z", {3, 2, 6, 3, 5}, kDouble})), {.name = "y"});
    expect_kernels(g, 2, "OTHER_EXTENTS");
}

TEST(Epilogue, RefusesAnOperandThatComesFromItsOwnResult) {
    Graph g;
    const Tensor conv = conv_of(g);
    const Tensor gate = g.sigmoid(g.pool(conv, {PoolKind::Average}));
    g.output(g.multiply(conv, gate), {.name = "y"});
    expect_kernels(g, 3, "NEEDS_THE_RESULT_EARLIER");
}

TEST(Epilogue, KeepsAnInnerTensorOnRequest) {
    Graph g;
    const Tensor conv = conv_of(g);
    g.keep(conv);
    g.output(g.relu(conv), {.name = "y"});
    expect_kernels(g, 1);
}

TEST(Epilogue, RefusesWhereTheGraphForbidsIt) {
    Graph g;
    const Tensor y = g.relu(conv_of(g), {.name = "y"});
    g.set_fusion(y, Fusion::Forbidden);
    g.output(y);
    expect_kernels(g, 2, "FORBIDDEN_BY_USER");
}

}  // namespace
}  // namespace tenon::testing
