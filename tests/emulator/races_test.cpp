// Races on shared memory: accesses that no barrier orders, whatever order they happened to come in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

/// One block of 96 threads; `shared` points to 1024 bytes as floats, `i` is the thread, `warp` its warp.
std::string fault_in(const std::string& body, uint64_t seed) {
    return fault_of(
        {.body = "float* shared = reinterpret_cast<float*>(shared_memory());"
                 "const uint32 i = thread_index(), warp = warp_index();" +
                 body,
         .launch = {.block = {96, 1, 1}, .shared_bytes = 1024},
         .includes = {"tenon/memory.cuh", "tenon/arch/warp.cuh", "tenon/arch/async_copy.cuh", "tenon/arch/matrix.cuh"}},
        seed);
}

/// Whatever order the seed gives, the fault is the same.
void expect_race(const std::string& body) {
    for (const uint64_t seed : {1, 2, 3, 4})
        EXPECT_THAT(fault_in(body, seed), HasSubstr("is a race: it is not ordered behind a ")) << body;
}

void expect_sound(const std::string& body) {
    for (const uint64_t seed : {1, 2, 3, 4}) EXPECT_EQ(fault_in(body, seed), "") << body;
}

TEST(Races, WritesOfTwoThreads) {
    expect_race("if (i == 3 || i == 70) store_shared(shared, 1.0f);");
    expect_sound("if (i == 3) store_shared(shared, 1.0f); block_barrier(); if (i == 70) store_shared(shared, 1.0f);");
}

TEST(Races, ReadAndWriteOfTwoThreads) {
    expect_race(
        "if (i == 0) store_shared(shared, 0.0f); block_barrier();"
        "if (i == 3) store_shared(shared, 1.0f); if (i == 70) load_shared(shared);");
}

TEST(Races, WriteBehindAReadWithoutABarrier) {
    expect_race(
        "if (i == 0) store_shared(shared, 1.0f); block_barrier(); if (i == 5) load_shared(shared); if (i == 6) "
        "store_shared(shared, 2.0f);");
    expect_sound(
        "if (i == 0) store_shared(shared, 1.0f); block_barrier(); if (i == 5) load_shared(shared); warp_barrier(); if "
        "(i == 6) store_shared(shared, 2.0f);");
}

TEST(Races, NeighbourBytesAreNoRace) {
    expect_sound(
        "uint8* bytes = shared_memory(); store_shared(bytes + i, uint8(1)); block_barrier(); load_shared(bytes + 95 - "
        "i);");
}

TEST(Races, AtomicsDoNotRaceWithEachOther) {
    const std::string start =
        "if (i == 0) store_shared(shared, 0.0f); block_barrier(); atomic_add_shared(shared, 1.0f);";
    expect_sound(start);
    expect_sound(start + "block_barrier(); load_shared(shared);");
    for (const uint64_t seed : {1, 2, 3})
        EXPECT_THAT(fault_in(start + "load_shared(shared);", seed), HasSubstr("race")) << seed;
}

TEST(Races, AWarpBarrierOrdersItsWarpOnly) {
    const std::string write = "if (i % 32 == 0) store_shared(shared + warp, 1.0f); warp_barrier();";
    expect_sound(write + "load_shared(shared + warp);");
    for (const uint64_t seed : {1, 2, 3})
        EXPECT_THAT(fault_in(write + "load_shared(shared + (warp + 1) % 3);", seed),
                    AnyOf(HasSubstr("nobody wrote"), HasSubstr("race")));
}

TEST(Races, ShufflesOrderNothing) {
    for (const uint64_t seed : {1, 2, 3})
        EXPECT_THAT(fault_in("store_shared(shared + i, 1.0f); shuffle(1.0f, 0); load_shared(shared + (i ^ 1));", seed),
                    HasSubstr("race"));
}

TEST(Races, NamedBarriersOrderThoseWhoCame) {
    const std::string hand_over =
        "if (warp == 0) { store_shared(shared + i, 1.0f); named_barrier_arrive(1, 64); }"
        "if (warp == 1) { named_barrier_wait(1, 64); load_shared(shared + i - 32); }";
    expect_sound(hand_over);
    // The warp that arrives without waiting may not go on to overwrite.
    expect_race(hand_over +
                "if (warp == 0) store_shared(shared + i, 2.0f);"
                "if (warp == 1) { named_barrier_arrive(2, 64); } if (warp == 2) { named_barrier_wait(2, 64); }");
    // Nor does a warp that did not come know of anything.
    EXPECT_THAT(fault_in(hand_over + "if (warp == 2) { shuffle(1.0f, 0); load_shared(shared + i - 64); }", 1),
                AnyOf(HasSubstr("nobody wrote"), HasSubstr("race")));
}

TEST(Races, MatrixLoadsCountForTheWarp) {
    const std::string load =
        "store_vector<1>(y + i % 32, one_lane(1.0f));"
        "if (i < 64) { store_shared(reinterpret_cast<Quad*>(shared) + i, Quad{}); } block_barrier();"
        "uint32 m[4]; if (warp == 0) load_matrices<4>(m, shared + 4 * i);";
    expect_sound(load + "block_barrier(); store_shared(shared + i, 1.0f);");
    // One lane speaks for all that were loaded together.
    expect_sound(load + "if (i == 7) named_barrier_arrive(1, 32);");
    expect_race(load + "if (warp == 1) store_shared(shared + i - 32, 1.0f);");
}

TEST(AsyncCopies, LandWhenTheThreadWaits) {
    const std::string start = "if (i < 16) copy_async<16>(shared + 4 * i, x + 4 * i); commit_copies();";
    expect_sound(start + "wait_copies<0>(); block_barrier(); load_shared(shared + i % 64);");
    EXPECT_THAT(fault_in(start + "block_barrier(); load_shared(shared + i % 64);", 1),
                HasSubstr("that an asynchronous copy still fills: a wait is missing"));
    EXPECT_THAT(fault_in(start + "wait_copies<1>(); block_barrier(); load_shared(shared + i % 64);", 1),
                HasSubstr("a wait is missing"));
    expect_race(start +
                "wait_copies<0>(); if (i < 64 && i >= 32) store_shared(shared + i - 32, 1.0f);"
                "else if (i >= 64) shuffle(1.0f, 1);");
}

TEST(AsyncCopies, UncommittedOnesDoNotLand) {
    EXPECT_THAT(fault_in("if (i == 0) { copy_async<4>(shared, x); wait_copies<0>(); load_shared(shared); }", 1),
                HasSubstr("a wait is missing"));
}

TEST(AsyncCopies, MayNotStartWhereOthersStillRead) {
    expect_race(
        "if (i == 0) store_shared(shared, 1.0f); block_barrier();"
        "if (i == 1) load_shared(shared); if (i == 2) { copy_async<4>(shared, x); commit_copies(); wait_copies<0>(); "
        "}");
}

TEST(AsyncCopies, CheckTheirAddresses) {
    EXPECT_THAT(fault_in("copy_async<16>(shared + 1, x);", 1), HasSubstr("shared memory + 4 is misaligned"));
    EXPECT_THAT(fault_in("copy_async<16>(shared, x + 2);", 1), HasSubstr("'x' + 8 bytes is misaligned"));
    EXPECT_THAT(fault_in("copy_async<4>(shared + i, x + 64);", 1), HasSubstr("'x' + 256 bytes is outside of it"));
    expect_sound(
        "copy_async<4>(shared + i, x + 64, false); commit_copies(); wait_copies<0>(); load_shared(shared + i);");
}

TEST(Races, NameWhoIsInConflict) {
    EXPECT_THAT(fault_in("if (i == 3) store_shared(shared, 1.0f); block_barrier(); if (i == 40) load_shared(shared);"
                         "named_barrier_wait(1, 96); if (i == 41) { store_shared(shared, 1.0f); } warp_barrier();"
                         "if (i == 42) load_shared(shared); if (i == 90) { store_shared(shared + 1, 2.0f); }"
                         "if (i == 7) { store_shared(shared + 1, 3.0f); }",
                         1),
                AnyOf(AllOf(HasSubstr("write by thread 90"), HasSubstr("thread 7)")),
                      AllOf(HasSubstr("write by thread 7"), HasSubstr("thread 90)"))));
}

}  // namespace
}  // namespace tenon::engine
