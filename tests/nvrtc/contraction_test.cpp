// The main loops of convolutions and matrix products on every architecture: they compile, and keep their sums in
// registers.

#include <gtest/gtest.h>

#include <tenon/tenon.h>

namespace tenon {
namespace {

Graph convolution(DataType type, Layout layout, int64_t channels, int64_t filters, int64_t extent) {
    Graph graph;
    const Tensor x = graph.input({"x", {32, channels, extent, extent}, type, layout});
    const Tensor w = graph.input({"w", {filters, channels, 3, 3}, type, layout});
    const Tensor sums = graph.conv(x, w, {.pad = {1, 1, 1, 1}});
    const Tensor bias = graph.input({"bias", {filters, 1, 1}});
    const Tensor residual = graph.input({"residual", graph.spec(sums).dims, graph.spec(sums).type, layout});
    graph.output(graph.relu(graph.add(graph.add(sums, bias), residual)));
    return graph;
}

Graph matmul(DataType type, const Dims& left, const Dims& right) {
    Graph graph;
    const Tensor a = graph.input({"a", left, type});
    const Tensor b = graph.input({"b", right, type});
    const Tensor product = graph.matmul(a, b);
    graph.output(is_floating(type) ? graph.gelu(product) : product);
    return graph;
}

struct HotKernel {
    const char* name;
    Graph graph;
};

std::vector<HotKernel> hot_kernels() {
    const Layout last = Layout::NHWC;
    std::vector<HotKernel> kernels = {
        {"conv 64", convolution(DataType::F16, last, 64, 64, 56)},
        {"conv 256", convolution(DataType::F16, last, 256, 256, 14)},
        {"conv of bytes", matmul(DataType::I8, {4096, 512}, {512, 1024})},
        {"conv channels first", convolution(DataType::F16, Layout::NCHW, 64, 128, 28)},
        {"conv 3", convolution(DataType::F16, last, 3, 64, 112)},
        {"conv f32", convolution(DataType::F32, last, 64, 128, 28)},
        {"matmul", matmul(DataType::F16, {4096, 4096}, {4096, 4096})},
        {"matmul with few rows", matmul(DataType::F16, {16, 4096}, {4096, 512})},
    };
    kernels.push_back({"conv tf32", convolution(DataType::F32, last, 64, 128, 28)});
    kernels.back().graph.set_numerics({.tf32 = true});
    return kernels;
}

struct Generation {
    const char* target;
    std::vector<const char*> architectures;
};

class ContractionKernels : public ::testing::TestWithParam<Generation> {};

TEST_P(ContractionKernels, CompileWithoutSpills) {
    for (const HotKernel& hot : hot_kernels()) {
        const Result<Plan> plan = Plan::build(hot.graph, *Target::named(GetParam().target));
        ASSERT_TRUE(plan.is_ok()) << plan.status().message();
        for (const char* architecture : GetParam().architectures) {
            const Result<CompileReport> report = plan->compile(architecture);
            ASSERT_TRUE(report.is_ok()) << hot.name << " for " << architecture << ": " << report.status().message();
            for (const CompileReport::Kernel& kernel : report->kernels)
                EXPECT_EQ(kernel.spill_bytes, 0) << hot.name << " for " << architecture << "\n" << plan->explain();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ContractionKernels,
                         ::testing::Values(Generation{"t4", {"sm_75"}},
                                           Generation{"a100", {"sm_80", "sm_90", "sm_90a", "sm_100a"}},
                                           Generation{"l4", {"sm_86", "sm_89", "sm_120"}}),
                         [](const auto& test) { return std::string(test.param.target); });

}  // namespace
}  // namespace tenon
