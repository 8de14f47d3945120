#include <gtest/gtest.h>

#include <tenon/tenon.h>

namespace tenon {
namespace {

/// Row and column statistics, held and read twice, at the sizes of real networks.
Graph norms_and_reductions() {
    Graph g;
    const Tensor rows = g.input({"rows", {8192, 4096}, DataType::BF16});
    const Tensor scale = g.input({"scale", {4096}, DataType::BF16});
    const Tensor bias = g.input({"bias", {4096}, DataType::BF16});
    g.output(g.norm({rows, scale, bias}, {.kind = NormKind::Layer})[0]);
    g.output(g.norm({rows, scale}, {.kind = NormKind::Rms})[0]);
    g.output(g.softmax(rows));
    const Tensor image = g.input({"image", {32, 320, 64, 64}, DataType::F16, Layout::NHWC});
    g.output(g.silu(g.norm({image}, {.kind = NormKind::Group, .groups = 32})[0]));
    g.output(g.softmax(image, {.axis = 1}));
    g.output(g.reduce(image, {ReduceKind::Mean, {2, 3}}));
    const Tensor planes = g.input({"planes", {8, 21, 512, 512}, DataType::F16});
    g.output(g.softmax(planes, {.axis = 1}));
    g.output(g.reduce(planes, {ReduceKind::Argmax, {1}}));
    return g;
}

TEST(Nvrtc, CompilesRowKernelsWithoutSpills) {
    const Result<Plan> plan = Plan::build(norms_and_reductions(), *Target::named("h200"));
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    for (const char* architecture : {"sm_90a", "sm_120"}) {
        const Result<CompileReport> report = plan->compile(architecture);
        ASSERT_TRUE(report.is_ok()) << report.status().message();
        for (const CompileReport::Kernel& kernel : report->kernels)
            EXPECT_EQ(kernel.spill_bytes, 0) << kernel.name << " for " << architecture;
    }
}

}  // namespace
}  // namespace tenon
