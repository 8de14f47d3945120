// Pools through the window kernels on the emulator, against the reference.

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/generate.h"
#include "tests/kernels/window/window_cases.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

struct PoolCase {
    std::string name;
    Dims x;
    Op op;
};

std::vector<PoolCase> pools() {
    const auto max = PoolKind::Max, average = PoolKind::Average;
    std::vector<PoolCase> list{
        {"max_3x3_stride_2", {2, 16, 12, 16}, Pool{max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}}},
        {"max_2x2", {1, 8, 7, 8}, Pool{max, {2, 2}, {2, 2}}},
        {"max_ceil", {1, 8, 8, 9}, Pool{max, {3, 3}, {2, 2}, {}, {}, true}},
        {"max_dilated", {1, 8, 9, 12}, Pool{max, {2, 3}, {1, 2}, {3, 2}, {1, 2, 1, 2}}},
        {"max_5x5_stride_1", {1, 8, 9, 8}, Pool{max, {5, 5}, {1, 1}, {}, {2, 2, 2, 2}}},
        {"max_13x13", {1, 4, 13, 16}, Pool{max, {13, 13}, {1, 1}, {}, {6, 6, 6, 6}}},
        {"max_1d", {2, 5, 17}, Pool{max, {3}, {2}, {}, {1, 0}}},
        {"max_3d", {1, 8, 5, 6, 8}, Pool{max, {3, 2, 3}, {2, 2, 1}, {}, {1, 0, 1, 1, 0, 1}}},
        {"average_3x3", {1, 16, 9, 8}, Pool{average, {3, 3}, {1, 1}, {}, {1, 1, 1, 1}}},
        {"average_counting", {1, 16, 9, 8}, Pool{average, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}, true, true}},
        {"average_ceil", {1, 8, 8, 9}, Pool{average, {3, 3}, {2, 2}, {}, {0, 1, 1, 0}, true}},
        {"average_ceil_counting", {1, 8, 8, 9}, Pool{average, {3, 4}, {3, 3}, {}, {1, 1, 0, 2}, true, true}},
        {"average_dilated", {1, 8, 9, 10}, Pool{average, {3, 3}, {2, 1}, {2, 3}, {2, 3, 2, 3}}},
        {"average_3d", {1, 6, 4, 5, 6}, Pool{average, {2, 3, 2}, {1, 2, 2}, {}, {1, 1, 0, 0, 1, 1}}},
        {"global", {2, 16, 7, 7}, Pool{average}},
        {"global_max", {2, 16, 7, 7}, Pool{max}},
        {"adaptive_even", {1, 16, 8, 12}, AdaptivePool{average, {4, 3}}},
        {"adaptive_max_even", {1, 8, 8, 8}, AdaptivePool{max, {2, 8}}},
    };
    for (const int64_t extent : {1, 2, 3, 5, 15, 17}) {
        list.push_back({"max_extent_" + std::to_string(extent),
                        {1, 8, extent, extent},
                        Pool{max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}}});
    }
    return list;
}

std::vector<WindowCase> cases() {
    std::vector<WindowCase> list;
    for (const PoolCase& pool : pools()) {
        for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
            if (type != DataType::F16 && pool.name.find("_3x3") == std::string::npos) continue;
            for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
                Graph graph;
                const Tensor x = graph.input({"x", pool.x, type, layout});
                graph.output(graph.sigmoid(graph.apply(pool.op, {x}).front(), {.name = "y"}));
                list.push_back(
                    {pool.name + "_" + std::string(to_string(type)) + (layout == Layout::NHWC ? "" : "_channels_first"),
                     std::move(graph)});
            }
        }
    }
    return list;
}

class PoolAgrees : public testing::TestWithParam<WindowCase> {};

TEST_P(PoolAgrees, WithTheReference) {
    const Graph& graph = GetParam().graph;
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok()) << program.status().message();
    EXPECT_NE(program->steps[0].family, "direct");
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 11)), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, PoolAgrees, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

Graph with_indices(Layout layout, Dims x_dims, Pool pool) {
    Graph graph;
    pool.with_indices = true;
    const std::vector<Tensor> found = graph.apply(pool, {graph.input({"x", std::move(x_dims), DataType::F16, layout})});
    graph.output(found[0], {.name = "y"});
    graph.output(found[1], {.name = "indices"});
    return graph;
}

TEST(MaxPool, FindsThePlaceOfTheFirstMaximum) {
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
        const Graph plain = with_indices(layout, {2, 8, 7, 8}, {PoolKind::Max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}});
        const Result<codegen::Program> program = codegen::generate(plain, *Target::named("h200"), {});
        ASSERT_TRUE(program.is_ok()) << program.status().message();
        EXPECT_EQ(program->steps[0].family, "window");
        EXPECT_EQ(disagreement(plain, random_inputs(plain, 2)), "");
        EXPECT_EQ(disagreement(plain, {{"x", Numbers(2 * 8 * 7 * 8, 1.0)}}), "");
        const Graph deep =
            with_indices(layout, {1, 4, 4, 5, 6}, {PoolKind::Max, {2, 3, 2}, {2, 1, 2}, {}, {0, 1, 0, 1, 1, 1}});
        EXPECT_EQ(disagreement(deep, random_inputs(deep, 2)), "");
    }
}

TEST(MaxPool, LetsNanWinAndPaddingNever) {
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
        const Graph graph = with_indices(layout, {1, 8, 6, 8}, {PoolKind::Max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}});
        Numbers x(8 * 6 * 8, -INFINITY);
        for (size_t i = 0; i < x.size(); i += 37) x[i] = NAN;
        for (size_t i = 5; i < x.size(); i += 11) x[i] = -60000.0;
        EXPECT_EQ(disagreement(graph, {{"x", x}}), "");
    }
}

TEST(Pool, FusesWhatStandsBehindIt) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 16, 8, 8}, DataType::F16, Layout::NHWC});
    const Tensor scale = graph.input({"scale", {16, 1, 1}, DataType::F16});
    const Tensor other = graph.input({"other", {2, 16, 4, 4}, DataType::F16, Layout::NHWC});
    const Tensor pooled = graph.pool(x, {PoolKind::Average, {2, 2}, {2, 2}});
    graph.output(graph.relu(graph.add(graph.multiply(pooled, scale), other), {.name = "y"}));
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok()) << program.status().message();
    EXPECT_EQ(program->steps.size(), 1u);
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 3)), "");
}

TEST(Pool, LeavesUnevenAdaptiveWindowsToTheDirectFamily) {
    Graph graph;
    const Tensor x = graph.input({"x", {1, 8, 7, 7}});
    graph.output(graph.apply(AdaptivePool{PoolKind::Average, {3, 3}}, {x}).front());
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok());
    EXPECT_EQ(program->steps[0].family, "direct");
}

}  // namespace
}  // namespace tenon::test
