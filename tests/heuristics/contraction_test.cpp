#include "heuristics/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::heuristics {
namespace {

Target target_named(const char* name) { return *Target::named(name); }

ContractionProblem problem(int64_t rows, int64_t columns, int64_t depth, Products products = Products::Matrix) {
    ContractionProblem result{1, rows, columns, depth};
    result.products = products;
    result.element_bytes = products == Products::Matrix ? 2 : 4;
    result.lanes = 8;
    const double bytes = result.element_bytes;
    result.operand_bytes = bytes * static_cast<double>((rows + columns) * depth);
    result.epilogue_bytes = bytes * static_cast<double>(rows * columns);
    return result;
}

TEST(ContractionTiles, EveryProblemHasTilesOnEveryTarget) {
    for (const std::string& name : Target::names()) {
        for (const Products products : {Products::Matrix, Products::MatrixTf32, Products::Scalar}) {
            for (const int64_t extent : {1, 2, 15, 16, 17, 63, 1000, 100000}) {
                EXPECT_FALSE(ranked(problem(extent, 1, 1, products), target_named(name.c_str())).empty()) << extent;
                EXPECT_FALSE(ranked(problem(1, extent, 9, products), target_named(name.c_str())).empty()) << extent;
            }
        }
    }
}

TEST(ContractionTiles, OuterMajorOperandsHaveTilesToo) {
    ContractionProblem turned = problem(1000, 7, 30);
    turned.row_outer_major = turned.column_outer_major = true;
    for (const RankedTile& ranked_tile : ranked(turned, target_named("h200"))) {
        const int line = ranked_tile.tile.columns * 2;
        EXPECT_TRUE(line % 128 == 0 || line == 64 || line == 32) << to_text(ranked_tile.tile);
        EXPECT_EQ(ranked_tile.tile.threads() % (line / 16), 0) << to_text(ranked_tile.tile);
    }
}

TEST(ContractionTiles, AreMadeOfWholeWarpsAndFitIntoSharedMemory) {
    const Target target = target_named("l4");
    for (const RankedTile& entry : ranked(problem(4096, 4096, 512), target)) {
        const ContractionTile& tile = entry.tile;
        EXPECT_EQ(tile.rows % tile.warp_rows, 0);
        EXPECT_EQ(tile.columns % tile.warp_columns, 0);
        EXPECT_LE(tile.threads(), 1024);
        EXPECT_LE(tile.shared_bytes(2), target.shared_bytes_per_block) << to_text(tile);
    }
}

TEST(ContractionTiles, OrderIsByCostAndTheSameEveryTime) {
    const std::vector<RankedTile> first = ranked(problem(3136, 256, 2304), target_named("h200"));
    const std::vector<RankedTile> second = ranked(problem(3136, 256, 2304), target_named("h200"));
    ASSERT_EQ(first.size(), second.size());
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].tile, second[i].tile);
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end(),
                               [](const RankedTile& a, const RankedTile& b) { return a.cost.total < b.cost.total; }));
}

TEST(ContractionTiles, LargeProblemsGetLargeTilesAndSmallOnesSmallTiles) {
    const ContractionTile large = ranked(problem(8192, 8192, 4096), target_named("h200")).front().tile;
    EXPECT_GE(large.rows * large.columns, 128 * 128) << to_text(large);
    const ContractionTile small = ranked(problem(49, 512, 4608), target_named("h200")).front().tile;
    EXPECT_LE(small.rows * small.columns, 64 * 64) << to_text(small);
}

TEST(ContractionTiles, DeepProblemsWithFewTilesAreCutIntoParts) {
    const Target target = target_named("a100");
    const ContractionTile deep = ranked(problem(49, 512, 4608), target).front().tile;
    EXPECT_GT(deep.parts, 1) << to_text(deep);
    for (const RankedTile& entry : ranked(problem(4096, 4096, 64), target)) EXPECT_EQ(entry.tile.parts, 1);
    for (const RankedTile& entry : ranked(problem(49, 512, 576), target)) {
        const int64_t steps = (576 + entry.tile.depth - 1) / entry.tile.depth;
        EXPECT_TRUE(entry.tile.parts == 1 || steps >= 4 * entry.tile.parts) << to_text(entry.tile);
    }
}

TEST(ContractionCost, GrowsWithDepthAndNeverBeatsMemory) {
    const Target target = target_named("a100");
    const ContractionProblem shallow = problem(4096, 1024, 256), deep = problem(4096, 1024, 2048);
    for (const RankedTile& entry : ranked(shallow, target)) {
        EXPECT_LT(entry.cost.total, predicted(deep, entry.tile, target).total) << to_text(entry.tile);
        EXPECT_GE(entry.cost.total, entry.cost.memory);
    }
}

TEST(ContractionCost, NarrowChunksCostInstructions) {
    const ContractionProblem wide = problem(100000, 64, 147);
    ContractionProblem narrow = wide;
    narrow.row_chunk_bytes = 2;
    const ContractionTile tile = ranked(wide, target_named("h200")).front().tile;
    EXPECT_GT(predicted(narrow, tile, target_named("h200")).loop, predicted(wide, tile, target_named("h200")).loop);
}

TEST(ContractionProducts, FollowTypePermissionAndTarget) {
    const Target hopper = target_named("h200"), turing = target_named("t4");
    EXPECT_EQ(best_products(2, true, false, false, turing), Products::Matrix);
    EXPECT_EQ(best_products(2, true, true, false, turing), Products::Scalar) << "no bfloat16 before sm_80";
    EXPECT_EQ(best_products(4, true, false, true, hopper), Products::MatrixTf32);
    EXPECT_EQ(best_products(4, true, false, false, hopper), Products::MatrixSplit) << "tf32 needs permission";
    EXPECT_EQ(best_products(4, true, false, false, target_named("rtx4090")), Products::Scalar) << "slow tf32 there";
    EXPECT_EQ(best_products(4, true, false, true, turing), Products::Scalar);
    EXPECT_EQ(best_products(1, false, false, false, hopper), Products::Matrix);
}

}  // namespace
}  // namespace tenon::heuristics
