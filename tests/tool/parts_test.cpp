// Parts of the program that can be tested without running it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include <tenon/tenon.h>

#include "frontend/tool/compare.h"
#include "frontend/tool/host_memory.h"
#include "frontend/tool/npy.h"
#include "frontend/tool/progress.h"
#include "frontend/tool/regions.h"

namespace tenon::tool {
namespace {

TEST(Npy, EveryTypeComesBack) {
    for (const DataType type : {DataType::F16, DataType::F32, DataType::F64, DataType::I8, DataType::U8, DataType::I32,
                                DataType::I64, DataType::Bool}) {
        for (const Dims& dims : {Dims{}, Dims{3}, Dims{2, 0}, Dims{2, 3, 1}}) {
            Array array{type, dims, std::vector<std::byte>(static_cast<size_t>(element_count(dims) * bytes_of(type)))};
            for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i * 37 + 1);
            const std::string bytes = npy_of(array);
            EXPECT_EQ((bytes.size() - array.bytes.size()) % 64, 0u);
            const Result<Array> read = array_from_npy(bytes);
            ASSERT_TRUE(read.is_ok()) << read.status().message();
            EXPECT_EQ(read->type, type);
            EXPECT_EQ(read->dims, dims);
            EXPECT_EQ(read->bytes, array.bytes);
        }
    }
}

TEST(Npy, DamagedBytesAreRefused) {
    const std::string bytes = npy_of({DataType::F32, {2, 3}, std::vector<std::byte>(24)});
    for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(array_from_npy(std::string_view(bytes).substr(0, size)).is_ok()) << size;
    std::mt19937 random(5);
    for (int i = 0; i < 5000; ++i) {
        std::string damaged = bytes;
        for (int k = 0; k < 3; ++k) damaged[random() % 80] = static_cast<char>(random());
        const Result<Array> array = array_from_npy(damaged);
        if (!array.is_ok()) continue;
        EXPECT_EQ(static_cast<int64_t>(array->bytes.size()), element_count(array->dims) * bytes_of(array->type));
    }
}

TEST(Compare, KnowsNanInfinityAndScale) {
    EXPECT_TRUE(difference_of({1.0, NAN, INFINITY}, {1.0, NAN, INFINITY}, 0.0).is_within);
    EXPECT_FALSE(difference_of({1.0, 0.0}, {1.0, NAN}, 1.0).is_within);
    EXPECT_FALSE(difference_of({1.0, 5.0}, {1.0, INFINITY}, 1.0).is_within);
    EXPECT_FALSE(difference_of({1.0, -INFINITY}, {1.0, INFINITY}, 1.0).is_within);
    const Difference difference = difference_of({100.0, 0.5}, {100.0, 1.0}, 0.01);
    EXPECT_TRUE(difference.is_within);
    EXPECT_EQ(difference.worst_at, 1);
    EXPECT_DOUBLE_EQ(difference.largest, 0.005);
    EXPECT_FALSE(difference_of({100.0, 0.5}, {100.0, 1.0}, 0.004).is_within);
    EXPECT_FALSE(difference_of({1.0}, {0.0}, 0.5).is_within);
}

TEST(ProgressLine, EstimatesWhatIsLeft) {
    EXPECT_EQ(ProgressLine::text("compile", 0, 8, 1.0), "compile 0/8");
    EXPECT_EQ(ProgressLine::text("compile", 2, 8, 1.0), "compile 2/8  25 %  about 3 s left");
}

TEST(HostMemory, LaysElementsOutInTheirStrides) {
    Graph g;
    const Tensor x = g.input({"x", {1, 2, 2, 1}, DataType::F32, Layout::NHWC});
    g.output(g.relu(x, {.name = "y"}));
    HostMemory memory(g);
    memory.set_values(x, {1, 2, 3, 4});
    float found[4];
    std::memcpy(found, memory.bindings().at(x), sizeof found);
    EXPECT_THAT(found, testing::ElementsAre(1, 3, 2, 4));
    EXPECT_EQ(memory.values(x), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Regions, ARegionAloneIsAGraphThatReadsWhatItReadBefore) {
    Graph g;
    const Tensor x = g.input({"x", {2, 4}});
    const Tensor scaled = g.multiply(x, g.scalar(2.0), {.name = "scaled"});
    const Tensor norm = g.softmax(scaled, {}, {.name = "soft"});
    g.output(g.matmul(norm, g.input({"w", {4, 3}}), {.name = "product"}));
    g.set_fusion(norm, Fusion::Forbidden);
    const Result<Plan> plan = Plan::build(g, *Target::named("h200"));
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    std::vector<NodeId> all;
    const Result<std::vector<RegionNodes>> regions = regions_of(*plan);
    ASSERT_TRUE(regions.is_ok()) << regions.status().message();
    for (const RegionNodes& region : *regions) {
        EXPECT_FALSE(region.kernels.empty());
        all.insert(all.end(), region.nodes.begin(), region.nodes.end());
        const RegionGraph alone = graph_of(g.data(), region.nodes);
        EXPECT_TRUE(alone.graph.validate().is_ok()) << alone.graph.validate().message();
        for (const auto& [tensor, value] : alone.inputs)
            EXPECT_EQ(alone.graph.spec(tensor).dims, g.data().value(value).dims);
        EXPECT_FALSE(alone.outputs.empty());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<NodeId>{0, 1, 2}));
}

}  // namespace
}  // namespace tenon::tool
