// Random graphs: fused on the emulator against the reference.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include <tenon/plan.h>

#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"
#include "tests/fuzz/allowed_error.h"
#include "tests/fuzz/graph_edits.h"
#include "tests/fuzz/random_graph.h"

namespace tenon::testing {
namespace {

constexpr uint32_t kGraphs = 500;
constexpr uint32_t kShards = 25;
constexpr uint32_t kGraphsPerShard = kGraphs / kShards;

/// A longer search takes other seeds: TENON_FUZZ_SEED is the first one.
uint32_t first_seed(uint32_t shard) {
    const char* start = std::getenv("TENON_FUZZ_SEED");
    return (start == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(start, nullptr, 10))) + shard * kGraphsPerShard;
}

Status emulator_runner(const Graph& graph, const Bindings& bindings) {
    TENON_ASSIGN(const Target target, Target::named("h200"));
    TENON_ASSIGN(const Plan plan, Plan::build(graph, target));
    return plan.run_on_cpu(CpuDevice::Emulator, bindings, 3);
}

/// Empty if `found` holds the outputs of the graph, under `prefix`, within what is allowed.
std::string difference(const RandomGraph& random, const NamedTensors& found, const std::string& prefix) {
    const Result<NamedTensors> expected = run_on_reference(random.graph, random.inputs);
    if (!expected.is_ok()) return "reference: " + expected.status().message();
    const Result<std::map<std::string, Tolerance>> allowed = allowed_errors(random);
    if (!allowed.is_ok()) return "reference: " + allowed.status().message();
    for (const auto& [name, tensor] : *expected) {
        const ::testing::AssertionResult close = is_close(found.at(prefix + name), tensor.values(), allowed->at(name));
        if (!close) return close.message();
    }
    return {};
}

/// Empty if the graph alone agrees.
std::string disagreement(const RandomGraph& random) {
    const Result<NamedTensors> found = run_graph(emulator_runner, random.graph, random.inputs);
    return found.is_ok() ? difference(random, *found, "") : found.status().message();
}

/// Shrinks the graph, writes it to a file and says so.
std::string report(uint32_t seed, const RandomGraph& random, const std::string& why) {
    const RandomGraph small = shrunk(
        random, [](const RandomGraph& g) { return !disagreement(g).empty(); }, 80);
    const std::string path = ::testing::TempDir() + "random_graph_" + std::to_string(seed) + ".txt";
    std::ofstream file(path);
    file << "seed " << seed << "\n\n" << random.graph.to_text() << "\n" << why << "\n\nshrunk to\n\n";
    file << small.graph.to_text() << "\n" << disagreement(small) << "\n";
    return "seed " + std::to_string(seed) + ": " + why + "\nshrunk to\n" + small.graph.to_text() + disagreement(small) +
           "\n(both in " + path + ")";
}

class RandomGraphs : public ::testing::TestWithParam<uint32_t> {};

/// The graphs of a shard are planned as one, so that their kernels are compiled together; a graph that fails is then
/// run alone.
TEST_P(RandomGraphs, AgreeWithTheReference) {
    std::vector<RandomGraph> graphs;
    for (uint32_t i = 0; i < kGraphsPerShard; ++i) graphs.push_back(random_graph(first_seed(GetParam()) + i));
    const RandomGraph all = side_by_side(graphs);
    ASSERT_TRUE(all.graph.validate().is_ok()) << all.graph.validate().message();
    const Result<NamedTensors> found = run_graph(emulator_runner, all.graph, all.inputs);
    if (!found.is_ok()) ADD_FAILURE() << found.status().message();
    for (uint32_t i = 0; i < kGraphsPerShard; ++i) {
        const std::string why =
            found.is_ok() ? difference(graphs[i], *found, "g" + std::to_string(i) + ".") : disagreement(graphs[i]);
        if (!why.empty()) ADD_FAILURE() << report(first_seed(GetParam()) + i, graphs[i], why);
    }
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomGraphs, ::testing::Range(uint32_t{0}, kShards));

TEST(RandomGraphGenerator, MakesTheSameGraphForOneSeed) {
    EXPECT_EQ(random_graph(5).graph.to_text(), random_graph(5).graph.to_text());
    EXPECT_NE(random_graph(5).graph.to_text(), random_graph(6).graph.to_text());
}

TEST(RandomGraphGenerator, CoversEveryOperationTypeAndForm) {
    std::set<size_t> operations;
    std::set<std::pair<size_t, DataType>> types;
    int several_outputs = 0, several_readers = 0, channels_last = 0, host_scalars = 0, constants = 0;
    for (uint32_t seed = 0; seed < kGraphs; ++seed) {
        const RandomGraph random = random_graph(seed);
        const GraphData& graph = random.graph.data();
        ASSERT_TRUE(random.graph.validate().is_ok()) << seed << ": " << random.graph.validate().message();
        several_outputs += graph.outputs.size() > 1;
        std::map<ValueId, int> readers;
        for (const Node& node : graph.nodes) {
            operations.insert(node.op.index());
            types.insert({node.op.index(), graph.value(node.outputs[0]).type});
            for (const ValueId id : std::set<ValueId>(node.inputs.begin(), node.inputs.end())) ++readers[id];
        }
        for (const auto& [id, count] : readers) several_readers += count > 1;
        for (const Value& value : graph.values) {
            channels_last += value.dims.size() > 2 && value.strides == packed_strides(value.dims, Layout::NHWC);
            host_scalars += value.kind == ValueKind::HostScalar;
            constants += value.kind == ValueKind::Constant;
        }
    }
    EXPECT_EQ(operations.size(), std::variant_size_v<Op>);
    EXPECT_GT(types.size(), 3 * std::variant_size_v<Op>);
    for (const int count : {several_outputs, several_readers, channels_last, host_scalars, constants})
        EXPECT_GT(count, 10);
}

TEST(RandomGraphShrinker, KeepsTheFailureAndDropsTheRest) {
    const auto has_softmax = [](const RandomGraph& random) {
        const std::vector<Node>& nodes = random.graph.data().nodes;
        return std::any_of(nodes.begin(), nodes.end(),
                           [](const Node& node) { return std::holds_alternative<Softmax>(node.op); });
    };
    uint32_t seed = 0;
    while (!has_softmax(random_graph(seed)) || random_graph(seed).graph.data().nodes.size() < 6) ++seed;
    const RandomGraph small = shrunk(random_graph(seed), has_softmax, 1000);
    EXPECT_EQ(small.graph.data().nodes.size(), 1u);
    EXPECT_TRUE(has_softmax(small));
    EXPECT_TRUE(small.graph.validate().is_ok()) << small.graph.validate().message();
    EXPECT_EQ(small.inputs.size(), small.graph.inputs().size());
}

}  // namespace
}  // namespace tenon::testing
