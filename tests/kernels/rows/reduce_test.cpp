#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

const std::vector<std::pair<std::string, ReduceKind>> kKinds{
    {"sum", ReduceKind::Sum},      {"mean", ReduceKind::Mean},   {"max", ReduceKind::Max},
    {"min", ReduceKind::Min},      {"prod", ReduceKind::Prod},   {"amax", ReduceKind::Amax},
    {"norm1", ReduceKind::Norm1},  {"norm2", ReduceKind::Norm2}, {"argmax", ReduceKind::Argmax},
    {"argmin", ReduceKind::Argmin}};

/// Every kind of a type, along the contiguous axis and across it.
class Reductions : public testing::TestWithParam<DataType> {};

TEST_P(Reductions, AgreeWithTheReference) {
    Graph graph;
    const Tensor x = graph.input({"x", {3, 17, 40}, GetParam()});
    for (size_t i = 0; i < kKinds.size(); ++i) {
        const auto& [name, kind] = kKinds[i];
        const int64_t axis = i % 2 == 0 ? 2 : 1;
        graph.output(graph.reduce(x, {kind, {axis}, i % 3 == 0}), {.name = name});
    }
    std::map<std::string, Numbers> inputs = random_inputs(graph, 1);
    // Products of many numbers stay finite, and every maximum is found more than once.
    if (is_floating(GetParam())) {
        for (double& number : inputs["x"]) number = std::round(number * 4.0) / 4.0 + (number < 0 ? -0.5 : 0.5);
    }
    EXPECT_EQ(disagreement(graph, inputs, 16.0), "");
}

INSTANTIATE_TEST_SUITE_P(Types, Reductions,
                         testing::Values(DataType::F16, DataType::F32, DataType::F64, DataType::I8, DataType::I32,
                                         DataType::I64),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Reductions, OfTwoStepsAgree) {
    Graph graph;
    const Tensor wide = graph.input({"wide", {40001, 6}});
    graph.output(graph.relu(graph.reduce(wide, {ReduceKind::Mean, {0}, false})), {.name = "columns"});
    graph.output(graph.reduce(wide, {ReduceKind::Norm2, {}, false}), {.name = "everything"});
    const Tensor bytes = graph.input({"bytes", {1, 300000}, DataType::I8});
    graph.output(graph.reduce(bytes, {ReduceKind::Max, {1}}), {.name = "largest"});
    const std::string explained = Plan::build(graph, *Target::named("h200"))->explain();
    EXPECT_NE(explained.find("splits"), std::string::npos) << explained;
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 2)), "");
}

TEST(Reductions, OfImagesKeepTheChannelsTogether) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 72, 7, 7}, DataType::F16, Layout::NHWC});
    const Tensor bias = graph.input({"bias", {72, 1, 1}});
    const Tensor mean = graph.reduce(x, {ReduceKind::Mean, {2, 3}});
    graph.output(graph.cast(graph.add(mean, bias), DataType::F32), {.name = "y"});
    graph.output(graph.reduce(x, {ReduceKind::Sum, {0, 2, 3}, false}), {.name = "per_channel"});
    graph.output(graph.reduce(x, {ReduceKind::Max, {1, 3}, false}), {.name = "per_line"});
    const std::string source = Plan::build(graph, *Target::named("h200"))->source();
    EXPECT_NE(source.find(".lanes = 8"), std::string::npos) << source;
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 3)), "");
}

TEST(Reductions, FindTheFirstNaN) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 100}});
    graph.output(graph.reduce(x, {ReduceKind::Argmax, {1}, false}), {.name = "place"});
    graph.output(graph.reduce(x, {ReduceKind::Max, {1}, false}), {.name = "largest"});
    Numbers numbers(200, 1.0);
    numbers[70] = numbers[40] = NAN;
    numbers[150] = numbers[190] = 3.0;
    const auto found = run(graph, CpuDevice::Emulator, {{"x", numbers}});
    ASSERT_TRUE(found.is_ok()) << found.status().message();
    EXPECT_EQ(found->at("place"), (Numbers{40, 50}));
    EXPECT_TRUE(std::isnan(found->at("largest")[0]));
    EXPECT_EQ(found->at("largest")[1], 3.0);
}

}  // namespace
}  // namespace tenon::test
