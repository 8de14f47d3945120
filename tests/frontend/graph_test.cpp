#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tenon/tenon.h>

#include "frontend/graph/graph_data.h"

namespace tenon {
namespace {

using testing::HasSubstr;

Status status_of(const std::function<void(Graph&)>& build) {
    Graph graph;
    build(graph);
    return graph.validate();
}

TEST(Graph, NamesNodeAndBothChannelCounts) {
    const Status status = status_of([](Graph& g) {
        g.output(g.conv(g.input({"x", {1, 4, 5, 5}}), g.input({"w", {3, 2, 3, 3}}), {}, {.name = "conv1"}));
    });
    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph);
    EXPECT_THAT(status.message(), HasSubstr("conv 'conv1': image 'x' has 4 channels, filter 'w' reads 2 (groups = 1)"));
}

TEST(Graph, RefusesWhatCannotBe) {
    struct Wrong {
        std::function<void(Graph&)> build;
        std::string words;
    };
    const std::vector<Wrong> wrong = {
        {[](Graph& g) {
             g.input({"x", {1, -2}});
         },
         "extent -2"},
        {[](Graph& g) {
             g.input({"x", {1, 1, 1, 1, 1, 1, 1, 1, 1}});
         },
         "rank 9"},
        {[](Graph& g) {
             g.input({"x", {int64_t{1} << 40, int64_t{1} << 40}});
         },
         "too large"},
        {[](Graph& g) {
             g.output(g.add(g.input({"a", {2, 3}}), g.input({"b", {2, 4}})));
         },
         "does not broadcast"},
        {[](Graph& g) {
             g.output(g.add(g.input({"a", {2}}), g.input({"b", {2}, DataType::I32})));
         },
         "must both be floating"},
        {[](Graph& g) {
             g.output(g.matmul(g.input({"a", {2, 3}}), g.input({"b", {4, 5}})));
         },
         "3 columns"},
        {[](Graph& g) {
             g.output(g.softmax(g.input({"x", {2, 3}}), {.axis = 2}));
         },
         "axis 2 is outside rank 2"},
        {[](Graph& g) {
             g.output(g.reshape(g.input({"x", {2, 3}}), {4, -1}));
         },
         "cannot infer -1"},
        {[](Graph& g) {
             g.output(g.input({"x", {2, 3}}));
         },
         "not computed"},
        {[](Graph& g) {
             g.relu(g.input({"x", {2}}));
         },
         "no output"},
        {[](Graph& g) { g.relu(Tensor{}); }, "no tensor of this graph"},
        {[](Graph& g) {
             g.output(g.relu(g.input({"x", {4}}), {.strides = {0}}));
         },
         "overlaps itself"},
    };
    for (const Wrong& graph : wrong) EXPECT_THAT(status_of(graph.build).message(), HasSubstr(graph.words));
}

TEST(Graph, case_16_refuses_a_filter_larger_than_the_padded_image) {
    EXPECT_THAT(status_of([](Graph& g) {
                    g.output(g.conv(g.input({"x", {1, 1, 1, 2}}), g.input({"w", {1, 1, 1, 3}}), {.stride = {2, 2}}));
                }).message(),
                HasSubstr("axis 3 of image 'x' is 2"));
    EXPECT_THAT(status_of([](Graph& g) {
                    g.output(g.conv_transpose(g.input({"x", {1, 1, 2, 2}}), g.input({"w", {1, 1, 2, 2}}),
                                              {.stride = {2, 2}, .pad = {2, 2, 2, 2}}));
                }).message(),
                HasSubstr("extent 0"));
}

TEST(Graph, case_26_refuses_training_statistics_of_one_value) {
    const Status status = status_of([](Graph& g) {
        std::vector<Tensor> inputs{g.input({"x", {1, 2, 1, 1}})};
        for (const char* name : {"scale", "bias", "mean", "variance"}) inputs.push_back(g.input({name, {2}}));
        g.output(g.apply(BatchNorm{.training = true}, inputs).front());
    });
    EXPECT_THAT(status.message(), HasSubstr("1 value per channel"));
}

TEST(Graph, ValidatesAGraphThatWasEditedByHand) {
    const auto graph = [] {
        Graph g;
        const float two = 2.0f;
        const Tensor x = g.input({"x", {3}});
        const Tensor doubled = g.multiply(x, g.constant({"two", {1}}, &two, sizeof two), {.name = "m"});
        g.output(g.relu(doubled, {.name = "y"}));
        return g;
    };
    EXPECT_TRUE(graph().validate().is_ok());
    const auto after = [&](const std::function<void(GraphData&)>& edit) {
        Graph g = graph();
        edit(g.data());
        return g.validate().message();
    };
    EXPECT_THAT(after([](GraphData& d) { d.nodes[0].inputs[0] = 99; }), HasSubstr("'m' reads tensor 99"));
    EXPECT_THAT(after([](GraphData& d) { d.nodes[0].outputs[0] = -7; }), HasSubstr("'m' writes tensor -7"));
    EXPECT_THAT(after([](GraphData& d) { std::swap(d.nodes[0], d.nodes[1]); }), HasSubstr("before any node writes it"));
    EXPECT_THAT(after([](GraphData& d) { d.nodes[1].outputs = d.nodes[0].outputs; }), HasSubstr("which another node"));
    EXPECT_THAT(after([](GraphData& d) { d.outputs[0] = 99; }), HasSubstr("output 99"));
    EXPECT_THAT(after([](GraphData& d) { d.values[1].data.reset(); }),
                HasSubstr("constant 'two' has 0 bytes, needs 4"));
    EXPECT_THAT(after([](GraphData& d) { d.values[3].type = DataType::Bool; }), HasSubstr("declared bool"));
}

TEST(Graph, RefusesASliceWhoseLastIndexOverflows) {
    const Status status = status_of([](Graph& g) {
        const int64_t huge = int64_t{1} << 33;
        g.output(g.apply(Slice{{0}, {huge}, {INT32_MAX}}, {g.input({"x", {huge}, DataType::I8})}).front());
    });
    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph);
}

TEST(Graph, SurvivesTensorsAndDataThatAreNotThere) {
    Graph g;
    EXPECT_EQ(g.spec(Tensor{}).dims, Dims{});
    g.constant({"c", {2}}, nullptr, 8);
    EXPECT_THAT(g.validate().message(), HasSubstr("constant 'c' has no data"));
}

TEST(Graph, InfersExtentsTypesAndLayout) {
    Graph g;
    const Tensor x = g.input({"x", {2, 8, 7, 9}, DataType::F16, Layout::NHWC});
    const Tensor y = g.conv(x, g.input({"w", {16, 8, 3, 3}, DataType::F16}), {.stride = {2, 1}, .pad = {1, 1, 1, 1}});
    EXPECT_EQ(g.spec(y).dims, (Dims{2, 16, 4, 9}));
    EXPECT_EQ(g.spec(y).strides, packed_strides({2, 16, 4, 9}, Layout::NHWC));
    EXPECT_EQ(g.spec(y).type, DataType::F16);
    EXPECT_EQ(g.spec(g.pointwise(PointwiseKind::Greater, {x, x})).type, DataType::Bool);
    EXPECT_EQ(g.spec(g.reduce(x, {ReduceKind::Argmax, {-1}, false})).dims, (Dims{2, 8, 7}));
}

}  // namespace
}  // namespace tenon
