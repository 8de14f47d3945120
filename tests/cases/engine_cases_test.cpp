// Public faults of caches and plans as small inputs with right answers. Those that need a driver, a compiler or a disk
// of the test's own are in tests/engine and tests/fuzz under the same names.

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

Plan planned(const Graph& graph) { return *Plan::build(graph, *Target::named("h200")); }

/// Output y on the emulator.
Numbers emulated(const Graph& graph, const std::map<std::string, Numbers>& inputs) {
    const auto outputs = run(graph, CpuDevice::Emulator, inputs);
    EXPECT_TRUE(outputs.is_ok()) << outputs.status().message();
    return outputs.is_ok() ? outputs->at("y") : Numbers();
}

TEST(EngineCases, case_47_strides_are_part_of_the_kernel) {
    const auto graph = [](Dims strides) {
        Graph g;
        const Tensor x = g.input({"x", {1, 2, 2, 2}, DataType::F32, Layout::NCHW, std::move(strides)});
        const Tensor w = g.input({"w", {1, 2, 1, 1}});
        g.output(g.conv(x, w, {}, {.name = "y"}));
        return g;
    };
    const std::map<std::string, Numbers> inputs{{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"w", {1, 1}}};
    const Graph packed = graph({8, 4, 2, 1}), spread = graph({16, 8, 4, 2});
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(emulated(packed, inputs), (Numbers{6, 8, 10, 12}));
        EXPECT_EQ(emulated(spread, inputs), (Numbers{6, 8, 10, 12}));
    }
    EXPECT_NE(planned(packed).source(), planned(spread).source());
}

TEST(EngineCases, case_49_constants_and_shapes_are_told_apart_and_names_are_not) {
    const auto graph = [](float constant, int64_t extent, const std::string& name) {
        Graph g;
        const Tensor x = g.input({name, {extent, extent}});
        const Tensor w = g.constant({"w", {}}, &constant, sizeof(constant));
        g.output(g.multiply(x, w, {.name = "y"}));
        return g;
    };
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(emulated(graph(1, 3, "x"), {{"x", Numbers(9, 1.0)}}), Numbers(9, 1.0));
        EXPECT_EQ(emulated(graph(2, 3, "x"), {{"x", Numbers(9, 1.0)}}), Numbers(9, 2.0));
        EXPECT_EQ(emulated(graph(1, 4, "x"), {{"x", Numbers(16, 1.0)}}), Numbers(16, 1.0));
    }
    EXPECT_EQ(planned(graph(1, 3, "x")).source(), planned(graph(1, 3, "int")).source());
}

Graph line(int64_t count) {
    Graph g;
    const Tensor x = g.input({"x", {count}});
    g.output(g.add(g.multiply(x, g.scalar(2)), g.scalar(1), {.name = "y"}));
    return g;
}

TEST(EngineCases, case_50_one_graph_in_many_sizes_in_any_order) {
    const std::vector<int64_t> sizes{128, 129, 512, 100003};
    std::set<std::string> sources;
    const auto check = [&](int64_t count) {
        Numbers x, y;
        for (int64_t i = 0; i < count; ++i) {
            x.push_back(static_cast<double>(i % 1000));
            y.push_back(2.0 * x.back() + 1.0);
        }
        EXPECT_EQ(emulated(line(count), {{"x", x}}), y) << count;
        sources.insert(planned(line(count)).source());
    };
    for (const int64_t count : sizes) check(count);
    for (size_t i = sizes.size(); i-- > 0;) check(sizes[i]);
    EXPECT_EQ(sources.size(), sizes.size());
}

TEST(EngineCases, case_70_one_plan_runs_in_many_threads_while_others_are_built) {
    const Graph graph = line(256);
    const Tensor x = graph.inputs().front(), y = graph.outputs().front();
    const Plan plan = planned(graph);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id) {
        threads.emplace_back([&, id] {
            std::vector<float> in(256, static_cast<float>(id)), out(256);
            for (int round = 0; round < 20; ++round) {
                const Status ran = plan.run_on_cpu(CpuDevice::Emulator, {{x, in.data()}, {y, out.data()}});
                wrong += ran.is_ok() && out == std::vector<float>(256, 2.0f * static_cast<float>(id) + 1.0f) ? 0 : 1;
            }
        });
        threads.emplace_back([&, id] {
            for (int64_t round = 0; round < 20; ++round)
                wrong += planned(line(1000 + 100 * id + round)).kernel_count() == 1 ? 0 : 1;
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(EngineCases, case_58_a_plan_from_a_file_computes_the_same) {
    Graph g;
    const Tensor x = g.input({"x", {1, 2, 4, 4}});
    const std::vector<float> weights(2 * 3 * 3, 1.0f);
    const Tensor w = g.constant({"w", {1, 2, 3, 3}}, weights.data(), weights.size() * sizeof(float));
    g.output(g.relu(g.add(g.conv(x, w), g.scalar(-10.0)), {.name = "y"}));
    const Result<Plan> loaded = Plan::from_bytes(planned(g).to_bytes());
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    std::vector<float> in(32), out(4);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 4);
    const Tensor y = loaded->graph().outputs().front();
    const Bindings bindings{{loaded->graph().inputs().front(), in.data()}, {y, out.data()}};
    for (const CpuDevice device : {CpuDevice::Reference, CpuDevice::Emulator}) {
        const Status ran = loaded->run_on_cpu(device, bindings);
        ASSERT_TRUE(ran.is_ok()) << ran.message();
        EXPECT_EQ(out, (std::vector<float>{8, 26, 8, 26}));
    }
}

}  // namespace
}  // namespace tenon::test
