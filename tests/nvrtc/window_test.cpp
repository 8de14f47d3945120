// Window kernels of real networks compile for every architecture and keep their values in registers.

#include <gtest/gtest.h>

#include <tenon/tenon.h>

namespace tenon {
namespace {

struct Row {
    int64_t batch, channels, extent, window, stride;
};

Graph depthwise(const Row& row, Layout layout) {
    Graph g;
    const Tensor x = g.input({"x", {row.batch, row.channels, row.extent, row.extent}, DataType::F16, layout});
    const Tensor w = g.input({"w", {row.channels, 1, row.window, row.window}, DataType::F16});
    const int64_t pad = row.window / 2;
    const Tensor sums =
        g.conv(x, w, {.stride = {row.stride, row.stride}, .pad = {pad, pad, pad, pad}, .groups = row.channels});
    g.output(g.relu(g.add(sums, g.input({"bias", {row.channels, 1, 1}}))));
    return g;
}

Graph max_pool(Layout layout) {
    Graph g;
    g.output(g.pool(g.input({"x", {32, 64, 112, 112}, DataType::F16, layout}),
                    {PoolKind::Max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}}));
    return g;
}

void expect_no_spills(const Graph& graph, const char* architecture) {
    const Result<Plan> plan = Plan::build(graph, *Target::named("h200"));
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    const Result<CompileReport> report = plan->compile(architecture);
    ASSERT_TRUE(report.is_ok()) << report.status().message();
    for (const CompileReport::Kernel& kernel : report->kernels) {
        EXPECT_EQ(kernel.spill_bytes, 0) << kernel.name << " for " << architecture;
        EXPECT_GT(kernel.registers, 0) << kernel.name;
    }
}

TEST(WindowNvrtc, KeepsRealLayersInRegisters) {
    for (const int64_t batch : {1, 32}) {
        for (const Row& row :
             {Row{batch, 96, 112, 3, 2}, Row{batch, 144, 56, 3, 1}, Row{batch, 384, 14, 3, 1}, Row{batch, 960, 7, 3, 1},
              Row{batch, 240, 28, 5, 1}, Row{batch, 96, 56, 7, 1}, Row{batch, 384, 14, 7, 1}}) {
            expect_no_spills(depthwise(row, Layout::NHWC), "sm_90a");
        }
    }
    expect_no_spills(depthwise({32, 144, 56, 3, 1}, Layout::NCHW), "sm_90a");
    for (const Layout layout : {Layout::NHWC, Layout::NCHW}) expect_no_spills(max_pool(layout), "sm_90a");
}

Graph grouped(int64_t batch, int64_t channels, int64_t extent) {
    Graph g;
    const Tensor x = g.input({"x", {batch, channels, extent, extent}, DataType::F16, Layout::NHWC});
    const Tensor w = g.input({"w", {channels, channels / 32, 3, 3}, DataType::F16, Layout::NHWC});
    const Tensor sums = g.conv(x, w, {.pad = {1, 1, 1, 1}, .groups = 32});
    g.output(g.relu(g.add(sums, g.input({"bias", {channels, 1, 1}}))));
    return g;
}

TEST(GroupedNvrtc, KeepsTheFiltersOfAGroupInRegisters) {
    for (const int64_t batch : {1, 32}) {
        for (const char* architecture : {"sm_80", "sm_90a"}) {
            expect_no_spills(grouped(batch, 128, 56), architecture);
            expect_no_spills(grouped(batch, 256, 28), architecture);
            expect_no_spills(grouped(batch, 512, 14), architecture);
            expect_no_spills(grouped(batch, 1024, 7), architecture);
        }
    }
    for (const char* architecture : {"sm_86", "sm_89", "sm_100a", "sm_120"})
        expect_no_spills(grouped(32, 256, 28), architecture);
}

TEST(WindowNvrtc, CompilesForEveryArchitecture) {
    for (const char* architecture : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100a", "sm_120"}) {
        expect_no_spills(depthwise({32, 144, 56, 3, 1}, Layout::NHWC), architecture);
        expect_no_spills(max_pool(Layout::NHWC), architecture);
    }
}

}  // namespace
}  // namespace tenon
