// Five real networks, whole: they load, become fused plans, and give what ONNX Runtime gives. The models come from
// .ci/fetch_models; without them these tests are skipped, and say so.

#include <gtest/gtest.h>

#include "tests/networks/networks.h"

namespace tenon::test {
namespace {

class RealNetwork : public testing::TestWithParam<size_t> {
  protected:
    void SetUp() override {
        if (!has_models()) GTEST_SKIP() << "no models in " << models_folder() << "; run .ci/fetch_models there";
    }
    const Network& network() const { return networks()[GetParam()]; }
};

TEST_P(RealNetwork, BecomesAFusedPlan) {
    const Result<Graph> graph = import_network(network());
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    const Result<Plan> fused = Plan::build(*graph, *Target::named("h200"));
    const Result<Plan> unfused = Plan::build(*graph, *Target::named("h200"), {.fuse = false});
    ASSERT_TRUE(fused.is_ok()) << fused.status().message();
    ASSERT_TRUE(unfused.is_ok()) << unfused.status().message();
    std::printf("%s: %d kernels fused, %d unfused\n", network().name.c_str(), fused->kernel_count(),
                unfused->kernel_count());
    EXPECT_LT(3 * fused->kernel_count(), 2 * unfused->kernel_count());
}

TEST_P(RealNetwork, GivesTheGoldenOutputsOnTheReference) {
    EXPECT_EQ(wrong_output(network(), CpuDevice::Reference, 1e-3), "");
}

INSTANTIATE_TEST_SUITE_P(Onnx, RealNetwork, testing::Range<size_t>(0, 5));

}  // namespace
}  // namespace tenon::test
