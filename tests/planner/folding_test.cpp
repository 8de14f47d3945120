// What is known before the plan runs is computed then.

#include <gmock/gmock.h>

#include "tests/planner/planned.h"
#include "tests/support/host_tensor.h"
#include "tests/support/run.h"

namespace tenon::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Numbers are f64, which only the direct family computes: what joins a kernel here does not depend on what the families
// in front of it take.
constexpr DataType kDouble = DataType::F64;

Tensor constant(Graph& g, const std::string& name, Dims dims, uint64_t seed, DataType type = kDouble,
                Layout layout = Layout::NCHW) {
    HostTensor values({name, dims, type, layout});
    values.fill_normal(seed);
    std::vector<double> numbers = values.values();
    for (double& number : numbers) number = std::abs(number) + 0.25;  // fit to be a variance
    values.set(numbers);
    return g.constant(values.spec(), values.bytes().data(), values.bytes().size());
}

Tensor batch_norm_of(Graph& g, Tensor x, int64_t channels, bool constants = true) {
    std::vector<Tensor> parameters;
    for (const char* name : {"gamma", "beta", "mean", "variance"}) {
        parameters.push_back(constants || std::string(name) == "variance"
                                 ? constant(g, name, {channels}, parameters.size() + 1)
                                 : g.input({name, {channels}}));
    }
    return g.batch_norm(x, parameters[0], parameters[1], parameters[2], parameters[3]);
}

void expect_agreement(const Graph& g) { EXPECT_EQ(test::disagreement(g, test::random_inputs(g, 4), 8.0), ""); }

TEST(Folding, BatchNormBehindAConvBecomesFiltersAndBias) {
    for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
        Graph g;
        const Tensor x = g.input({"x", {2, 4, 5, 5}, kDouble, layout});
        const Tensor conv = g.conv(x, constant(g, "w", {6, 2, 3, 3}, 9, kDouble, layout), {.groups = 2});
        g.output(g.relu(batch_norm_of(g, conv, 6)), {.name = "y"});
        const Planned plan = planned(g);
        EXPECT_EQ(plan.kernels, 1u);
        EXPECT_THAT(plan.rewrites, Contains(HasSubstr("fold_channel_scale: batch_norm_1 into conv_0")));
        EXPECT_THAT(plan.source, HasSubstr("y = relu(conv(x, w) + bias)"));
        expect_agreement(g);
    }
}

TEST(Folding, ARunOfFactorsAndAddendsIsOneAffineFunction) {
    Graph g;
    Tensor y = g.conv(g.input({"x", {1, 4, 5, 5}, kDouble}), constant(g, "w", {6, 4, 1, 1}, 9));
    y = g.add(constant(g, "b", {6, 1, 1}, 1), y);
    y = g.multiply(y, constant(g, "s", {1, 6, 1, 1}, 2));
    y = g.divide(g.subtract(y, g.scalar(0.5)), constant(g, "d", {6, 1, 1}, 3));
    g.output(batch_norm_of(g, y, 6), {.name = "y"});
    const Planned plan = planned(g);
    EXPECT_THAT(plan.source, HasSubstr("y = conv(x, w) + bias")) << plan.source;
    expect_agreement(g);
}

TEST(Folding, KnowsTheChannelsOfTransposedConvsAndMatmuls) {
    Graph g;
    const Tensor turned = g.conv_transpose(g.input({"x", {1, 4, 3, 3}, kDouble}), constant(g, "w", {4, 3, 2, 2}, 9),
                                           {.stride = {2, 2}, .groups = 2});
    g.output(batch_norm_of(g, turned, 6), {.name = "y"});
    const Tensor product = g.matmul(g.input({"a", {2, 3, 5}, kDouble}), constant(g, "v", {5, 7}, 8));
    g.output(g.multiply(product, constant(g, "s", {7}, 7)), {.name = "z"});
    const Planned plan = planned(g);
    EXPECT_THAT(plan.rewrites, Contains(HasSubstr("into conv_transpose_0")));
    EXPECT_THAT(plan.rewrites, Contains(HasSubstr("into matmul_2")));
    expect_agreement(g);
}

TEST(Folding, RefusesAFactorPerRow) {
    Graph g;
    const Tensor product = g.matmul(g.input({"a", {5, 5}, kDouble}), constant(g, "v", {5, 5}, 8));
    g.output(g.multiply(product, constant(g, "s", {5, 1}, 7)), {.name = "z"});
    EXPECT_THAT(planned(g).rewrites, Not(Contains(HasSubstr("fold_channel_scale"))));
    expect_agreement(g);
}

TEST(Folding, RefusesWhatSomebodyElseReads) {
    Graph g;
    const Tensor conv =
        g.conv(g.input({"x", {1, 4, 5, 5}, kDouble}), constant(g, "w", {6, 4, 1, 1}, 9), {}, {.name = "raw"});
    g.output(conv);
    g.output(batch_norm_of(g, conv, 6), {.name = "y"});
    EXPECT_THAT(planned(g).rewrites, Not(Contains(HasSubstr("fold_channel_scale"))));
    expect_agreement(g);
}

TEST(Folding, RefusesFiltersOfTheCaller) {
    Graph g;
    const Tensor conv = g.conv(g.input({"x", {1, 4, 5, 5}, kDouble}), g.input({"w", {6, 4, 1, 1}, kDouble}));
    g.output(batch_norm_of(g, conv, 6), {.name = "y"});
    const Planned plan = planned(g);
    EXPECT_EQ(plan.kernels, 1u);
    EXPECT_THAT(plan.rewrites, Not(Contains(HasSubstr("fold_channel_scale"))));
    // Three numbers per channel are left of five: the deviation and the scale are one factor.
    EXPECT_THAT(plan.source, HasSubstr("y = (conv(x, w) - bias) * scale + bias_2")) << plan.source;
    expect_agreement(g);
}

TEST(Folding, ParametersOfTheCallerStayInTheEpilogue) {
    Graph g;
    const Tensor conv = g.conv(g.input({"x", {1, 4, 5, 5}, kDouble}), constant(g, "w", {6, 4, 1, 1}, 9));
    g.output(batch_norm_of(g, conv, 6, false), {.name = "y"});
    EXPECT_EQ(planned(g).kernels, 1u) << planned(g).notes;
    expect_agreement(g);
}

TEST(Folding, KeepsTheRoundingOfADeclaredHalfUnlessRelaxed) {
    for (const bool relaxed : {false, true}) {
        Graph g;
        g.set_numerics({.relaxed = relaxed});
        const Tensor conv =
            g.conv(g.input({"x", {1, 4, 5, 5}, DataType::F16}), constant(g, "w", {6, 4, 1, 1}, 9, DataType::F16));
        g.output(batch_norm_of(g, conv, 6), {.name = "y"});
        const Planned plan = planned(g);
        EXPECT_EQ(plan.kernels, 1u);
        EXPECT_THAT(plan.rewrites,
                    Contains(HasSubstr(relaxed ? "into conv_0" : "rounds to f16, and the graph is not relaxed")));
        expect_agreement(g);
    }
}

TEST(Folding, RefusesHalvesThatWouldBecomeDenormal) {
    Graph g;
    g.set_numerics({.relaxed = true});
    const Tensor conv =
        g.conv(g.input({"x", {1, 4, 5, 5}, DataType::F16}), constant(g, "w", {6, 4, 1, 1}, 9, DataType::F16));
    g.output(g.multiply(conv, g.scalar(1e-6)), {.name = "y", .type = DataType::F32});
    EXPECT_THAT(planned(g).rewrites, Not(Contains(HasSubstr("into conv_0"))));
}

TEST(Folding, ConstantsAreEvaluatedOnce) {
    Graph g;
    const Tensor bytes = g.cast(constant(g, "w", {4, 3}, 5), DataType::I8);
    const Tensor w = g.multiply(g.cast(bytes, kDouble), constant(g, "s", {1, 3}, 6));
    const Tensor turned = g.transpose(w, {1, 0});
    g.output(g.matmul(g.input({"a", {2, 3}, kDouble}), g.reshape(turned, {3, 4})), {.name = "y"});
    const Planned plan = planned(g);
    EXPECT_EQ(plan.kernels, 1u);
    EXPECT_THAT(plan.source, HasSubstr("y = matmul(a, b)"));
    expect_agreement(g);
}

TEST(Folding, UnusedNodesHaveNoKernel) {
    Graph g;
    const Tensor x = g.input({"x", {4, 3}, kDouble});
    g.reduce(g.gelu(x), {ReduceKind::Sum, {0}});
    g.output(g.relu(x), {.name = "y"});
    const Planned plan = planned(g);
    EXPECT_EQ(plan.kernels, 1u);
    EXPECT_THAT(plan.rewrites, Contains(HasSubstr("drop_unused: gelu_0")));
}

TEST(Folding, ZerosAroundAnImageBecomePaddingOfTheConv) {
    Graph g;
    const Tensor x = g.input({"x", {1, 2, 4, 4}, kDouble});
    const Tensor padded = g.apply(Pad{{0, 0, 1, 0}, {0, 0, 2, 1}}, {x}).front();
    g.output(g.conv(padded, g.input({"w", {3, 2, 2, 2}, kDouble}), {.pad = {0, 1, 0, 0}}), {.name = "y"});
    EXPECT_EQ(planned(g).kernels, 1u);
    expect_agreement(g);

    Graph other;
    const Tensor image = other.input({"x", {1, 2, 4, 4}, kDouble});
    const Tensor ones = other.apply(Pad{{0, 0, 1, 0}, {0, 0, 2, 1}, PadMode::Constant, 1.0}, {image}).front();
    other.output(other.conv(ones, other.input({"w", {3, 2, 2, 2}, kDouble})), {.name = "y"});
    EXPECT_EQ(planned(other).kernels, 2u);
    expect_agreement(other);
}

}  // namespace
}  // namespace tenon::testing
