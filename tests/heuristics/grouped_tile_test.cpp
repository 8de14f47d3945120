#include "heuristics/grouped_tile.h"

#include <gtest/gtest.h>

namespace tenon::heuristics {
namespace {

/// 3x3 over 32 groups of 4 channels, 56 x 56 images.
GroupedProblem grouped(int64_t batch) {
    return {.batch = batch,
            .groups = 32,
            .channels = 4,
            .filters = 4,
            .output = {56, 56},
            .window = {3, 3},
            .copy = 4,
            .bytes_moved = 4.0 * static_cast<double>(batch) * 128 * 56 * 56};
}

TEST(GroupedTile, SpreadsASmallBatchOverTheWholeMachine) {
    const Target target = *Target::named("h200");
    const GroupedTile tile = ranked(grouped(1), target).front();
    const int64_t tiles = (56 + tile.rows - 1) / tile.rows * ((56 + tile.columns - 1) / tile.columns);
    EXPECT_GE(tiles * 32 / tile.groups, target.multiprocessors / 2);
}

TEST(GroupedTile, FitsSharedMemoryAndWarpsOnEveryTarget) {
    for (const std::string& name : Target::names()) {
        const Target target = *Target::named(name);
        for (const GroupedTile& tile : ranked(grouped(32), target)) {
            EXPECT_LE(tile.shared_bytes, target.shared_bytes_per_block) << name << ": " << to_text(tile);
            EXPECT_EQ(tile.groups / tile.share % (tile.threads / 32), 0) << name << ": " << to_text(tile);
        }
    }
}

TEST(GroupedTile, RefusesFiltersThatFillTheRegisters) {
    GroupedProblem problem = grouped(1);
    problem.channels = problem.filters = 128;
    EXPECT_TRUE(ranked(problem, *Target::named("h200")).empty());
}

}  // namespace
}  // namespace tenon::heuristics
