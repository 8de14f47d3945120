// Bindings, memory and rounding of whole graphs.
#include "engine/reference/reference.h"

#include <cstring>

#include <gmock/gmock.h>

#include "frontend/graph/graph_data.h"
#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

/// y = relu(2 x + b)
struct Small {
    Graph graph;
    Tensor x, b, y;

    Small() {
        x = graph.input({"x", {2}});
        b = graph.host_scalar("b");
        y = graph.relu(graph.add(graph.multiply(x, graph.scalar(2.0)), b, {.name = "inner"}));
        graph.output(y, {.name = "y"});
    }
};

TEST(RunReference, RunsAndNamesWhatIsNotBound) {
    Small small;
    float x[2] = {1, -1}, b = 0.5f, y[2] = {};
    ASSERT_TRUE(
        engine::run_reference(small.graph.data(), {{small.x.id, x}, {small.b.id, &b}, {small.y.id, y}}).is_ok());
    EXPECT_EQ(y[0], 2.5f);
    EXPECT_EQ(y[1], 0.0f);
    EXPECT_THAT(engine::run_reference(small.graph.data(), {{small.x.id, x}, {small.y.id, y}}).message(),
                HasSubstr("input 'b' is not bound"));
    EXPECT_THAT(engine::run_reference(small.graph.data(), {{small.x.id, x}, {small.b.id, &b}}).message(),
                HasSubstr("output 'y' is not bound"));
    EXPECT_THAT(
        engine::run_reference(small.graph.data(), {{small.x.id, nullptr}, {small.b.id, &b}, {small.y.id, y}}).message(),
        HasSubstr("'x' is bound to null"));
}

TEST(RunReference, RefusesBindingsThatAreNoInputOrOutput) {
    Small small;
    float x[2] = {}, b = 0, y[2] = {};
    const int32_t inner = small.graph.find("inner")->id;
    const std::map<ValueId, void*> good{{small.x.id, x}, {small.b.id, &b}, {small.y.id, y}};
    auto bindings = good;
    bindings[inner] = x;
    EXPECT_THAT(engine::run_reference(small.graph.data(), bindings).message(),
                HasSubstr("'inner' is bound, but is no input or output"));
    bindings = good;
    bindings[99] = x;
    EXPECT_THAT(engine::run_reference(small.graph.data(), bindings).message(), HasSubstr("tensor 99"));
}

TEST(RunReference, RefusesAGraphThatDoesNotValidate) {
    Graph graph;
    graph.output(graph.matmul(graph.input({"a", {2, 3}}), graph.input({"b", {2, 3}})));
    const Status status = engine::run_reference(graph.data(), {});
    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph);
    EXPECT_THAT(status.message(), HasSubstr("'a'"));
}

TEST(RunReference, ReadsAndWritesStridesWithoutTouchingGaps) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 2}, DataType::F32, Layout::NCHW, {3, 1}});
    graph.output(graph.pointwise(PointwiseKind::Negate, {x}, {.name = "y", .strides = {1, 4}}));
    expect_values(graph, {{"x", {1, 2, 3, 4}}}, {{"y", {-1, -2, -3, -4}}});
}

TEST(RunReference, RepeatsInputsWithStrideZero) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 2}, DataType::F32, Layout::NCHW, {0, 1}});
    graph.output(graph.relu(x, {.name = "y"}));
    float memory[2] = {1, 2}, y[4] = {};
    ASSERT_TRUE(engine::run_reference(graph.data(), {{x.id, memory}, {graph.outputs()[0].id, y}}).is_ok());
    EXPECT_THAT(y, ::testing::ElementsAre(1, 2, 1, 2));
}

TEST(RunReference, RoundsEachTensorToItsDeclaredType) {
    for (const DataType inner : {DataType::F16, DataType::F32}) {
        Graph graph;
        const Tensor sum = graph.add(graph.input({"x", {1}}), graph.scalar(1.0), {.type = inner});
        graph.output(graph.subtract(sum, graph.scalar(1.0), {.name = "y", .type = DataType::F32}));
        expect_values(graph, {{"x", {0x1p-12}}}, {{"y", {inner == DataType::F16 ? 0.0 : 0x1p-12}}});
    }
}

TEST(EvaluateValues, GivesEveryComputedTensorAndNoOther) {
    Small small;
    float x[2] = {1, -1}, b = 0.5f;
    const auto values = engine::evaluate_values(small.graph.data(), {{small.x.id, x}, {small.b.id, &b}});
    ASSERT_TRUE(values.is_ok()) << values.status().message();
    EXPECT_TRUE((*values)[static_cast<size_t>(small.x.id)].empty());
    const Bytes& inner = (*values)[static_cast<size_t>(small.graph.find("inner")->id)];
    ASSERT_EQ(inner.size(), 8u);
    float found[2];
    std::memcpy(found, inner.data(), sizeof found);
    EXPECT_THAT(found, ::testing::ElementsAre(2.5f, -1.5f));
}

TEST(EvaluateNode, FoldsOneNode) {
    Small small;
    const float inner[2] = {3, -3};
    const GraphData& data = small.graph.data();
    const NodeId relu = data.value(small.y.id).producer;
    const auto results = engine::evaluate_node(data, relu, {inner});
    ASSERT_TRUE(results.is_ok()) << results.status().message();
    float found[2];
    std::memcpy(found, results->at(0).data(), sizeof found);
    EXPECT_THAT(found, ::testing::ElementsAre(3.0f, 0.0f));
    EXPECT_THAT(engine::evaluate_node(data, relu, {}).status().message(), HasSubstr("got 0 inputs, needs 1"));
    EXPECT_THAT(engine::evaluate_node(data, 77, {inner}).status().message(), HasSubstr("node 77"));
}

TEST(IsClose, NamesTheFirstWrongElement) {
    const HostTensor tensor({"t", {2, 2}}, {1, 2, 3, 4});
    EXPECT_TRUE(is_close(tensor, {1, 2, 3, 4}, kExact));
    const auto wrong = is_close(tensor, {1, 2, 3.5, 5}, kExact);
    EXPECT_FALSE(wrong);
    EXPECT_THAT(std::string(wrong.message()),
                HasSubstr("2 of 4 elements are wrong; first at [1, 0]: found 3, expected 3.5"));
}

TEST(IsClose, HoldsNanAndInfinityToThemselves) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const Tolerance wide{.absolute = 1e9};
    EXPECT_TRUE(is_close(HostTensor({"t", {2}}, {nan, infinity}), {nan, infinity}, wide));
    EXPECT_FALSE(is_close(HostTensor({"t", {1}}, {nan}), {0}, wide));
    EXPECT_FALSE(is_close(HostTensor({"t", {1}}, {0}), {nan}, wide));
    EXPECT_FALSE(is_close(HostTensor({"t", {1}}, {infinity}), {-infinity}, wide));
    EXPECT_FALSE(is_close(HostTensor({"t", {1}}, {1e30}), {infinity}, wide));
}

}  // namespace
}  // namespace tenon::testing
