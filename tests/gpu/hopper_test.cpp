// Every tile of the hopper family on small convolutions and products against the reference.

#include <gtest/gtest.h>

#include "frontend/graph/graph_data.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

struct ProductCase {
    std::string name;
    DataType type;
    Dims x, w;
    Conv conv;
    bool residual = false;
};

void PrintTo(const ProductCase& test, std::ostream* out) { *out << test.name; }

Graph graph_of(const ProductCase& test) {
    Graph graph;
    const Tensor x = graph.input({"x", test.x, test.type, Layout::NHWC});
    const Tensor w = graph.input({"w", test.w, test.type, Layout::NHWC});
    const Tensor bias = graph.input({"bias", {1, test.w[0], 1, 1}, DataType::F32});
    Tensor y = graph.add(graph.conv(x, w, test.conv), bias);
    if (test.residual) {
        const Tensor residual = graph.input({"residual", graph.data().value(y.id).dims, test.type, Layout::NHWC});
        y = graph.add(y, residual);
    }
    graph.output(graph.relu(y, {.name = "y", .type = test.type}));
    graph.set_numerics({.tf32 = test.type == DataType::F32});
    return graph;
}

std::vector<ProductCase> product_cases() {
    return {
        {"window", DataType::F16, {2, 64, 9, 11}, {72, 64, 3, 3}, {.pad = {1, 1, 1, 1}}},
        {"window_residual", DataType::F16, {3, 64, 13, 7}, {64, 64, 3, 3}, {.pad = {1, 1, 1, 1}}, true},
        {"strided_window",
         DataType::BF16,
         {2, 24, 15, 14},
         {130, 24, 3, 2},
         {.stride = {2, 2}, .pad = {2, 1, 0, 1}},
         true},
        {"dilated_window", DataType::F16, {1, 136, 12, 10}, {32, 136, 2, 3}, {.dilation = {2, 3}, .pad = {2, 2, 3, 1}}},
        {"pointwise", DataType::F16, {2, 256, 7, 9}, {192, 256, 1, 1}, {}, true},
        {"pointwise_strided", DataType::F16, {2, 512, 8, 9}, {64, 512, 1, 1}, {.stride = {2, 2}}},
        {"halo_odd", DataType::BF16, {70, 64, 19, 40}, {48, 64, 3, 2}, {.pad = {0, 1, 1, 0}}},
        {"stem", DataType::F16, {2, 3, 32, 64}, {48, 3, 7, 7}, {.stride = {2, 2}, .pad = {3, 3, 3, 3}}},
        {"stem_patches", DataType::BF16, {3, 3, 32, 64}, {96, 3, 4, 4}, {.stride = {4, 4}}, true},
        {"stem_small_window", DataType::F16, {1, 3, 16, 64}, {32, 3, 3, 3}, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}},
        {"tf32", DataType::F32, {2, 32, 9, 8}, {48, 32, 3, 3}, {.pad = {1, 1, 1, 1}}, true},
    };
}

class HopperConvolution : public testing::TestWithParam<ProductCase> {};

TEST_P(HopperConvolution, AgreesWithEveryTile) {
    const Graph graph = graph_of(GetParam());
    const auto inputs = random_inputs(graph, 1);
    std::string last;
    for (int candidate = 0; candidate < 100; ++candidate) {
        const Result<Plan> plan = Plan::build(graph, *Target::named("h200"), {.candidate = candidate});
        ASSERT_TRUE(plan.is_ok()) << plan.status().message();
        if (plan->source() == last) break;
        last = plan->source();
        ASSERT_NE(last.find("tenon/hopper/"), std::string::npos);
        EXPECT_EQ(
            disagreement(graph, inputs, GetParam().type == DataType::F32 ? 4096.0 : 8.0, {.candidate = candidate}), "")
            << plan->explain();
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HopperConvolution, testing::ValuesIn(product_cases()),
                         [](const auto& info) { return info.param.name; });

class HopperMatmul : public testing::TestWithParam<bool> {};

TEST_P(HopperMatmul, AgreesWithEveryTile) {
    Graph graph;
    const Tensor a = graph.input({"a", {3, 67, 136}, DataType::F16});
    const Tensor b = graph.input({"b", GetParam() ? Dims{200, 136} : Dims{136, 200}, DataType::F16});
    const Tensor bias = graph.input({"bias", {200}, DataType::F32});
    const Tensor product = graph.matmul(a, GetParam() ? graph.transpose(b, {1, 0}) : b);
    graph.output(graph.gelu(graph.add(product, bias), {.name = "y", .type = DataType::F16}));
    std::string last;
    for (int candidate = 0; candidate < 100; ++candidate) {
        const Result<Plan> plan = Plan::build(graph, *Target::named("h200"), {.candidate = candidate});
        ASSERT_TRUE(plan.is_ok()) << plan.status().message();
        if (plan->source() == last) break;
        last = plan->source();
        ASSERT_NE(last.find("tenon/hopper/"), std::string::npos) << last;
        EXPECT_EQ(disagreement(graph, random_inputs(graph, 2), 8.0, {.candidate = candidate}), "") << plan->explain();
    }
}

INSTANTIATE_TEST_SUITE_P(Transposed, HopperMatmul, testing::Bool());

}  // namespace
}  // namespace tenon::test
