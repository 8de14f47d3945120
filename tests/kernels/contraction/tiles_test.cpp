// Every cut of a block into warps, one row and one vector of columns past the tile, against the reference.

#include <algorithm>

#include "tests/kernels/contraction/agreement.h"
#include "tests/support/run.h"

namespace tenon::testing {
namespace {

using heuristics::ContractionProblem;
using heuristics::ContractionTile;
using heuristics::Products;
using heuristics::RankedTile;

struct TileCase {
    ContractionTile tile;
    DataType type;
};
void PrintTo(const TileCase& test, std::ostream* out) { *out << to_text(test.tile); }

/// One tile per cut: of each, the one with three stages of 64 bytes (or what its split needs).
std::vector<TileCase> all_cuts(Products products, DataType type) {
    std::vector<TileCase> cases;
    for (const int64_t extent : {16, 64, 256, 1024}) {
        ContractionProblem problem{1, extent, 1024, 8192};
        problem.element_bytes = static_cast<int>(bytes_of(type));
        problem.products = products;
        problem.lanes = 8;
        for (const int64_t columns : {16, 64, 1024}) {
            problem.columns = columns;
            for (const RankedTile& entry : ranked(problem, test::target_for_kernels("a100"))) {
                const ContractionTile& tile = entry.tile;
                const auto same_cut = [&](const TileCase& other) {
                    return other.tile.rows == tile.rows && other.tile.columns == tile.columns &&
                           other.tile.warp_columns == tile.warp_columns && other.tile.split == tile.split;
                };
                if (tile.stages != 3 || tile.parts != 1 || std::any_of(cases.begin(), cases.end(), same_cut)) continue;
                cases.push_back({tile, type});
            }
        }
    }
    return cases;
}

std::string name_of_tile(const ::testing::TestParamInfo<TileCase>& test) {
    const ContractionTile& tile = test.param.tile;
    const auto by = [](int a, int b) { return std::to_string(a) + "x" + std::to_string(b); };
    return by(tile.rows, tile.columns) + "_warps_of_" + by(tile.warp_rows, tile.warp_columns) + "_split_" +
           std::to_string(tile.split);
}

class ContractionTiles : public ::testing::TestWithParam<TileCase> {};

TEST_P(ContractionTiles, CoverTheResultOnce) {
    const TileCase& test = GetParam();
    const int64_t depth = 72;  // no multiple of a stage
    const ContractionCase product{"", matmul(test.type, {test.tile.rows + 1, depth}, {depth, test.tile.columns + 8}),
                                  depth};
    EXPECT_TRUE(agrees(product, plan_with_tile(product.graph, test::target_for_kernels("a100"), test.tile)));
}

INSTANTIATE_TEST_SUITE_P(Matrix, ContractionTiles, ::testing::ValuesIn(all_cuts(Products::Matrix, DataType::F16)),
                         name_of_tile);

/// Fewer stages, more depth per stage, other lanes and column counts with one tile that has everything.
TEST(ContractionTile, WorksWithEveryNumberOfStagesAndLanes) {
    const Target target = test::target_for_kernels("a100");
    for (const int stages : {2, 4, 6}) {
        ContractionTile tile{.rows = 32, .columns = 64, .depth = stages == 4 ? 64 : 32, .stages = stages};
        tile.warp_rows = tile.warp_columns = 32;
        tile.lanes = stages;  // 2 and 4; 6 stages with 8
        if (stages == 6) tile.lanes = 8;
        const ContractionCase product{"", matmul(DataType::F16, {47, 136}, {136, 80}), 136};
        EXPECT_TRUE(agrees(product, plan_with_tile(product.graph, target, tile))) << to_text(tile);
    }
}

TEST(ContractionTile, BandsCoverEveryTileOnce) {
    ContractionTile tile{.rows = 16, .columns = 32, .depth = 32, .stages = 2, .warp_rows = 16, .warp_columns = 16};
    tile.band = 3;  // 5 row tiles: one band of three, one of two
    const ContractionCase product{"", matmul(DataType::F16, {80, 16}, {16, 95}), 16};
    EXPECT_TRUE(agrees(product, plan_with_tile(product.graph, test::target_for_kernels("a100"), tile)));
}

TEST(ContractionParts, BlocksThatShareDepthGiveTheSameSums) {
    const Target target = test::target_for_kernels("a100");
    ContractionTile tile{.rows = 32, .columns = 32, .depth = 32, .stages = 3, .warp_rows = 16, .warp_columns = 16};
    const std::vector<ContractionCase> cases = {
        {"matmul", matmul(DataType::F16, {33, 264}, {264, 40}), 264},
        {"batches", matmul(DataType::F16, {2, 33, 264}, {2, 264, 36}), 264},
        {"integers", matmul(DataType::I8, {33, 264}, {264, 40}), 264},
        {"groups",
         convolution(DataType::F16, Layout::NHWC, {1, 64, 4, 3}, {24, 32, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 2}),
         288},
        {"groups_of_six_filters",
         convolution(DataType::F16, Layout::NHWC, {1, 64, 4, 3}, {12, 32, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 2}),
         288},
        {"channels_first",
         convolution(DataType::F16, Layout::NCHW, {2, 32, 4, 3}, {20, 32, 3, 3}, {.pad = {1, 1, 1, 1}}), 288},
    };
    for (const ContractionCase& test : cases) {
        const int element_bytes = test.name == "integers" ? 1 : 2;
        tile.depth = 64 / element_bytes;
        tile.parts = element_bytes == 1 ? 4 : 8;  // nine steps: parts of two, and some of none
        const Plan plan = plan_with_tile(test.graph, target, tile);
        EXPECT_EQ(plan.kernel_count(), 2);
        EXPECT_GT(plan.workspace_bytes(), 0);
        EXPECT_TRUE(agrees(test, plan)) << test.name;
    }
}

TEST(ContractionParts, AreTakenWhereMultiprocessorsWouldBeIdle) {
    const Graph graph =
        convolution(DataType::F16, Layout::NHWC, {1, 512, 7, 7}, {512, 512, 3, 3}, {.pad = {1, 1, 1, 1}});
    const Result<Plan> plan = Plan::build(graph, test::target_for_kernels("a100"));
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    EXPECT_EQ(plan->kernel_count(), 2) << plan->explain();
    EXPECT_NE(plan->explain().find("TILES_CONSIDERED"), std::string::npos);
}

}  // namespace
}  // namespace tenon::testing
