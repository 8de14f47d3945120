// Convolutions and matrix products of every kind, with the tile the heuristic takes, against the reference.

#include "tests/kernels/contraction/agreement.h"
#include "tests/support/run.h"

namespace tenon::testing {
namespace {

constexpr Layout kFirst = Layout::NCHW, kLast = Layout::NHWC;

std::vector<ContractionCase> convolution_cases() {
    std::vector<ContractionCase> cases;
    const auto add = [&](std::string name, Graph graph, int64_t depth, double precision = 0.0) {
        cases.push_back({std::move(name), std::move(graph), depth, precision});
    };
    const Conv same{.pad = {1, 1, 1, 1}};
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32, DataType::I8, DataType::U8}) {
        for (const Layout layout : {kFirst, kLast}) {
            add("conv_" + std::string(to_string(type)) + (layout == kFirst ? "_channels_first" : "_channels_last"),
                convolution(type, layout, {2, 16, 9, 7}, {24, 16, 3, 3}, same), 144);
        }
    }
    Graph rounded = convolution(DataType::F32, kLast, {2, 16, 9, 7}, {24, 16, 3, 3}, same);
    rounded.set_numerics({.tf32 = true});
    add("conv_tf32", std::move(rounded), 144, 0x1p-11);
    const DataType half = DataType::F16;
    add("three_channels", convolution(half, kLast, {2, 3, 9, 7}, {5, 3, 3, 3}, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}),
        27);
    add("three_channels_f32", convolution(DataType::F32, kLast, {1, 3, 11, 8}, {17, 3, 5, 3}, {.stride = {2, 1}}), 45);
    add("sixty_six_channels_dilated",
        convolution(DataType::BF16, kLast, {2, 66, 5, 7}, {34, 66, 3, 3}, {.dilation = {2, 1}, .pad = {1, 1, 2, 1}}),
        594);
    add("four_byte_chunks_of_bytes", convolution(DataType::I8, kLast, {1, 12, 6, 5}, {10, 12, 2, 3}, {}), 72);
    add("filters_of_another_layout", convolution(half, kLast, kFirst, {2, 16, 9, 8}, {24, 16, 3, 3}, same), 144);
    add("asymmetric_pad",
        convolution(half, kLast, {1, 8, 6, 5}, {16, 8, 2, 3}, {.stride = {2, 1}, .pad = {1, 0, 2, 3}}), 48);
    add("pointwise_channels_first", convolution(half, kFirst, {2, 32, 8, 8}, {48, 32, 1, 1}, {}), 32);
    add("pointwise_strided", convolution(half, kLast, {2, 32, 9, 8}, {48, 32, 1, 1}, {.stride = {2, 2}}), 32);
    add("one_filter", convolution(half, kLast, {2, 24, 5, 5}, {1, 24, 3, 3}, same), 216);
    add("groups", convolution(half, kLast, {2, 32, 9, 7}, {48, 16, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 2}), 144);
    add("groups_channels_first",
        convolution(half, kFirst, {2, 32, 9, 7}, {48, 16, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 2}), 144);
    add("groups_of_four", convolution(half, kLast, {2, 16, 6, 5}, {16, 4, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 4}),
        36);
    add("line", convolution(half, kLast, {2, 16, 37}, {8, 16, 5}, {.stride = {3}, .pad = {2, 1}}), 80);
    add("volume", convolution(half, kLast, {1, 8, 4, 5, 3}, {16, 8, 2, 3, 2}, {.pad = {1, 1, 1, 0, 1, 0}}), 96);
    add("window_larger_than_image", convolution(half, kLast, {1, 8, 2, 2}, {8, 8, 5, 5}, {.pad = {2, 2, 2, 2}}), 200);
    return cases;
}

std::vector<ContractionCase> transposed_cases() {
    const DataType half = DataType::F16;
    return {
        {"stride_1", transposed_convolution(half, kLast, {2, 16, 5, 6}, {16, 24, 3, 3}, {.pad = {1, 1, 1, 1}}), 144},
        {"stride_2",
         transposed_convolution(half, kLast, {2, 16, 5, 6}, {16, 24, 3, 3}, {.stride = {2, 2}, .pad = {1, 1, 0, 1}}),
         144},
        {"gaps_between_windows",
         transposed_convolution(half, kLast, {1, 8, 4, 3}, {8, 16, 2, 2}, {.stride = {3, 3}, .output_padding = {1, 2}}),
         32},
        {"dilated_groups_f32",
         transposed_convolution(DataType::F32, kFirst, {2, 16, 5, 6}, {16, 12, 3, 3},
                                {.stride = {2, 3}, .dilation = {2, 1}, .pad = {1, 1, 0, 1}, .groups = 2}),
         72},
    };
}

std::vector<ContractionCase> matmul_cases() {
    std::vector<ContractionCase> cases;
    const auto add = [&](std::string name, Graph graph, int64_t depth) {
        cases.push_back({std::move(name), std::move(graph), depth});
    };
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32, DataType::I8}) {
        const std::string stem(to_string(type));
        add(stem, matmul(type, {65, 72}, {72, 40}), 72);
        add(stem + "_both_turned", matmul(type, {64, 72}, {72, 40}, Turned::Both), 72);
    }
    add("odd_turned", matmul(DataType::F16, {65, 71}, {71, 39}, Turned::Both), 71);
    add("one_row", matmul(DataType::F16, {1, 200}, {200, 64}), 200);
    add("one_column", matmul(DataType::F16, {70, 64}, {64, 1}, Turned::Right), 64);
    add("one_product", matmul(DataType::F16, {9, 1}, {1, 10}), 1);
    add("batches", matmul(DataType::F16, {3, 2, 33, 48}, {3, 2, 48, 40}), 48);
    add("batch_of_the_right_is_broadcast", matmul(DataType::F16, {3, 2, 33, 48}, {2, 48, 40}), 48);
    add("batch_of_the_left_is_broadcast", matmul(DataType::F16, {33, 48}, {3, 48, 40}), 48);
    add("rows_of_all_batches", matmul(DataType::F16, {3, 33, 48}, {48, 40}), 48);
    return cases;
}

/// Inputs that are computed on the way in; padding is zero behind the computation, not in front of it.
std::vector<ContractionCase> computed_cases() {
    std::vector<ContractionCase> cases;
    for (const Layout layout : {kFirst, kLast}) {
        Graph graph;
        const Tensor x = graph.input({"x", {2, 16, 7, 6}, DataType::F16, layout});
        const Tensor scaled = graph.multiply(x, graph.input({"scale", {16, 1, 1}}));
        const Tensor image = graph.relu(graph.add(scaled, graph.input({"shift", {16, 1, 1}})));
        const Tensor w = graph.input({"w", {24, 16, 3, 3}, DataType::F16, layout});
        graph.output(graph.conv(image, w, {.pad = {1, 1, 1, 1}}, {.name = "y"}));
        cases.push_back(
            {layout == kFirst ? "image_channels_first" : "image_channels_last", std::move(graph), 4 * 144, 0x1p-10});
    }
    Graph filters;
    const Tensor image = filters.input({"x", {1, 8, 5, 5}, DataType::F16, kLast});
    const Tensor bytes = filters.cast(filters.input({"w", {16, 8, 3, 3}, DataType::I8, kLast}), DataType::F16);
    const Tensor scale = filters.input({"scale", {16, 1, 1, 1}, DataType::F16});
    filters.output(filters.conv(image, filters.multiply(bytes, scale), {}, {.name = "y"}));
    cases.push_back({"dequantised_filters", std::move(filters), 81 * 72, 0x1p-10});
    Graph both;
    const Tensor a = both.relu(both.input({"a", {3, 20, 40}}));
    const Tensor b = both.multiply(both.input({"b", {40, 24}}), both.input({"gate", {40, 1}}));
    both.output(both.matmul(a, b, {.name = "y"}));
    cases.push_back({"both_factors", std::move(both), 4 * 40, 0x1p-22});
    return cases;
}

class Contraction : public ::testing::TestWithParam<ContractionCase> {};

TEST_P(Contraction, AgreesWithTheReference) {
    const Result<Plan> plan = plan_of_family(GetParam().graph, test::target_for_kernels("a100"));
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    EXPECT_TRUE(agrees(GetParam(), *plan)) << plan->source();
}

std::string name_of_case(const ::testing::TestParamInfo<ContractionCase>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(Convolutions, Contraction, ::testing::ValuesIn(convolution_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Transposed, Contraction, ::testing::ValuesIn(transposed_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Computed, Contraction, ::testing::ValuesIn(computed_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Matmul, Contraction, ::testing::ValuesIn(matmul_cases()), name_of_case);

TEST(ContractionOnTuring, StagesWithoutAsynchronousCopies) {
    const Target target = test::target_for_kernels("t4");
    if (target.compute_capability != 75) GTEST_SKIP() << "this GPU is not of that generation";
    const ContractionCase turing{
        "", convolution(DataType::F16, kLast, {2, 16, 9, 7}, {24, 16, 3, 3}, {.pad = {1, 1, 1, 1}}), 144};
    const Result<Plan> plan = plan_of_family(turing.graph, target);
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    EXPECT_NE(plan->source().find(".asynchronous = false, .products = Products::Matrix"), std::string::npos);
    EXPECT_TRUE(agrees(turing, *plan)) << plan->source();
}

TEST(ContractionOnTuring, BrainFloatsAndBytesAreMultipliedOneByOne) {
    const Target target = test::target_for_kernels("t4");
    if (target.compute_capability != 75) GTEST_SKIP() << "this GPU is not of that generation";
    for (const DataType type : {DataType::BF16, DataType::I8}) {
        const ContractionCase turing{"", matmul(type, {33, 40}, {40, 24}), 40};
        const Result<Plan> plan = plan_of_family(turing.graph, target);
        ASSERT_TRUE(plan.is_ok()) << plan.status().message();
        EXPECT_NE(plan->source().find("Products::Scalar"), std::string::npos);
        EXPECT_TRUE(agrees(turing, *plan)) << plan->source();
    }
}

}  // namespace
}  // namespace tenon::testing
