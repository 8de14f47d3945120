#include <gtest/gtest.h>

#include <tenon/tenon.h>

#include "engine/kernel_compiler.h"
#include "engine/plan_data.h"
#include "engine/prepare.h"
#include "tests/support/temporary_folder.h"

namespace tenon {
namespace {

Plan line() {
    Graph graph;
    const Tensor x = graph.input({"x", {1000}});
    graph.output(graph.add(graph.multiply(x, graph.scalar(2)), graph.scalar(1), {.name = "y"}));
    return *Plan::build(graph, *Target::named("h200"));
}

TEST(Nvrtc, BinariesComeBackFromDiskByteForByte) {
    const test::TemporaryFolder folder;
    Settings settings;
    settings.cache_folder = folder.path();
    const Plan plan = line();
    engine::KernelCompiler first(settings);
    const auto compiled = first.kernels(engine::sources_of(plan.data()), "sm_90a");
    ASSERT_TRUE(compiled.is_ok()) << compiled.status().message();
    settings.strict = true;
    engine::KernelCompiler second(settings);
    const auto found = second.kernels(engine::sources_of(plan.data()), "sm_90a");
    ASSERT_TRUE(found.is_ok()) << found.status().message();
    ASSERT_EQ(found->size(), compiled->size());
    for (size_t i = 0; i < found->size(); ++i) {
        EXPECT_EQ((*found)[i]->image, (*compiled)[i]->image);
        EXPECT_GT((*found)[i]->registers, 0);
        EXPECT_EQ((*found)[i]->image.substr(1, 3), "ELF");
    }
    EXPECT_EQ(second.compiled_count(), 0);
}

TEST(Nvrtc, WritesPtxForAVirtualArchitecture) {
    engine::KernelCompiler compiler{Settings{}};
    const Plan plan = line();
    const auto kernel = compiler.kernel(plan.data().program.steps.at(0).kernel, "compute_90");
    ASSERT_TRUE(kernel.is_ok()) << kernel.status().message();
    EXPECT_NE((*kernel)->image.find(".target sm_90"), std::string::npos);
    EXPECT_EQ((*kernel)->image.back(), '\0');
}

TEST(Nvrtc, case_62_AnUnknownArchitectureIsRefusedWithTheList) {
    const Status status = line().compile("sm_50", Compiler()).status();
    EXPECT_EQ(status.code(), ErrorCode::CompileFailed);
    EXPECT_NE(status.message().find("sm_50"), std::string::npos);
    EXPECT_NE(status.message().find("knows 75"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace tenon
