#include "heuristics/window_tile.h"

#include <gtest/gtest.h>

namespace tenon::heuristics {
namespace {

/// 3x3 depthwise over 56 x 56 images of 144 channels.
WindowProblem depthwise(int64_t batch) {
    const double elements = 2.0 * static_cast<double>(batch) * 144 * 56 * 56;
    return {.batch = batch,
            .channels = 144,
            .output = {1, 56, 56},
            .window = {1, 3, 3},
            .has_weights = true,
            .most_lanes = 4,
            .bytes_moved = 2.0 * elements};
}

TEST(WindowTile, SpreadsASmallBatchOverTheWholeMachine) {
    const Target target = *Target::named("h200");
    const WindowTile tile = ranked(depthwise(1), target).front();
    const int64_t threads = 144 * 56 * 56 / (tile.lanes * tile.columns * tile.rows);
    EXPECT_GE(threads / tile.threads, target.multiprocessors / 2);
    EXPECT_LT(tile.seconds, 4e-6);
}

TEST(WindowTile, ReusesRowsAndColumnsInALargeBatch) {
    const WindowTile tile = ranked(depthwise(32), *Target::named("h200")).front();
    EXPECT_GE(tile.rows, 4);
    EXPECT_GE(tile.lanes * tile.columns, 8);
    EXPECT_FALSE(tile.rolled);
}

TEST(WindowTile, GoesTapByTapWhereAWindowExceedsTheRegisters) {
    WindowProblem problem = depthwise(1);
    problem.window = {1, 31, 31};
    for (const WindowTile& tile : ranked(problem, *Target::named("h200"))) EXPECT_TRUE(tile.rolled);
}

TEST(WindowTile, FindsATileForEveryExtentAndTarget) {
    for (const std::string& name : Target::names()) {
        for (const int64_t extent : {1, 2, 7, 1000000}) {
            WindowProblem problem = depthwise(1);
            problem.output = {extent, 1, extent};
            problem.most_lanes = 1;
            EXPECT_FALSE(ranked(problem, *Target::named(name)).empty()) << name << ", " << extent;
        }
    }
}

TEST(WindowTile, RanksTheSameEveryTime) {
    const auto text = [] {
        std::string all;
        for (const WindowTile& tile : ranked(depthwise(8), *Target::named("l4")))
            all += to_text(depthwise(8), tile) + "\n";
        return all;
    };
    EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace tenon::heuristics
