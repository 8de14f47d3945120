// Grouped convolutions on emulated tensor cores, against the reference.

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/generate.h"
#include "tests/kernels/window/window_cases.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

struct GroupedCase {
    std::string name;
    int64_t groups, channels, filters;  ///< Channels and filters of one group.
    Dims image{7, 9};
    Dims window{3, 3};
    Conv conv{.pad = {1, 1, 1, 1}};
    DataType type = DataType::F16;
    Layout filter_layout = Layout::NHWC;
    int64_t batch = 2;
};

void PrintTo(const GroupedCase& test, std::ostream* out) { *out << test.name; }

Graph graph_of(const GroupedCase& test) {
    Graph graph;
    Dims x_dims{test.batch, test.groups * test.channels}, w_dims{test.groups * test.filters, test.channels};
    x_dims.insert(x_dims.end(), test.image.begin(), test.image.end());
    w_dims.insert(w_dims.end(), test.window.begin(), test.window.end());
    const Tensor x = graph.input({"x", x_dims, test.type, Layout::NHWC});
    const Tensor w = graph.input({"w", w_dims, test.type, test.filter_layout});
    Conv conv = test.conv;
    conv.groups = test.groups;
    Dims bias_dims(x_dims.size() - 1, 1);
    bias_dims[0] = w_dims[0];
    const Tensor sums = graph.conv(x, w, conv);
    const Tensor bias = graph.input({"bias", bias_dims});
    graph.output(graph.relu(graph.add(sums, bias), {.name = "y"}));
    return graph;
}

std::vector<GroupedCase> cases() {
    std::vector<GroupedCase> list{
        {"resnext_4", 8, 4, 4},
        {"resnext_8", 4, 8, 8},
        {"resnext_16", 4, 16, 16},
        {"resnext_32", 2, 32, 32},
        {"pairs", 8, 2, 2},
        {"six_channels", 4, 6, 6},
        {"more_filters", 3, 4, 12},
        {"fewer_filters", 4, 8, 2},
        {"odd_count_of_groups", 7, 4, 4},
        {"three_groups", 3, 8, 8},
        {"wide_image", 4, 8, 8, {5, 67}},
        {"one_pixel", 4, 8, 8, {1, 1}},
        {"strided", 4, 8, 8, {9, 12}, {3, 3}, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}},
        {"dilated", 4, 8, 8, {9, 12}, {3, 3}, {.dilation = {2, 3}, .pad = {2, 3, 2, 3}}},
        {"asymmetric", 4, 4, 8, {6, 8}, {2, 5}, {.stride = {1, 2}, .pad = {0, 3, 2, 1}}},
        {"pointwise", 4, 16, 8, {5, 6}, {1, 1}, {}},
        {"five", 2, 8, 8, {7, 8}, {5, 5}, {.pad = {2, 2, 2, 2}}},
        {"one_axis", 4, 8, 8, {19}, {3}, {.pad = {2, 0}}},
        {"bf16", 4, 8, 8, {7, 9}, {3, 3}, {.pad = {1, 1, 1, 1}}, DataType::BF16},
        {"bf16_4", 6, 4, 4, {7, 9}, {3, 3}, {.pad = {1, 1, 1, 1}}, DataType::BF16},
        {"filters_channels_first", 4, 8, 8, {7, 9}, {3, 3}, {.pad = {1, 1, 1, 1}}, DataType::F16, Layout::NCHW},
    };
    for (const int64_t extent : {3, 4, 5, 8, 15, 17}) {
        list.push_back({"extent_" + std::to_string(extent), 4, 8, 8, {extent, extent}});
    }
    return list;
}

class GroupedAgrees : public testing::TestWithParam<GroupedCase> {};

TEST_P(GroupedAgrees, WithTheReference) {
    const Graph graph = graph_of(GetParam());
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok()) << program.status().message();
    ASSERT_EQ(program->steps.size(), 1u);
    EXPECT_EQ(program->steps[0].family, "grouped");
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 7)), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, GroupedAgrees, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Grouped, KeepsAnInfinityInItsGroup) {
    const GroupedCase test{"", 4, 4, 4, {4, 5}};
    const Graph graph = graph_of(test);
    std::map<std::string, Numbers> inputs = random_inputs(graph, 5);
    for (size_t pixel = 0; pixel < 20; ++pixel) inputs["x"][pixel] = INFINITY;  // channel 0 of the first image
    EXPECT_EQ(disagreement(graph, inputs), "");
}

TEST(Grouped, LeavesOddGroupsAndOldMachinesToOthers) {
    const auto family = [](const GroupedCase& test, const char* target) {
        const Result<codegen::Program> program = codegen::generate(graph_of(test), *Target::named(target), {});
        return program.is_ok() ? program->steps[0].family : program.status().message();
    };
    EXPECT_NE(family({"", 4, 3, 3}, "h200"), "grouped");
    EXPECT_NE(family({"", 4, 8, 8}, "t4"), "grouped");
    EXPECT_EQ(family({"", 4, 8, 8}, "a100"), "grouped");
}

}  // namespace
}  // namespace tenon::test
