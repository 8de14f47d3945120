#include <gtest/gtest.h>

#include <tenon/tenon.h>

namespace tenon {
namespace {

/// A direct kernel with an epilogue, a vectorised pointwise kernel, and reductions, in half precision.
Graph sample() {
    Graph g;
    const Tensor x = g.input({"x", {2, 16, 8, 8}, DataType::F16, Layout::NHWC});
    const Tensor conv = g.conv(x, g.input({"w", {16, 16, 3, 3}, DataType::F16, Layout::NHWC}), {.pad = {1, 1, 1, 1}});
    const Tensor y = g.gelu(g.add(conv, g.input({"bias", {16, 1, 1}})));
    g.output(g.softmax(y, {.axis = 1}));
    g.output(g.silu(x));
    return g;
}

TEST(Nvrtc, CompilesASampleForEveryArchitectureWithoutSpills) {
    const std::pair<const char*, const char*> targets[] = {
        {"t4", "sm_75"}, {"a100", "sm_80"},  {"a100", "sm_86"},   {"l4", "sm_89"},
        {"l4", "sm_90"}, {"h200", "sm_90a"}, {"b200", "sm_100a"}, {"a100", "sm_120"},
    };
    for (const auto& [target, architecture] : targets) {
        const Result<Plan> plan = Plan::build(sample(), *Target::named(target));
        ASSERT_TRUE(plan.is_ok()) << plan.status().message();
        const Result<CompileReport> report = plan->compile(architecture);
        ASSERT_TRUE(report.is_ok()) << report.status().message();
        ASSERT_EQ(report->kernels.size(), static_cast<size_t>(plan->kernel_count()));
        for (const CompileReport::Kernel& kernel : report->kernels) {
            EXPECT_GT(kernel.registers, 0) << kernel.name;
            EXPECT_EQ(kernel.spill_bytes, 0) << kernel.name << " for " << architecture;
        }
    }
}

}  // namespace
}  // namespace tenon
