// Every operation through the generated kernels on the emulator, fused and unfused, against the reference.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

struct OperationCase {
    std::string name;
    Graph graph;
    double slack = 4.0;
};

void PrintTo(const OperationCase& test, std::ostream* out) { *out << test.name; }

/// A graph with one input x and whatever `build` makes of it.
template <typename Build>
Graph of_image(TensorSpec x, Build build) {
    Graph graph;
    const Tensor result = build(graph, graph.input(std::move(x)));
    graph.output(graph.relu(result, {.name = "y"}));
    return graph;
}

Graph conv_graph(DataType type, Layout layout, Conv conv, Dims x_dims, Dims w_dims) {
    Graph graph;
    const Tensor x = graph.input({"x", std::move(x_dims), type, layout});
    const Tensor w = graph.input({"w", w_dims, type, layout});
    Dims bias_dims(w_dims.size() - 1, 1);
    bias_dims[0] = w_dims[0];
    const bool integers = is_integer(type);
    const Tensor sums =
        graph.conv(x, w, conv, {.type = integers ? std::optional<DataType>(DataType::F32) : std::nullopt});
    const Tensor bias = graph.input({"bias", bias_dims, DataType::F32});
    graph.output(graph.relu(graph.add(sums, bias), {.name = "y"}));
    return graph;
}

std::vector<OperationCase> conv_cases() {
    std::vector<OperationCase> cases;
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::I8}) {
        for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
            const std::string stem =
                std::string("conv_") + std::string(to_string(type)) + (layout == Layout::NCHW ? "_nchw" : "_nhwc");
            cases.push_back({stem, conv_graph(type, layout, {.pad = {1, 1, 1, 1}}, {2, 4, 5, 6}, {3, 4, 3, 3})});
        }
    }
    const auto f32 = [&](std::string name, Conv conv, Dims x, Dims w) {
        cases.push_back({std::move(name), conv_graph(DataType::F32, Layout::NCHW, conv, std::move(x), std::move(w))});
    };
    f32("conv_asymmetric_pad_stride", {.stride = {2, 1}, .pad = {1, 0, 2, 3}}, {1, 2, 6, 5}, {2, 2, 2, 3});
    f32("conv_groups", {.groups = 2}, {1, 4, 4, 4}, {6, 2, 2, 2});
    f32("conv_depthwise_multiplier", {.stride = {2, 2}, .dilation = {3, 3}, .groups = 2}, {1, 2, 9, 9}, {4, 1, 3, 3});
    f32("conv_1d", {.pad = {2, 0}}, {2, 3, 7}, {4, 3, 3});
    f32("conv_3d", {.pad = {1, 1, 1, 0, 0, 0}}, {1, 2, 3, 4, 3}, {2, 2, 2, 2, 2});
    return cases;
}

std::vector<OperationCase> other_cases() {
    std::vector<OperationCase> cases;
    const TensorSpec image{"x", {2, 4, 5, 6}};
    const TensorSpec channels_last{"x", {2, 4, 5, 6}, DataType::F32, Layout::NHWC};
    const auto add = [&](std::string name, TensorSpec x, auto build) {
        cases.push_back({std::move(name), of_image(std::move(x), build)});
    };
    const auto apply = [&](std::string name, Op op) {
        add(name, image, [=](Graph& g, Tensor x) { return g.apply(op, {x}).front(); });
        add(name + "_channels_last", channels_last, [=](Graph& g, Tensor x) { return g.apply(op, {x}).front(); });
    };
    apply("max_pool", Pool{PoolKind::Max, {3, 2}, {2, 2}, {}, {1, 0, 1, 0}});
    apply("max_pool_ceil_dilation", Pool{PoolKind::Max, {2, 2}, {2, 2}, {2, 2}, {}, true});
    apply("average_pool", Pool{PoolKind::Average, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}, true});
    apply("average_pool_counting_padding", Pool{PoolKind::Average, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}, true, true});
    apply("global_pool", Pool{PoolKind::Average});
    apply("adaptive_pool", AdaptivePool{PoolKind::Average, {3, 4}});
    apply("adaptive_max_pool", AdaptivePool{PoolKind::Max, {2, 5}});
    apply("resize_nearest",
          Resize{{10, 9}, {}, ResizeMode::Nearest, ResizeCoordinates::Asymmetric, ResizeRounding::Floor});
    apply("resize_bilinear", Resize{{9, 4}, {}, ResizeMode::Linear});
    apply("resize_align_corners", Resize{{7, 11}, {}, ResizeMode::Linear, ResizeCoordinates::AlignCorners});
    apply("pad_constant", Pad{{0, 1, 2, 0}, {0, 0, 1, -1}, PadMode::Constant, 0.5});
    apply("pad_reflect", Pad{{0, 0, 2, 1}, {0, 0, 1, 3}, PadMode::Reflect});
    apply("pad_edge", Pad{{0, 0, 2, 1}, {1, 0, 1, 3}, PadMode::Edge});
    apply("transpose", Transpose{{0, 2, 3, 1}});
    apply("slice_backwards", Slice{{0, 3, 0, 5}, {2, 2, 3, 6}, {1, -2, 2, -1}});
    apply("reshape", Reshape{{2, 2, 2, -1}});
    apply("layer_norm", Norm{NormKind::Layer, 2});
    apply("rms_norm", Norm{NormKind::Rms, -1});
    apply("group_norm", Norm{NormKind::Group, 0, 2});
    apply("instance_norm", Norm{NormKind::Instance});
    apply("softmax", Softmax{1});
    apply("log_softmax", Softmax{-1, true});
    for (const auto& [name, kind] : std::vector<std::pair<std::string, ReduceKind>>{{"sum", ReduceKind::Sum},
                                                                                    {"mean", ReduceKind::Mean},
                                                                                    {"max", ReduceKind::Max},
                                                                                    {"min", ReduceKind::Min},
                                                                                    {"prod", ReduceKind::Prod},
                                                                                    {"amax", ReduceKind::Amax},
                                                                                    {"norm1", ReduceKind::Norm1},
                                                                                    {"norm2", ReduceKind::Norm2}}) {
        apply("reduce_" + name, Reduce{kind, {1, 3}, kind != ReduceKind::Max});
    }
    add("argmax", image, [](Graph& g, Tensor x) {
        return g.cast(g.reduce(x, {ReduceKind::Argmax, {2}, false}), DataType::F32);
    });
    add("expand", {"x", {4, 1, 6}}, [](Graph& g, Tensor x) { return g.apply(Expand{{2, 4, 5, 6}}, {x}).front(); });
    add("index_along", image, [](Graph& g, Tensor x) {
        return g.multiply(x, g.apply(IndexAlong{2, DataType::F32}, {x}).front());
    });
    add("concat", image, [](Graph& g, Tensor x) { return g.concat({g.sigmoid(x), x, g.tanh(x)}, 1); });
    add("gather", image, [](Graph& g, Tensor x) {
        return g.apply(Gather{1}, {x, g.input({"indices", {2, 3}, DataType::I64})}).front();
    });
    add("conv_transpose", image, [](Graph& g, Tensor x) {
        return g.conv_transpose(
            x, g.input({"w", {4, 3, 3, 2}}),
            {.stride = {2, 3}, .dilation = {1, 2}, .pad = {1, 0, 0, 1}, .output_padding = {1, 0}, .groups = 2});
    });
    add("matmul", {"x", {2, 1, 3, 5}}, [](Graph& g, Tensor x) { return g.matmul(x, g.input({"b", {4, 5, 6}})); });
    add("matmul_transposed", {"x", {7, 3}}, [](Graph& g, Tensor x) {
        return g.matmul(g.transpose(x, {1, 0}), g.input({"b", {7, 4}}));
    });
    return cases;
}

class Agrees : public testing::TestWithParam<OperationCase> {};

TEST_P(Agrees, WithTheReference) {
    const Graph& graph = GetParam().graph;
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 1), GetParam().slack), "");
}

std::string name_of_case(const testing::TestParamInfo<OperationCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Conv, Agrees, testing::ValuesIn(conv_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Other, Agrees, testing::ValuesIn(other_cases()), name_of_case);

/// One output per function, so that a single kernel covers the whole table for a type.
class PointwiseTable : public testing::TestWithParam<DataType> {};

TEST_P(PointwiseTable, AgreesWithTheReference) {
    const DataType type = GetParam();
    Graph graph;
    const Tensor a = graph.input({"a", {5, 8}, type}), b = graph.input({"b", {5, 8}, type}),
                 mask = graph.input({"mask", {5, 8}, DataType::Bool});
    for (const PointwiseInfo& row : kPointwise) {
        const bool fits = row.domain == PointwiseDomain::Any ||
                          (row.domain == PointwiseDomain::Boolean && type == DataType::Bool) ||
                          (row.domain == PointwiseDomain::Numeric && type != DataType::Bool) ||
                          (row.domain == PointwiseDomain::Floating && is_floating(type)) ||
                          (row.domain == PointwiseDomain::Integer && is_integer(type));
        if (!fits) continue;
        const std::vector<Tensor> inputs = row.inputs == 1   ? std::vector<Tensor>{a}
                                           : row.inputs == 2 ? std::vector<Tensor>{a, b}
                                                             : std::vector<Tensor>{mask, a, b};
        graph.output(graph.pointwise(row.kind, inputs, {.name = std::string(row.name)}));
    }
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 3), 64.0), "");
}

TEST(PointwiseGradients, KeepANanGradient) {
    Graph graph;
    const Tensor a = graph.input({"a", {4}}), b = graph.input({"b", {4}});
    for (const PointwiseKind kind : {PointwiseKind::HardSigmoidBackward, PointwiseKind::HardSwishBackward}) {
        graph.output(graph.pointwise(kind, {a, b}, {.name = std::string(info(kind).name)}));
    }
    const auto outputs = run(graph, CpuDevice::Emulator, {{"a", Numbers(4, NAN)}, {"b", {-5, 0, 5, NAN}}});
    ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
    for (const auto& [name, numbers] : *outputs) {
        for (const double number : numbers) EXPECT_TRUE(std::isnan(number)) << name << " gives " << number;
    }
}

TEST(PointwiseParameters, ReachTheKernel) {
    for (const DataType type : {DataType::F16, DataType::F32, DataType::F64}) {
        Graph graph;
        const Tensor a = graph.input({"a", {5, 8}, type}), b = graph.input({"b", {5, 8}, type});
        for (const PointwiseInfo& row : kPointwise) {
            if (row.parameters[0].name.empty()) continue;
            const std::vector<Tensor> inputs = row.inputs == 1 ? std::vector<Tensor>{a} : std::vector<Tensor>{a, b};
            graph.output(graph.pointwise(row.kind, inputs, {0.25, 0.75, 0.0}, {.name = std::string(row.name)}));
        }
        EXPECT_EQ(disagreement(graph, random_inputs(graph, 5), 64.0), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Types, PointwiseTable,
                         testing::Values(DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::I8,
                                         DataType::U8, DataType::I32, DataType::I64, DataType::Bool),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace tenon::test
