#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

/// A norm of an input "x" in the form of a test name.
struct NormCase {
    std::string name;
    TensorSpec x;
    Norm norm;
    std::string tile;  ///< What explain must say of it, so that a case stays on the path it was made for.
};

std::ostream& operator<<(std::ostream& out, const NormCase& c) { return out << c.name; }

Graph graph_of(const NormCase& c) {
    Graph graph;
    const Tensor x = graph.input(c.x);
    const bool per_channel = c.norm.kind == NormKind::Instance || c.norm.kind == NormKind::Group;
    const Dims& dims = c.x.dims;
    const Dims vector = per_channel ? Dims{dims[1]} : Dims{dims.back()};
    const Tensor scale = graph.input({"scale", vector});
    const Tensor bias = graph.input({"bias", vector});
    Norm norm = c.norm;
    norm.save_statistics = true;
    const std::vector<Tensor> results = graph.norm({x, scale, bias}, norm);
    graph.output(graph.silu(results[0]), {.name = "y"});
    for (size_t i = 1; i < results.size(); ++i) graph.output(results[i]);
    return graph;
}

class Norms : public testing::TestWithParam<NormCase> {};

TEST_P(Norms, AgreeWithTheReference) {
    const Graph graph = graph_of(GetParam());
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    const std::string explained = Plan::build(graph, *Target::named("h200"))->explain();
    EXPECT_NE(explained.find(GetParam().tile), std::string::npos) << explained;
    std::map<std::string, Numbers> inputs = random_inputs(graph, 1);
    for (double& number : inputs["x"]) number += 0.5;  // a mean that can be compared relative to itself
    EXPECT_EQ(disagreement(graph, inputs, 8.0), "");
}

const Norm kLayer{.kind = NormKind::Layer}, kRms{.kind = NormKind::Rms};

INSTANTIATE_TEST_SUITE_P(
    Rows, Norms,
    testing::Values(
        NormCase{"one_element", {"x", {5, 1}}, kLayer, "side by side, each 1 pieces x 1 lanes, read once"},
        NormCase{"part_of_a_warp", {"x", {37, 24}, DataType::F16}, kLayer, "4 a row, each 1 pieces x 8 lanes"},
        NormCase{"prime_length", {"x", {3, 127}}, kRms, "128 a row, each 1 pieces x 1 lanes"},
        NormCase{"whole_block", {"x", {3, 1000}, DataType::BF16}, kLayer, "128 a row, each 1 pieces x 8 lanes"},
        NormCase{"several_pieces", {"x", {2, 2310}, DataType::F64}, kRms, "1024 a row, each 2 pieces x 2 lanes"},
        NormCase{"too_long_for_registers", {"x", {1, 34816}, DataType::F16}, kRms, "read twice"},
        NormCase{"nchw_groups", {"x", {2, 12, 3, 5}}, {.kind = NormKind::Group, .groups = 3}, "read once"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Columns, Norms,
                         testing::Values(NormCase{"channels_last_instance",
                                                  {"x", {2, 40, 5, 7}, DataType::F16, Layout::NHWC},
                                                  {.kind = NormKind::Instance},
                                                  "16 side by side, each 3 pieces x 8 lanes, read once"},
                                         NormCase{"few_channels_last",
                                                  {"x", {3, 3, 31, 9}, DataType::F32, Layout::NHWC},
                                                  {.kind = NormKind::Instance},
                                                  "side by side"}),
                         [](const auto& info) { return info.param.name; });

/// Read twice by three kernels.
INSTANTIATE_TEST_SUITE_P(Splits, Norms,
                         testing::Values(NormCase{"channels_last_groups",
                                                  {"x", {3, 40, 61, 33}, DataType::F16, Layout::NHWC},
                                                  {.kind = NormKind::Group, .groups = 8},
                                                  "group_norm_statistics"},
                                         NormCase{"one_long_row", {"x", {1, 262144}}, kLayer, "layer_norm_statistics"}),
                         [](const auto& info) { return info.param.name; });

/// Held in registers, the mean is corrected by what the deviations sum to; longer rows are measured from their first
/// element. Between kernels the mean is a float: half its last place over the deviation (0.14) is what a result may be
/// off.
TEST(NormAccuracy, KeepsDigitsOfSmallDeviationsFromALargeMean) {
    struct Rows {
        Dims dims;
        double slack;
    };
    for (const Rows& rows : {Rows{{2, 96}, 4.0}, Rows{{64, 16400}, 4.0}, Rows{{2, 40000}, 1000.0}}) {
        Graph graph;
        const Tensor x = graph.input({"x", rows.dims});
        graph.output(graph.norm({x}, kLayer)[0], {.name = "y"});
        Numbers numbers = random_inputs(graph, 3).at("x");
        for (double& number : numbers) number = 3000.0 + number / 8.0;
        EXPECT_EQ(disagreement(graph, {{"x", numbers}}, rows.slack), "") << to_text(rows.dims);
    }
}

TEST(NormAccuracy, SumsOfHalvesDoNotOverflow) {
    Graph graph;
    const Tensor x = graph.input({"x", {2, 512}, DataType::F16});
    graph.output(graph.norm({x}, kRms)[0], {.name = "rms"});
    graph.output(graph.norm({x}, kLayer)[0], {.name = "layer"});
    Numbers numbers = random_inputs(graph, 4).at("x");
    for (double& number : numbers) number = 40000.0 + number * 10000.0;
    EXPECT_EQ(disagreement(graph, {{"x", numbers}}), "");
}

TEST(Norms, KeepResidualSumsAndSeveralOutputs) {
    Graph graph;
    const Tensor x = graph.input({"x", {6, 200}, DataType::BF16});
    const Tensor residual = graph.input({"residual", {6, 200}, DataType::BF16});
    const Tensor scale = graph.input({"scale", {200}, DataType::BF16});
    const Tensor sum = graph.add(x, residual);
    graph.output(sum, {.name = "sum"});
    const Tensor y = graph.norm({sum, scale}, kRms)[0];
    graph.output(y, {.name = "y"});
    graph.output(graph.cast(graph.gelu(graph.add(y, x)), DataType::F32), {.name = "z"});
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 5)), "");
}

/// One graph, one kernel per case: over the last axis, over channels of either layout, too long for registers.
class Softmaxes : public testing::TestWithParam<DataType> {};

TEST_P(Softmaxes, AgreeWithTheReference) {
    Graph graph;
    const Tensor rows = graph.input({"rows", {5, 33}, GetParam()});
    graph.output(graph.softmax(rows), {.name = "rows_softmax"});
    graph.output(graph.softmax(rows, {.axis = -1, .log = true}), {.name = "rows_log"});
    const Tensor image = graph.input({"image", {2, 19, 4, 6}, GetParam()});
    graph.output(graph.softmax(image, {.axis = 1}), {.name = "channels"});
    const Tensor last = graph.input({"last", {2, 19, 4, 6}, GetParam(), Layout::NHWC});
    graph.output(graph.softmax(last, {.axis = 1, .log = true}), {.name = "channels_last"});
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 6), 8.0), "");
}

INSTANTIATE_TEST_SUITE_P(Types, Softmaxes, testing::Values(DataType::F16, DataType::BF16, DataType::F32, DataType::F64),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(SoftmaxOfLongRows, MergesLargestAndSum) {
    Graph graph;
    const Tensor x = graph.input({"x", {1, 40000}});
    graph.output(graph.softmax(x, {.axis = -1, .log = true}), {.name = "y"});
    const Tensor columns = graph.input({"columns", {1200, 3}});
    graph.output(graph.softmax(columns, {.axis = 0}), {.name = "z"});
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 7)), "");
}

TEST(SoftmaxOfInfinities, IsWhatTheReferenceSays) {
    Graph graph;
    const Tensor x = graph.input({"x", {4, 40}});
    graph.output(graph.softmax(x), {.name = "y"});
    Numbers numbers(160, -INFINITY);  // row 0: nothing else, NaN
    for (size_t i = 40; i < 160; ++i) numbers[i] = i % 3 == 0 ? -INFINITY : static_cast<double>(i % 7);
    numbers[81] = NAN;
    numbers[130] = INFINITY;
    EXPECT_EQ(disagreement(graph, {{"x", numbers}}), "");
}

TEST(BatchNormTraining, UpdatesRunningStatisticsInBothLayouts) {
    for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
        Graph graph;
        const Tensor x = graph.input({"x", {3, 24, 37, 11}, DataType::F16, layout});
        std::vector<Tensor> inputs{x};
        for (const char* name : {"scale", "bias", "mean", "variance"}) inputs.push_back(graph.input({name, {24}}));
        if (layout == Layout::NHWC) inputs.push_back(graph.host_scalar("momentum"));
        const std::vector<Tensor> results = graph.apply(BatchNorm{.momentum = 0.25, .training = true}, inputs);
        graph.output(graph.relu(results[0]), {.name = "y"});
        for (size_t i = 1; i < results.size(); ++i) graph.output(results[i]);
        std::map<std::string, Numbers> numbers = random_inputs(graph, 8);
        for (double& variance : numbers["variance"]) variance = std::abs(variance);
        EXPECT_EQ(disagreement(graph, numbers, 8.0), "") << (layout == Layout::NHWC ? "NHWC" : "NCHW");
    }
}

}  // namespace
}  // namespace tenon::test
