// Public faults of graph compilers as small inputs with right answers: the rows that say what values are right.

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(CaseRows, case_05_operands_and_results_may_share_memory) {
    Graph graph;
    const Tensor conv = graph.conv(graph.input({"x", {1, 1, 2, 2}}), graph.input({"w", {1, 1, 1, 1}}));
    graph.output(graph.relu(graph.add(conv, graph.input({"z", {1, 1, 2, 2}}))), {.name = "y"});
    for (const std::map<std::string, std::string>& shared :
         {std::map<std::string, std::string>{{"z", "x"}}, {{"z", "x"}, {"y", "x"}}, {{"y", "z"}}}) {
        auto inputs = make_inputs(graph, {{"x", {1, 2, 3, 4}}, {"w", {2}}, {"z", {1, 2, 3, 4}}});
        ASSERT_TRUE(inputs.is_ok()) << inputs.status().message();
        const auto outputs = run_graph(reference_runner, graph, *inputs, shared);
        ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
        EXPECT_TRUE(is_close(outputs->at("y"), {3, 6, 9, 12}, kExact));
    }
}

TEST(CaseRows, case_08_a_one_by_one_filter_has_no_layout) {
    Values x = counting(2 * 3 * 16), w{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Graph graph;
    const Tensor image = graph.input({"x", {2, 3, 4, 4}, DataType::F32, Layout::NCHW, {48, 1, 12, 3}});
    const Tensor filter = graph.input({"w", {3, 3, 1, 1}, DataType::F32, Layout::NCHW, {3, 1, 1, 1}});
    graph.output(graph.conv(image, filter, {}, {.name = "y", .layout = Layout::NCHW}));
    expect_values(graph, {{"x", x}, {"w", w}}, {{"y", x}});
}

TEST(CaseRows, case_10_batch_norm_between_all_layouts) {
    for (const Layout in : {Layout::NCHW, Layout::NHWC}) {
        for (const Layout out : {Layout::NCHW, Layout::NHWC}) {
            Graph graph;
            const auto vector = [&](const char* name) { return graph.input({name, {4}, DataType::F32}); };
            const Tensor x = graph.input({"x", {2, 4, 3, 3}, DataType::F16, in});
            const Tensor y =
                graph.batch_norm(x, vector("scale"), vector("bias"), vector("mean"), vector("variance"), 1.0);
            graph.output(y, {.name = "y", .layout = out});
            Values image, expected;
            for (int n = 0; n < 2; ++n) {
                for (int c = 0; c < 4; ++c) image.insert(image.end(), 9, n + c);
                expected.insert(expected.end(), 36, n);
            }
            expect_values(graph,
                          {{"x", image},
                           {"scale", Values(4, 2.0)},
                           {"bias", Values(4, 0.0)},
                           {"mean", {0, 1, 2, 3}},
                           {"variance", Values(4, 3.0)}},
                          {{"y", expected}});
        }
    }
}

TEST(CaseRows, case_11_more_one_sided_pads) {
    const auto padded = [](Dims pad, Values expected) {
        expect_op(Conv{.stride = {2, 2}, .pad = std::move(pad)}, {{"", {1, 1, 3, 3}}, {"", {1, 1, 2, 2}}},
                  {counting(9, 1.0), Values(4, 1.0)}, {std::move(expected)});
    };
    padded({0, 0, 1, 1}, {12, 9, 15, 9});
    padded({3, 0, 0, 1}, {0, 0, 3, 3, 24, 15});
    padded({2, 2, 2, 2}, {0, 0, 0, 0, 12, 9, 0, 15, 9});
}

TEST(CaseRows, case_14_depthwise_multiplier_with_stride_and_dilation) {
    Values x = counting(81), w;
    for (double value : counting(81)) x.push_back(-value);
    for (int k = 0; k < 4; ++k) w.insert(w.end(), {0, 0, 0, 0, 1, 0, 0, 0, 0});
    expect_op(Conv{.stride = {2, 2}, .dilation = {3, 3}, .groups = 2}, {{"", {1, 2, 9, 9}}, {"", {4, 1, 3, 3}}}, {x, w},
              {{30, 32, 48, 50, 30, 32, 48, 50, -30, -32, -48, -50, -30, -32, -48, -50}});
}

TEST(CaseRows, case_17_huge_filters) {
    const auto ones = [](int64_t height, int64_t width, int64_t r, int64_t s) {
        const size_t positions = static_cast<size_t>((height - r + 1) * (width - s + 1));
        expect_op(Conv{}, {{"", {1, 1, height, width}}, {"", {1, 1, r, s}}},
                  {Values(static_cast<size_t>(height * width), 1.0), Values(static_cast<size_t>(r * s), 1.0)},
                  {Values(positions, static_cast<double>(r * s))});
    };
    ones(400, 400, 363, 363);
    ones(2, 1030, 1, 1025);
    ones(1030, 2, 1025, 1);
}

TEST(CaseRows, case_20_nan_wins_at_every_place_of_the_window) {
    for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
        for (size_t place = 0; place < 4; ++place) {
            Values x(4, 5.0);
            x[place] = kNan;
            expect_op(Pool{.kind = PoolKind::Max, .window = {2, 2}}, {{"", {1, 1, 2, 2}, type}}, {x}, {{kNan}});
        }
        expect_op(Pool{.kind = PoolKind::Max, .window = {2, 2}}, {{"", {1, 1, 2, 2}, type}}, {Values(4, -kInfinite)},
                  {{-kInfinite}});
    }
}

TEST(CaseRows, case_25_activations_of_huge_halves) {
    const Values x{8192, 20000, 65504, kInfinite, -65504, -kInfinite, kNan, 100, -100};
    const auto activation = [&](PointwiseKind kind, Values expected) {
        Graph graph;
        graph.output(graph.pointwise(kind, {graph.input({"x", {9}, DataType::F16})}, {.name = "y"}));
        expect_values(graph, {{"x", x}}, {{"y", std::move(expected)}});
    };
    activation(PointwiseKind::HardSigmoid, {1, 1, 1, 1, 0, 0, kNan, 1, 0});
    activation(PointwiseKind::Sigmoid, {1, 1, 1, 1, 0, 0, kNan, 1, 0});
    activation(PointwiseKind::Tanh, {1, 1, 1, 1, -1, -1, kNan, 1, -1});
    for (const PointwiseKind kind : {PointwiseKind::HardSwish, PointwiseKind::Swish, PointwiseKind::Gelu,
                                     PointwiseKind::GeluTanh, PointwiseKind::Softplus, PointwiseKind::Mish}) {
        activation(kind, {8192, 20000, 65504, kInfinite, 0, 0, kNan, 100, 0});
    }
}

TEST(CaseRows, case_28_momentum_is_a_number_of_the_run) {
    Graph graph;
    const auto vector = [&](const char* name) { return graph.input({name, {1}}); };
    const std::vector<Tensor> results =
        graph.apply(BatchNorm{.training = true}, {graph.input({"x", {2, 1, 1, 1}}), vector("scale"), vector("bias"),
                                                  vector("mean"), vector("variance"), graph.host_scalar("factor")});
    graph.output(results[1], {.name = "new_mean"});
    graph.output(results[2], {.name = "new_variance"});
    const Values steps[3] = {{1, 3}, {2, 6}, {5, 13}};
    double mean = 0.0, variance = 1.0;
    const double means[3] = {2, 3, 5}, variances[3] = {2, 5, 14};
    for (int step = 0; step < 3; ++step) {
        expect_values(graph,
                      {{"x", steps[step]},
                       {"scale", {1}},
                       {"bias", {0}},
                       {"mean", {mean}},
                       {"variance", {variance}},
                       {"factor", {1.0 / (step + 1)}}},
                      {{"new_mean", {means[step]}}, {"new_variance", {variances[step]}}}, {.ulps = 4.0});
        mean = means[step];
        variance = variances[step];
    }
}

TEST(CaseRows, case_29_variance_beside_a_large_mean) {
    const auto expect_row = [](double start, double step, double first) {
        Values x, expected;
        for (int i = 0; i < 16; ++i) x.push_back(start + i * step);
        for (int i = 0; i < 16; ++i) expected.push_back(first * (1.0 - i / 7.5));
        const Tolerance tolerance{.absolute = 1e-3};
        expect_op(Norm{NormKind::Layer, -1}, {{"", {1, 16}}}, {x}, {expected}, tolerance);
        expect_op(Norm{NormKind::Instance}, {{"", {1, 1, 16}}}, {x}, {expected}, tolerance);
        expect_op(Norm{NormKind::Group, 0, 1}, {{"", {1, 4, 4}}}, {x}, {expected}, tolerance);
        expect_op(BatchNorm{.training = true}, {{"", {16, 1}}, {"", {1}}, {"", {1}}, {"", {1}}, {"", {1}}},
                  {x, {1}, {0}, {0}, {1}}, {expected}, tolerance);
    };
    expect_row(4096.0, 1.0 / 256, -1.602456);
    expect_row(1e6, 1.0 / 16, -1.626880);
}

TEST(CaseRows, case_34_f32_products_keep_their_digits_in_both_layouts) {
    for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
        expect_op(Conv{}, {{"", {1, 8, 4, 4}, DataType::F32, layout}, {"", {8, 8, 1, 1}, DataType::F32, layout}},
                  {Values(128, 1.0 + 0x1p-12), Values(64, 1.0)}, {Values(128, 8.001953125)});
    }
}

TEST(CaseRows, case_35_large_finite_numbers_stay_finite) {
    Values w(9, 0.0);
    w[4] = 1.0;
    for (const auto& [type, value] :
         {std::pair(DataType::F32, static_cast<double>(1e38f)), std::pair(DataType::F16, 30000.0)}) {
        expect_op(Conv{.pad = {1, 1, 1, 1}}, {{"", {1, 1, 8, 8}, type}, {"", {1, 1, 3, 3}, type}},
                  {Values(64, value), w}, {Values(64, value)});
    }
}

TEST(CaseRows, case_38_extents_past_a_grid_limit) {
    for (const int64_t count : {65535, 65536, 65537, 131071}) {
        for (const size_t axis : {0, 1, 2}) {
            Dims dims{1, 1, 1, 1};
            dims[axis] = count;
            const size_t channels = static_cast<size_t>(dims[1]);
            Values x, expected;
            for (int64_t n = 0; n < count; ++n) {
                x.push_back(static_cast<double>(n % 7));
                expected.push_back(static_cast<double>(n % 7 + 2));
            }
            const Dims vector{dims[1]};
            expect_op(BatchNorm{.epsilon = 1.0}, {{"", dims}, {"", vector}, {"", vector}, {"", vector}, {"", vector}},
                      {x, Values(channels, 2.0), Values(channels, 3.0), Values(channels, 1.0), Values(channels, 3.0)},
                      {expected});
        }
    }
}

}  // namespace
}  // namespace tenon::testing
