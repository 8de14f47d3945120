// What only a real device can show: streams, capture and replay, threads, the device's own description.

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/gpu/device.h"

namespace tenon::test {
namespace {

constexpr int64_t kCount = 1000;

/// y = 2 x + 1, where 2 and 1 are constants with memory of their own.
struct Line {
    Line() {
        const std::vector<float> twos(kCount, 2.0f), ones(kCount, 1.0f);
        x = graph.input({"x", {kCount}});
        const Tensor two = graph.constant({"two", {kCount}}, twos.data(), kCount * sizeof(float));
        const Tensor one = graph.constant({"one", {kCount}}, ones.data(), kCount * sizeof(float));
        y = graph.add(graph.multiply(x, two), one, {.name = "y"});
        graph.output(y);
    }
    Graph graph;
    Tensor x, y;
};

std::vector<float> filled(float value) { return std::vector<float>(kCount, value); }

TEST(Device, TargetCurrentDescribesIt) {
    gpu();
    const Result<Target> target = Target::current();
    ASSERT_TRUE(target.is_ok()) << target.status().message();
    EXPECT_GE(target->compute_capability, 75);
    EXPECT_GT(target->multiprocessors, 0);
    EXPECT_GE(target->shared_bytes_per_block, 48 << 10);
    EXPECT_GT(target->memory_bytes_per_second, 1e11);
    EXPECT_GT(target->f16_flops_per_second, 1e12);
    EXPECT_FALSE(target->name.empty());
}

TEST(Run, IsCapturedAndTheReplayFollowsTheData) {
    const Line line;
    const DriverForTests& driver = gpu();
    const Result<Plan> plan = Plan::build(line.graph, *Target::current());
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    Result<ReadyPlan> ready = plan->prepare();
    ASSERT_TRUE(ready.is_ok()) << ready.status().message();
    const size_t bytes = kCount * sizeof(float);
    DeviceMemory x(bytes), y(bytes), workspace(static_cast<size_t>(ready->workspace_bytes())),
        constants(static_cast<size_t>(ready->constant_bytes()));
    CUstream stream = nullptr;
    ASSERT_EQ(driver.create_stream(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_TRUE(ready->upload_constants(constants.data(), stream).is_ok());
    ASSERT_EQ(driver.wait(stream), CUDA_SUCCESS);

    ASSERT_EQ(driver.begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    const Status refused = plan->prepare(stream).status();
    const Status ran =
        ready->run({{line.x, x.data()}, {line.y, y.data()}}, {workspace.data(), ready->workspace_bytes()}, stream);
    CUgraph captured = nullptr;
    ASSERT_EQ(driver.end_capture(stream, &captured), CUDA_SUCCESS);
    EXPECT_EQ(refused.code(), ErrorCode::CaptureUnsafe) << refused.message();
    ASSERT_TRUE(ran.is_ok()) << ran.message();

    CUgraphExec replay = nullptr;
    ASSERT_EQ(driver.instantiate(&replay, captured, 0), CUDA_SUCCESS);
    for (const float value : {3.0f, -5.0f, 0.5f}) {
        x.write(filled(value).data(), bytes);
        ASSERT_EQ(driver.launch_graph(replay, stream), CUDA_SUCCESS);
        ASSERT_EQ(driver.wait(stream), CUDA_SUCCESS);
        std::vector<float> found(kCount);
        y.read(found.data(), bytes);
        EXPECT_EQ(found, filled(2.0f * value + 1.0f));
    }
    driver.destroy_stream(stream);
}

TEST(Run, case_70_EightThreadsShareOnePlan) {
    const Line line;
    gpu();
    const Result<Plan> plan = Plan::build(line.graph, *Target::current());
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    Result<ReadyPlan> prepared = plan->prepare();
    ASSERT_TRUE(prepared.is_ok()) << prepared.status().message();
    ReadyPlan& ready = *prepared;
    DeviceMemory constants(static_cast<size_t>(ready.constant_bytes()));
    ASSERT_TRUE(ready.upload_constants(constants.data(), nullptr).is_ok());
    ASSERT_EQ(gpu().wait(nullptr), CUDA_SUCCESS);

    std::array<std::string, 8> problems;
    std::vector<std::thread> threads;
    for (size_t id = 0; id < problems.size(); ++id) {
        threads.emplace_back([&, id] {
            const DriverForTests& driver = gpu();
            const size_t bytes = kCount * sizeof(float);
            DeviceMemory x(bytes), y(bytes), workspace(static_cast<size_t>(ready.workspace_bytes()));
            x.write(filled(static_cast<float>(id)).data(), bytes);
            CUstream stream = nullptr;
            if (driver.create_stream(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) problems[id] = "no stream";
            const Bindings bindings{{line.x, x.data()}, {line.y, y.data()}};
            for (int round = 0; round < 1000 && problems[id].empty(); ++round)
                problems[id] = ready.run(bindings, {workspace.data(), ready.workspace_bytes()}, stream).message();
            if (driver.wait(stream) != CUDA_SUCCESS) problems[id] = "the stream failed";
            std::vector<float> found(kCount);
            y.read(found.data(), bytes);
            if (found != filled(2.0f * static_cast<float>(id) + 1.0f)) problems[id] += " wrong values";
            driver.destroy_stream(stream);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

TEST(Run, case_65_RefusesAMisalignedPointerAndGoesOn) {
    const Line line;
    gpu();
    const Result<Plan> plan = Plan::build(line.graph, *Target::current());
    Result<ReadyPlan> ready = plan->prepare();
    ASSERT_TRUE(ready.is_ok()) << ready.status().message();
    const size_t bytes = kCount * sizeof(float);
    DeviceMemory x(bytes + 16), y(bytes), workspace(static_cast<size_t>(ready->workspace_bytes())),
        constants(static_cast<size_t>(ready->constant_bytes()));
    ASSERT_TRUE(ready->upload_constants(constants.data(), nullptr).is_ok());
    x.write(filled(4.0f).data(), bytes);
    void* shifted = static_cast<float*>(x.data()) + 1;
    const Status refused =
        ready->run({{line.x, shifted}, {line.y, y.data()}}, {workspace.data(), ready->workspace_bytes()}, nullptr);
    EXPECT_EQ(refused.code(), ErrorCode::InvalidArgument);
    EXPECT_NE(refused.message().find("'x' must be aligned to 16 bytes"), std::string::npos) << refused.message();
    const Status ran =
        ready->run({{line.x, x.data()}, {line.y, y.data()}}, {workspace.data(), ready->workspace_bytes()}, nullptr);
    ASSERT_TRUE(ran.is_ok()) << ran.message();
    ASSERT_EQ(gpu().wait(nullptr), CUDA_SUCCESS);
    std::vector<float> found(kCount);
    y.read(found.data(), bytes);
    EXPECT_EQ(found, filled(9.0f));
}

}  // namespace
}  // namespace tenon::test
