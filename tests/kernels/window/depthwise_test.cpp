// Depthwise convolutions through the window kernels on the emulator, against the reference.

#include <gtest/gtest.h>

#include "codegen/generate.h"
#include "tests/kernels/window/window_cases.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

std::vector<WindowCase> cases() {
    std::vector<WindowCase> list;
    const auto add = [&](std::string name, DepthwiseCase test) {
        list.push_back({std::move(name), depthwise_bias_relu(test)});
    };
    const Dims same{1, 1, 1, 1};
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
        for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
            const std::string stem =
                std::string(to_string(type)) + (layout == Layout::NCHW ? "_channels_first" : "_channels_last");
            add(stem + "_3x3", {{2, 8, 9, 16}, {3, 3}, {.pad = same}, 1, type, layout});
            add(stem + "_stride_2", {{1, 16, 12, 8}, {3, 3}, {.stride = {2, 2}, .pad = same}, 1, type, layout});
        }
    }
    const auto both = [&](const std::string& name, DepthwiseCase test) {
        add(name, test);
        test.layout = Layout::NCHW;
        add(name + "_channels_first", test);
    };
    both("one_channel", {{2, 1, 5, 7}, {3, 3}, {.pad = same}});
    both("odd_channels", {{1, 13, 5, 6}, {3, 3}, {.pad = same}});
    both("one_pixel", {{3, 8, 1, 1}, {3, 3}, {.pad = same}});
    both("5x5", {{1, 8, 11, 10}, {5, 5}, {.pad = {2, 2, 2, 2}}});
    both("7x7", {{1, 8, 9, 8}, {7, 7}, {.pad = {3, 3, 3, 3}}});
    both("13x11_window", {{1, 4, 14, 16}, {13, 11}, {.pad = {6, 5, 6, 5}}});
    both("asymmetric", {{1, 8, 6, 9}, {2, 3}, {.stride = {2, 1}, .pad = {0, 3, 2, 1}}});
    both("pad_beyond_window", {{1, 8, 4, 4}, {2, 2}, {.pad = {3, 2, 4, 3}}});
    both("dilated", {{1, 8, 15, 12}, {3, 3}, {.dilation = {4, 3}, .pad = {4, 3, 4, 3}}});
    both("dilated_stride", {{1, 8, 15, 16}, {3, 2}, {.stride = {3, 2}, .dilation = {2, 5}, .pad = {2, 0, 1, 4}}});
    both("multiplier_2", {{1, 8, 6, 8}, {3, 3}, {.pad = same}, 2});
    both("multiplier_3", {{1, 3, 6, 7}, {3, 3}, {.pad = same}, 3});
    both("window_of_one", {{2, 8, 5, 4}, {1, 1}, {}});
    both("causal_1d", {{2, 8, 20}, {4}, {.pad = {3, 0}}});
    both("strided_1d", {{2, 6, 21}, {3}, {.stride = {2}, .pad = {1, 1}}});
    both("3d", {{1, 8, 5, 6, 8}, {3, 3, 3}, {.pad = {1, 1, 1, 1, 1, 1}}});
    both("3d_strided",
         {{2, 4, 6, 5, 7}, {2, 3, 1}, {.stride = {2, 1, 2}, .dilation = {3, 1, 1}, .pad = {1, 0, 0, 2, 1, 0}}});
    // Extents around the rows and columns of one thread.
    for (const int64_t extent : {2, 3, 4, 6, 7, 8, 13, 15}) {
        both("extent_" + std::to_string(extent), {{1, 8, extent, extent}, {3, 3}, {.pad = same}});
    }
    return list;
}

class DepthwiseAgrees : public testing::TestWithParam<WindowCase> {};

TEST_P(DepthwiseAgrees, WithTheReference) {
    const Graph& graph = GetParam().graph;
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok()) << program.status().message();
    ASSERT_EQ(program->steps.size(), 1u);
    EXPECT_EQ(program->steps[0].family, "window");
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 7)), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, DepthwiseAgrees, testing::ValuesIn(cases()),
                         [](const auto& info) { return "w" + info.param.name; });

Graph with_everything_behind(Layout layout, Dims x_dims) {
    Graph graph;
    const DepthwiseCase test{x_dims, {3, 3}, {.pad = {1, 1, 1, 1}}, 1, DataType::F16, layout};
    const Tensor sums = depthwise(graph, test);
    const Tensor scale = graph.input({"scale", {1, x_dims[1], 1, 1}, DataType::F16});
    const Tensor gate = graph.input({"gate", {x_dims[0], x_dims[1], 1, 1}, DataType::F16});
    const Tensor residual = graph.input({"residual", x_dims, DataType::F16, layout});
    const Tensor shown = graph.silu(graph.multiply(sums, scale), {.name = "before_gate"});
    graph.output(shown);
    graph.output(graph.relu(graph.add(graph.multiply(shown, gate), residual), {.name = "y"}));
    return graph;
}

TEST(Depthwise, FusesScaleGateResidualAndTwoResults) {
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
        const Graph graph = with_everything_behind(layout, {2, 16, 7, 8});
        const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
        ASSERT_TRUE(program.is_ok()) << program.status().message();
        EXPECT_EQ(program->steps.size(), 1u);
        EXPECT_EQ(disagreement(graph, random_inputs(graph, 3)), "");
    }
}

TEST(Depthwise, ReadsOneLayoutAndWritesTheOther) {
    for (const Layout from : {Layout::NHWC, Layout::NCHW}) {
        Graph graph;
        const Tensor x = graph.input({"x", {2, 8, 6, 8}, DataType::F16, from});
        const Tensor w = graph.input({"w", {8, 1, 3, 3}, DataType::F16});
        const Layout to = from == Layout::NHWC ? Layout::NCHW : Layout::NHWC;
        graph.output(graph.conv(x, w, {.pad = {1, 1, 1, 1}, .groups = 8}, {.name = "y", .layout = to}));
        EXPECT_EQ(disagreement(graph, random_inputs(graph, 5)), "");
    }
}

TEST(Depthwise, TakesPitchedImagesAndFiltersByTap) {
    Graph graph;
    const Tensor x =
        graph.input({.name = "x", .dims = {2, 8, 5, 6}, .type = DataType::F16, .strides = {700, 1, 105, 12}});
    const Tensor w = graph.input({.name = "w", .dims = {8, 1, 3, 3}, .type = DataType::F16, .strides = {1, 1, 24, 8}});
    graph.output(graph.conv(x, w, {.pad = {1, 1, 1, 1}, .groups = 8}, {.name = "y", .layout = Layout::NHWC}));
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 9)), "");
}

TEST(Depthwise, LeavesGroupsOfSeveralChannelsToOthers) {
    Graph graph;
    const Tensor x = graph.input({"x", {1, 8, 6, 6}});
    graph.output(graph.conv(x, graph.input({"w", {8, 2, 3, 3}}), {.groups = 4}));
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok());
    EXPECT_NE(program->steps[0].family, "window");
}

}  // namespace
}  // namespace tenon::test
