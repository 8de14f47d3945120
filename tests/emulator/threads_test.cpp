// Threads of a block: order, barriers, exchange.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using Integers = std::vector<int32_t>;

/// Runs over one block and returns y, which starts as zeros.
Integers run_integers(const std::string& body, const codegen::LaunchShape& launch, size_t count, uint64_t seed = 3) {
    Integers x(64), y(count, 0);
    std::iota(x.begin(), x.end(), 0);
    const Status status = run_small({.body = "const uint32 i = thread_index();" + body,
                                     .launch = launch,
                                     .includes = {"tenon/memory.cuh", "tenon/arch/warp.cuh", "tenon/arch/atomic.cuh"},
                                     .element = "int32"},
                                    x, y, seed);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return y;
}

Integers run_warp(const std::string& body) { return run_integers(body, {.block = {32, 1, 1}}, 32); }

TEST(Threads, BlocksHaveThreeIndices) {
    const Integers y = run_integers(
        "if (i == 0) store_element(y + block_index_x() + 3 * (block_index_y() + 2 * block_index_z()),"
        "int32(100 * block_index_z() + 10 * block_index_y() + block_index_x() + 1000 * block_count_x()));",
        {.grid = {3, 2, 2}, .block = {32, 1, 1}}, 12);
    EXPECT_EQ(y, (Integers{3000, 3001, 3002, 3010, 3011, 3012, 3100, 3101, 3102, 3110, 3111, 3112}));
}

TEST(Threads, OrderIsShuffledByTheSeed) {
    const std::string body = "store_element(y + atomic_add(y + 64, 1), int32(i));";
    const codegen::LaunchShape launch{.block = {64, 1, 1}};
    const Integers first = run_integers(body, launch, 65, 1), again = run_integers(body, launch, 65, 1),
                   other = run_integers(body, launch, 65, 2);
    EXPECT_EQ(first, again);
    EXPECT_NE(first, other);
    EXPECT_FALSE(std::is_sorted(first.begin(), first.end() - 1));
    EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), other.begin()));
}

TEST(Threads, BlocksOfAllKindsStart) {
    for (const uint32_t count : {1u, 2u, 7u, 64u, 1000u}) {
        const Integers y = run_integers("if (i == 0) atomic_add(y + block_index_x(), 1);",
                                        {.grid = {count, 1, 1}, .block = {32, 1, 1}}, count);
        EXPECT_EQ(y, Integers(count, 1));
    }
}

TEST(Threads, ABlockMayWaitForAnother) {
    const Integers y = run_integers(
        "uint32* turn = reinterpret_cast<uint32*>(y + 8);"
        "if (i == 0) { while (load_acquire(turn) != block_index_x()) {} }"
        "block_barrier();"
        "if (i == 0) { store_element(y + block_index_x(), int32(load_acquire(turn))); fence_gpu(); store_release(turn, "
        "block_index_x() + 1); }",
        {.grid = {8, 1, 1}, .block = {64, 1, 1}}, 9);
    EXPECT_EQ(y, (Integers{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Threads, BarriersOrderManyRounds) {
    const Integers y = run_integers(
        "int32* shared = reinterpret_cast<int32*>(shared_memory());"
        "int32 value = i;"
        "for (int round = 0; round < 50; ++round) {"
        "    store_shared(shared + i, value); block_barrier();"
        "    value = load_shared(shared + (i + 1) % 96); block_barrier();"
        "}"
        "store_element(y + i, value);",
        {.block = {96, 1, 1}, .shared_bytes = 384}, 96);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], (i + 50) % 96);
}

// Warp 0 fills a slot, warps 1 and 2 empty it; two barriers hand it over.
TEST(Threads, NamedBarriersHandOver) {
    const Integers y = run_integers(
        "int32* shared = reinterpret_cast<int32*>(shared_memory());"
        "int32 sum = 0;"
        "for (int round = 0; round < 5; ++round) {"
        "    if (i < 32) {"
        "        if (round > 0) named_barrier_wait(2, 96);"
        "        store_shared(shared + i, int32(i) + round); named_barrier_arrive(1, 96);"
        "    } else {"
        "        named_barrier_wait(1, 96); sum += load_shared(shared + i % 32);"
        "        if (round < 4) named_barrier_arrive(2, 96);"
        "    }"
        "}"
        "store_element(y + i, sum);",
        {.block = {96, 1, 1}, .shared_bytes = 128}, 96);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], i < 32 ? 0 : 5 * (i % 32) + 10);
}

TEST(Threads, SharedAtomicsAddUp) {
    const Integers y = run_integers(
        "int32* shared = reinterpret_cast<int32*>(shared_memory());"
        "if (i == 0) store_shared(shared, 5);"
        "block_barrier(); atomic_add_shared(shared, int32(i)); block_barrier();"
        "if (i == 0) store_element(y, load_shared(shared));",
        {.block = {64, 1, 1}, .shared_bytes = 4}, 1);
    EXPECT_EQ(y[0], 5 + 63 * 64 / 2);
}

TEST(Warp, ShufflesMoveValues) {
    const Integers from_5 = run_warp("store_element(y + i, shuffle(int32(i) * 3, 5));");
    const Integers with_4 = run_warp("store_element(y + i, shuffle_xor(int32(i), 4));");
    const Integers down = run_warp("store_element(y + i, shuffle_down(int32(i), 3));");
    const Integers up = run_warp("store_element(y + i, shuffle_up(int32(i), 3));");
    const Integers wide = run_warp("store_element(y + i, int32(shuffle(int64(i) << 32, int(i) + 1) >> 32));");
    for (int i = 0; i < 32; ++i) {
        const auto lane = static_cast<size_t>(i);
        EXPECT_EQ(from_5[lane], 15);
        EXPECT_EQ(with_4[lane], i ^ 4);
        EXPECT_EQ(down[lane], i + 3 < 32 ? i + 3 : i);
        EXPECT_EQ(up[lane], i >= 3 ? i - 3 : i);
        EXPECT_EQ(wide[lane], (i + 1) % 32);
    }
}

TEST(Warp, ReducesByTrees) {
    const Integers y = run_warp(
        "int32 sum = i; for (int mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);"
        "store_element(y + i, sum);");
    EXPECT_EQ(y, Integers(32, 31 * 32 / 2));
}

TEST(Warp, Votes) {
    EXPECT_EQ(run_warp("store_element(y + i, int32(ballot(i % 3 == 0)));"), Integers(32, 0x49249249));
    EXPECT_EQ(run_warp("store_element(y + i, any_lane(i == 31) + 2 * any_lane(i == 32) + 4 * all_lanes(i < 32) + 8 * "
                       "all_lanes(i < 31));"),
              Integers(32, 5));
    const Integers elected = run_warp("store_element(y + i, int32(elect_lane()));");
    EXPECT_EQ(std::accumulate(elected.begin(), elected.end(), 0), 1);
}

}  // namespace
}  // namespace tenon::engine
