// Loading and launching against a driver of the test's own: no GPU is needed to see what the driver is asked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "engine/device_info.h"
#include "engine/loaded_plan.h"
#include "tests/engine/allocations.h"
#include "tests/engine/fake_driver.h"

namespace tenon::engine::test {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;
using testing::ElementsAre;
using testing::HasSubstr;

void* at(uintptr_t address) { return reinterpret_cast<void*>(address); }

const Workspace kWorkspace{at(0x10000), 2048};

/// Two kernels: inner = f(x, constant), y = g(inner, x).
struct TwoSteps {
    TwoSteps() {
        Graph graph;
        x = graph.input({"x", {64}});
        y = graph.relu(x, {.name = "y"});
        graph.output(y);
        const auto bytes = std::make_shared<Bytes>(256);
        codegen::Program program;
        program.buffers = {{Buffer::Kind::Bound, x.id, 0, 256, nullptr},
                           {Buffer::Kind::Constant, kNone, 512, 256, bytes},
                           {Buffer::Kind::Workspace, kNone, 1024, 256, nullptr},
                           {Buffer::Kind::Bound, y.id, 0, 256, nullptr}};
        program.workspace_bytes = 2048;
        program.constant_bytes = 768;
        program.steps.resize(2);
        program.steps[0].kernel = kernel("first", {0, 1, 2});
        program.steps[1].kernel = kernel("second", {2, 0, 3});
        program.steps[1].kernel.arguments[1].byte_offset = 32;
        data = std::make_shared<PlanData>(PlanData{graph, *Target::named("h200"), program});
        launch_record().argument_count = 3;
    }

    static codegen::KernelSource kernel(const std::string& name, const std::vector<int32_t>& buffers) {
        codegen::KernelSource kernel;
        kernel.name = name;
        kernel.launch.grid = {7, 2, 3};
        kernel.launch.block = {128, 1, 1};
        for (const int32_t buffer : buffers) {
            KernelArgument argument;
            argument.role = "b" + std::to_string(buffer);
            argument.buffer = buffer;
            argument.alignment = 16;
            kernel.arguments.push_back(argument);
        }
        return kernel;
    }

    static KernelPtr binary(const std::string& image) {
        return std::make_shared<const CompiledKernel>(CompiledKernel{image});
    }
    codegen::KernelSource& step(size_t i) { return data->program.steps[i].kernel; }
    Result<std::shared_ptr<const LoadedPlan>> load(CUstream stream = nullptr) const {
        return LoadedPlan::load(driver, data, {binary("1"), binary("2")}, stream);
    }
    Bindings bindings() const { return {{x, at(0x1000)}, {y, at(0x2000)}}; }

    Driver driver = fake_driver();
    std::shared_ptr<PlanData> data;
    Tensor x, y;
};

TEST(Driver, AnAbsentLibraryIsNotFoundByName) {
    const Status status = load_driver("/no/such/libcuda.so.1").status();
    EXPECT_EQ(status.code(), ErrorCode::NotFound);
    EXPECT_THAT(status.message(), HasSubstr("/no/such/libcuda.so.1"));
}

TEST(Driver, ALibraryWithoutTheFunctionsIsNotFoundAndNamesTheFirst) {
    const Status status = load_driver("libc.so.6").status();
    EXPECT_EQ(status.code(), ErrorCode::NotFound);
    EXPECT_THAT(status.message(), HasSubstr("cuInit"));
}

TEST(LoadedPlan, LaunchesEveryStepWithItsPointers) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    const auto stream = reinterpret_cast<CUstream>(0x77);
    const Status ran = (*loaded)->run(plan.bindings(), kWorkspace, at(0x20000), stream);
    ASSERT_TRUE(ran.is_ok()) << ran.message();
    const std::vector<Launch>& launches = launch_record().launches;
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_THAT(launches[0].pointers, ElementsAre(at(0x1000), at(0x20000 + 512), at(0x10000 + 1024)));
    EXPECT_THAT(launches[1].pointers, ElementsAre(at(0x10000 + 1024), at(0x1000 + 32), at(0x2000)));
    EXPECT_EQ(launches[0].function, 1u);
    EXPECT_EQ(launches[1].function, 2u);
    for (const Launch& launch : launches) {
        EXPECT_EQ(launch.config.hStream, stream);
        EXPECT_EQ(launch.config.gridDimX, 7u);
        EXPECT_EQ(launch.config.gridDimY, 2u);
        EXPECT_EQ(launch.config.gridDimZ, 3u);
        EXPECT_EQ(launch.config.blockDimX, 128u);
        EXPECT_EQ(launch.config.numAttrs, 0u);
    }
}

TEST(LoadedPlan, ARunAllocatesNothingAndLoadsNothing) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    const Bindings bindings = plan.bindings();
    launch_record().is_on = false;
    const int loads = fake_state().loads;
    const size_t before = allocations();
    const bool is_ok = (*loaded)->run(bindings, kWorkspace, at(0x20000), nullptr).is_ok();
    EXPECT_EQ(allocations(), before);
    EXPECT_TRUE(is_ok);
    EXPECT_EQ(fake_state().loads, loads);
    EXPECT_EQ(fake_state().launch_count, 2);
}

TEST(LoadedPlan, LoadsEveryFunctionAtOnceSoThatACaptureNeverLoads) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    EXPECT_EQ(fake_state().loads, 2);
    EXPECT_EQ(fake_state().eager_loads, 2);
}

TEST(LoadedPlan, case_68_RefusesToLoadWhileAStreamIsCaptured) {
    for (const bool is_other_stream : {false, true}) {
        const TwoSteps plan;
        if (is_other_stream) {
            fake_state().capturing_result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        } else {
            fake_state().capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        }
        EXPECT_EQ(plan.load().status().code(), ErrorCode::CaptureUnsafe);
        EXPECT_EQ(fake_state().loads, 0);
    }
}

TEST(LoadedPlan, NeedsACurrentContext) {
    const TwoSteps plan;
    fake_state().context = nullptr;
    EXPECT_EQ(plan.load().status().code(), ErrorCode::InvalidArgument);
}

TEST(LoadedPlan, case_61_AFailedLoadNamesTheKernelAndLeavesNothingLoaded) {
    const TwoSteps plan;
    fake_state().load_result = CUDA_ERROR_INVALID_IMAGE;
    fake_state().load_fails_from = 1;
    const Status status = plan.load().status();
    EXPECT_EQ(status.code(), ErrorCode::DriverFailed);
    EXPECT_THAT(status.message(), HasSubstr("second: CUDA_ERROR_INVALID_IMAGE (as the test wants)"));
    EXPECT_EQ(fake_state().loads, 1);
    EXPECT_EQ(fake_state().unloads, 1);
}

TEST(LoadedPlan, UnloadsWithTheLastOwner) {
    const TwoSteps plan;
    {
        const auto loaded = plan.load();
        EXPECT_EQ(fake_state().unloads, 0);
    }
    EXPECT_EQ(fake_state().unloads, 2);
}

TEST(LoadedPlan, AsksForSharedMemoryBeyondTheDefault) {
    TwoSteps plan;
    plan.step(0).launch.shared_bytes = 48 << 10;
    plan.step(1).launch.shared_bytes = 100000;
    ASSERT_TRUE(plan.load().is_ok());
    EXPECT_EQ(fake_state().attribute_calls, 1);
    EXPECT_EQ(fake_state().shared_bytes, 100000);
    fake_state().attribute_result = CUDA_ERROR_INVALID_VALUE;
    EXPECT_THAT(plan.load().status().message(), HasSubstr("second needs 100000 bytes of shared memory"));
}

TEST(LoadedPlan, PassesTheClusterShape) {
    TwoSteps plan;
    plan.step(1).launch.cluster = {2, 1, 1};
    const auto loaded = plan.load();
    ASSERT_TRUE((*loaded)->run(plan.bindings(), kWorkspace, at(0x20000), nullptr).is_ok());
    EXPECT_EQ(launch_record().launches[0].config.numAttrs, 0u);
    EXPECT_EQ(launch_record().launches[1].config.numAttrs, 1u);
}

TEST(LoadedPlan, SkipsAKernelWithoutBlocks) {
    TwoSteps plan;
    plan.step(0).launch.grid = {0, 1, 1};
    const auto loaded = plan.load();
    ASSERT_TRUE((*loaded)->run(plan.bindings(), kWorkspace, at(0x20000), nullptr).is_ok());
    EXPECT_EQ(fake_state().launch_count, 1);
}

TEST(LoadedPlan, PassesHostScalarsByTheirAddress) {
    TwoSteps plan;
    plan.data->program.buffers[0].kind = Buffer::Kind::Host;
    for (size_t i : {0, 1}) {
        for (KernelArgument& argument : plan.step(i).arguments) {
            if (argument.buffer != 0) continue;
            argument.kind = KernelArgument::Kind::HostScalar;
            argument.byte_offset = 0;
        }
    }
    const auto loaded = plan.load();
    void* scalar = at(0xabc);  // what the parameter is read from
    const Bindings bindings{{plan.x, &scalar}, {plan.y, at(0x2000)}};
    ASSERT_TRUE((*loaded)->run(bindings, kWorkspace, at(0x20000), nullptr).is_ok());
    EXPECT_EQ(launch_record().launches[0].pointers[0], at(0xabc));
}

TEST(LoadedPlan, RefusesBadMemoryByNameBeforeTheFirstLaunch) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    const auto run = [&](const Bindings& bindings, Workspace workspace = kWorkspace, void* constants = at(0x20000)) {
        const Status status = (*loaded)->run(bindings, workspace, constants, nullptr);
        EXPECT_EQ(status.code(), ErrorCode::InvalidArgument);
        return status.message();
    };
    EXPECT_THAT(run({{plan.x, at(0x1000)}}), HasSubstr("'y' is not bound"));
    EXPECT_THAT(run({{plan.x, nullptr}, {plan.y, at(0x2000)}}), HasSubstr("'x' is not bound"));
    EXPECT_THAT(run({{plan.x, at(0x1000)}, {plan.y, at(0x2000)}, {Tensor{99}, at(0x3000)}}),
                HasSubstr("no input and no output"));
    EXPECT_THAT(run({{plan.x, at(0x1000)}, {plan.y, at(0x2004)}}), HasSubstr("'y' must be aligned to 16 bytes"));
    EXPECT_THAT(run(plan.bindings(), {at(0x10008), 2048}), HasSubstr("the workspace must be aligned to 16"));
    EXPECT_THAT(run(plan.bindings(), {nullptr, 2048}), HasSubstr("needs 2048 bytes"));
    EXPECT_THAT(run(plan.bindings(), kWorkspace, nullptr), HasSubstr("upload_constants was not called"));
    EXPECT_EQ(fake_state().launch_count, 0);
}

TEST(LoadedPlan, AWorkspaceTooSmallIsOutOfMemoryWithBothSizes) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    const Status status = (*loaded)->run(plan.bindings(), {at(0x10000), 2047}, at(0x20000), nullptr);
    EXPECT_EQ(status.code(), ErrorCode::OutOfMemory);
    EXPECT_THAT(status.message(), HasSubstr("has 2047 bytes; the plan needs 2048"));
    EXPECT_EQ(fake_state().launch_count, 0);
}

TEST(LoadedPlan, TakesMemoryByPosition) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    const std::array<void*, 2> memory{at(0x1000), at(0x2000)};
    ASSERT_TRUE((*loaded)->run(memory, kWorkspace, at(0x20000), nullptr).is_ok());
    EXPECT_THAT(launch_record().launches[1].pointers, ElementsAre(at(0x10000 + 1024), at(0x1000 + 32), at(0x2000)));
    const Status status = (*loaded)->run(std::span(memory).first(1), kWorkspace, at(0x20000), nullptr);
    EXPECT_EQ(status.code(), ErrorCode::InvalidArgument);
}

TEST(LoadedPlan, case_71_RefusesToRunInAnotherContext) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    fake_state().context = reinterpret_cast<CUcontext>(0x20);
    const Status status = (*loaded)->run(plan.bindings(), kWorkspace, at(0x20000), nullptr);
    EXPECT_EQ(status.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(fake_state().launch_count, 0);
}

TEST(LoadedPlan, AFailedLaunchNamesTheKernelAndEndsTheRun) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    fake_state().launch_result = CUDA_ERROR_INVALID_VALUE;
    const Status status = (*loaded)->run(plan.bindings(), kWorkspace, at(0x20000), nullptr);
    EXPECT_EQ(status.code(), ErrorCode::DriverFailed);
    EXPECT_THAT(status.message(), HasSubstr("run: first"));
    EXPECT_EQ(fake_state().launch_count, 1);
}

TEST(LoadedPlan, UploadsConstantsToTheirOffsets) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    ASSERT_TRUE((*loaded)->upload_constants(at(0x20000), nullptr).is_ok());
    EXPECT_THAT(fake_state().copies, ElementsAre(std::pair<CUdeviceptr, size_t>(0x20000 + 512, 256)));
    EXPECT_EQ((*loaded)->upload_constants(nullptr, nullptr).code(), ErrorCode::InvalidArgument);
}

TEST(LoadedPlan, case_70_EightThreadsRunOnePlanEachWithItsOwnMemory) {
    const TwoSteps plan;
    const auto loaded = plan.load();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (uintptr_t id = 1; id <= 8; ++id) {
        threads.emplace_back([&, id] {
            launch_record().argument_count = 3;
            const Bindings bindings{{plan.x, at(id << 16)}, {plan.y, at(id << 20)}};
            for (int round = 0; round < 1000; ++round) {
                launch_record().launches.clear();
                const Status ran = (*loaded)->run(bindings, {at(id << 24), 2048}, at(0x20000), nullptr);
                const std::vector<Launch>& launches = launch_record().launches;
                const bool is_own = ran.is_ok() && launches.size() == 2 && launches[0].pointers[0] == at(id << 16) &&
                                    launches[0].pointers[2] == at((id << 24) + 1024) &&
                                    launches[1].pointers[2] == at(id << 20);
                wrong += is_own ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(fake_state().launch_count, 16000);
}

TEST(DeviceInfo, TakesTheRatesOfAKnownModelAndReadsTheSizes) {
    const Driver driver = fake_driver();
    const Result<DeviceInfo> info = current_device(driver);
    ASSERT_TRUE(info.is_ok()) << info.status().message();
    const Result<Target> target = describe(driver, *info);
    ASSERT_TRUE(target.is_ok()) << target.status().message();
    EXPECT_EQ(target->name, "NVIDIA H200");
    EXPECT_EQ(target->compute_capability, 90);
    EXPECT_TRUE(target->measured);
    EXPECT_EQ(target->memory_bytes_per_second, Target::named("h200")->memory_bytes_per_second);
    EXPECT_EQ(target->multiprocessors, 100);
}

TEST(DeviceInfo, AModelIsKnownByWholeWords) {
    const Driver driver = fake_driver();
    fake_state().capability_minor = 9;
    fake_state().capability_major = 8;
    const auto bandwidth_of = [&](const std::string& name) {
        fake_state().device_name = name;
        return describe(driver, *current_device(driver))->memory_bytes_per_second;
    };
    EXPECT_EQ(bandwidth_of("NVIDIA L4"), Target::named("l4")->memory_bytes_per_second);
    EXPECT_EQ(bandwidth_of("NVIDIA GeForce RTX 4090"), Target::named("rtx4090")->memory_bytes_per_second);
    // 9 GHz, two transfers a clock, 48 bytes wide.
    EXPECT_EQ(bandwidth_of("NVIDIA L40"), 2 * 9e9 * 48);
}

TEST(DeviceInfo, AnUnknownModelGetsItsPeakRatesAndIsNotMeasured) {
    const Driver driver = fake_driver();
    fake_state().device_name = "NVIDIA Something 9000";
    fake_state().capability_major = 99;
    const Result<Target> target = describe(driver, *current_device(driver));
    ASSERT_TRUE(target.is_ok());
    EXPECT_FALSE(target->measured);
    EXPECT_EQ(target->compute_capability, 990);
    EXPECT_EQ(target->f32_flops_per_second, 256.0 * 100 * 2e9);
}

}  // namespace
}  // namespace tenon::engine::test
