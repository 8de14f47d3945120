#include "engine/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fake_driver.h"
#include "tests/engine/fake_nvrtc.h"

namespace tenon::engine::test {
namespace {

using testing::HasSubstr;

/// y = 2 x + 1 for an H200, and what it takes to prepare it.
struct Prepared {
    Prepared() {
        Graph graph;
        const Tensor x = graph.input({"x", {64}});
        graph.output(graph.add(graph.multiply(x, graph.scalar(2)), graph.scalar(1), {.name = "y"}));
        plan = *Plan::build(graph, *Target::named("h200"));
    }
    Result<std::shared_ptr<const LoadedPlan>> prepare() {
        return engine::prepare(driver, std::make_shared<PlanData>(plan->data()), compiler, nullptr);
    }
    Driver driver = fake_driver();
    KernelCompiler compiler{Settings{}, fake_nvrtc()};
    std::optional<Plan> plan;
};

TEST(Prepare, LoadsCubinsOfTheDevicesArchitecture) {
    Prepared line;
    const auto loaded = line.prepare();
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    ASSERT_EQ(fake_state().images.size(), static_cast<size_t>(line.plan->kernel_count()));
    EXPECT_EQ(fake_state().images[0].substr(0, 13), "cubin sm_90a\n");
}

TEST(Prepare, case_61_PtxIsTriedWhenTheBinaryIsRefused) {
    Prepared line;
    fake_state().refused_images = "cubin";
    const auto loaded = line.prepare();
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    ASSERT_EQ(fake_state().images.size(), 1u);
    EXPECT_EQ(fake_state().images[0].substr(0, 16), "PTX compute_90a\n");
}

TEST(Prepare, case_61_BothRefusedNamesTheVersions) {
    Prepared line;
    fake_state().load_result = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    const Status status = line.prepare().status();
    EXPECT_EQ(status.code(), ErrorCode::DriverFailed);
    EXPECT_THAT(status.message(), HasSubstr("as PTX"));
    EXPECT_THAT(status.message(), HasSubstr("NVRTC is 13.0"));
    EXPECT_THAT(status.message(), HasSubstr("the driver is for CUDA 12.4"));
}

TEST(Prepare, case_62_ADeviceNewerThanNvrtcGetsPtx) {
    Prepared line;
    fake_compiler().known = {75, 80};
    const auto loaded = line.prepare();
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    EXPECT_EQ(fake_state().images[0].substr(0, 15), "PTX compute_80\n");
}

TEST(Prepare, case_58_ADeviceOfAnotherKindIsRefusedByName) {
    Prepared line;
    fake_state().capability_major = 8;
    fake_state().device_name = "NVIDIA A100";
    const Status status = line.prepare().status();
    EXPECT_EQ(status.code(), ErrorCode::IncompatiblePlan);
    EXPECT_THAT(status.message(), HasSubstr("planned for h200 (compute capability 90"));
    EXPECT_THAT(status.message(), HasSubstr("the device is NVIDIA A100 (compute capability 80"));
    EXPECT_EQ(fake_compiler().compilations, 0);
}

TEST(Prepare, case_68_CompilesNothingWhileAStreamIsCaptured) {
    Prepared line;
    fake_state().capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    EXPECT_EQ(line.prepare().status().code(), ErrorCode::CaptureUnsafe);
    EXPECT_EQ(fake_compiler().compilations, 0);
}

}  // namespace
}  // namespace tenon::engine::test
