#include <gtest/gtest.h>

#include <tenon/plan.h>

#include "tests/bench/region_list.h"

namespace tenon::bench {
namespace {

/// What cannot be planned cannot be timed; and what is counted is at least what the graph's own tensors hold.
TEST(BenchRegions, ArePlannedForEveryTarget) {
    for (const BenchRegion& region : bench_regions()) {
        const Graph graph = region.graph(region.type);
        for (const std::string& target : Target::names()) {
            const Result<Plan> plan = Plan::build(graph, *Target::named(target));
            ASSERT_TRUE(plan.is_ok()) << region.name << " for " << target << ": " << plan.status().message();
        }
        EXPECT_EQ(find_bench_region(region.name), &region);
        const TensorSpec x = graph.spec(graph.inputs().front());
        EXPECT_GE(region.bytes, static_cast<double>(element_count(x.dims) * bytes_of(x.type))) << region.name;
    }
    EXPECT_EQ(find_bench_region("nothing"), nullptr);
}

/// One pass: nothing of these is read twice, so their rate can reach that of a copy.
TEST(BenchRegions, ReadRowsOnce) {
    for (const char* name :
         {"layer_norm.8192x4096", "layer_norm.65536x768", "add_rms_norm.32x8192", "softmax.8192x4096"}) {
        const BenchRegion& region = *find_bench_region(name);
        const std::string explained = Plan::build(region.graph(region.type), *Target::named("h200"))->explain();
        EXPECT_NE(explained.find("read once"), std::string::npos) << explained;
    }
}

}  // namespace
}  // namespace tenon::bench
