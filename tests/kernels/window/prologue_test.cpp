// Images computed on their way into a window, on the emulator against the reference.

#include <gtest/gtest.h>

#include "codegen/generate.h"
#include "tests/kernels/window/window_cases.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

void expect_one_kernel(const Graph& graph) {
    ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), {});
    ASSERT_TRUE(program.is_ok()) << program.status().message();
    ASSERT_EQ(program->steps.size(), 1u) << Plan::build(graph, *Target::named("h200"))->explain();
    EXPECT_EQ(program->steps[0].family, "window");
    EXPECT_EQ(disagreement(graph, random_inputs(graph, 13)), "");
}

/// relu(x * scale + shift), per channel.
Tensor normalized(Graph& graph, const Dims& dims, Layout layout) {
    const Tensor x = graph.input({"x", dims, DataType::F16, layout});
    const Tensor scale = graph.input({"scale", {dims[1], 1, 1}, DataType::F16});
    const Tensor shift = graph.input({"shift", {dims[1], 1, 1}, DataType::F32});
    return graph.relu(graph.add(graph.multiply(x, scale), shift));
}

TEST(WindowPrologue, NormalizesTheImageOfADepthwiseConvolution) {
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
        Graph graph;
        const Tensor image = normalized(graph, {2, 8, 7, 8}, layout);
        const Tensor w = graph.input({"w", {8, 1, 3, 3}, DataType::F16});
        const Tensor sums = graph.conv(image, w, {.pad = {1, 1, 1, 1}, .groups = 8});
        graph.output(graph.relu(sums, {.name = "y"}));
        expect_one_kernel(graph);
    }
}

TEST(WindowPrologue, ComputesTheImageOfPools) {
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) {
        for (const PoolKind kind : {PoolKind::Max, PoolKind::Average}) {
            Graph graph;
            const Tensor image = normalized(graph, {2, 8, 9, 8}, layout);
            graph.output(graph.pool(image, {kind, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}}, {.name = "y"}));
            expect_one_kernel(graph);
        }
    }
}

TEST(WindowPrologue, ReadsTwoImages) {
    Graph graph;
    const Tensor a = graph.input({"a", {1, 6, 4, 5, 4}, DataType::F32});
    const Tensor b = graph.input({"b", {1, 6, 4, 5, 4}, DataType::F32});
    graph.output(graph.pool(graph.add(a, b), {PoolKind::Max, {2, 2, 2}, {2, 1, 2}}, {.name = "y"}));
    expect_one_kernel(graph);
}

}  // namespace
}  // namespace tenon::test
