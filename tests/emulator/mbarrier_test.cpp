// Barriers in shared memory that count arrivals and bytes, and copies of plain memory that they count.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

const std::vector<std::string> kIncludes{"tenon/memory.cuh", "tenon/arch/tensor_copy.cuh", "tenon/arch/warp.cuh"};

/// One block of 64 threads: floats `shared` (1024 bytes), then mbarriers `full` and `empty`, made by thread 0 for one
/// arrival and for 32.
SmallKernel kernel_of(const std::string& body, const std::string& fence = "mbarrier_init_fence();") {
    return {.body =
                "float* shared = reinterpret_cast<float*>(shared_memory()); const uint32 i = thread_index();"
                "Mbarrier* full = reinterpret_cast<Mbarrier*>(shared + 256); Mbarrier* empty = full + 1;"
                "if (i == 0) { mbarrier_init(full, 1); mbarrier_init(empty, 32);" +
                fence + "} block_barrier();" + body,
            .launch = {.block = {64, 1, 1}, .shared_bytes = 1040},
            .includes = kIncludes};
}

std::string fault_in(const std::string& body, uint64_t seed = 3) { return fault_of(kernel_of(body), seed); }

const std::string kLoad = "if (i == 0) { mbarrier_arrive_expect(full, 256); load_bytes(shared, x, 256, full); }";

TEST(Mbarrier, HandsOverACopy) {
    std::vector<float> x(64), y(64, 0.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const Status status =
        run_small(kernel_of(kLoad + "mbarrier_wait(full, 0); store_element(y + i, load_shared(shared + i));"), x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(y, x);
}

TEST(Mbarrier, BytesMayComeBeforeTheyAreExpected) {
    EXPECT_EQ(
        fault_in("if (i == 0) load_bytes(shared, x, 256, full); block_barrier();"
                 "if (i == 33) mbarrier_arrive_expect(full, 256); mbarrier_wait(full, 0); load_shared(shared + i);"),
        "");
}

/// A ring of one stage: warp 0 produces, warp 1 consumes, over and over.
TEST(Mbarrier, PhasesAlternate) {
    const std::string ring =
        "for (uint32 round = 0; round < 5; ++round) {"
        "    if (i == 0) { mbarrier_wait(empty, round % 2 ^ 1);"
        "        mbarrier_arrive_expect(full, 64); load_bytes(shared, x + 8 * round, 64, full); }"
        "    if (i >= 32) { mbarrier_wait(full, round % 2); sum += load_shared(shared + i % 16); "
        "mbarrier_arrive(empty); }"
        "}";
    std::vector<float> x(64), y(64, 0.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const Status status = run_small(kernel_of("float sum = 0.0f;" + ring + "store_element(y + i, sum);"), x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    for (size_t i = 32; i < 64; ++i) EXPECT_EQ(y[i], 5.0f * static_cast<float>(i % 16) + 80.0f);
}

TEST(Mbarrier, ReadBeforeTheWaitIsFound) {
    EXPECT_THAT(fault_in(kLoad + "block_barrier(); load_shared(shared + i); mbarrier_wait(full, 0);"),
                HasSubstr("on bytes that an asynchronous copy still fills: a wait is missing"));
}

TEST(Mbarrier, WrongParityIsFound) {
    // The producer may pass a fresh barrier only with parity 1.
    EXPECT_THAT(
        fault_in("if (i == 0) mbarrier_wait(empty, 0);"),
        HasSubstr("threads 0 wait for the mbarrier at shared memory + 1032 to end a phase of parity 0 (32 of 32 "
                  "arrivals and 0 bytes are missing)"));
    // A consumer with parity 1 passes at once and finds that nothing has landed.
    EXPECT_THAT(fault_in(kLoad + "block_barrier(); mbarrier_wait(full, 1); load_shared(shared + i);"),
                HasSubstr("a wait is missing"));
}

TEST(Mbarrier, WrongByteCountIsFound) {
    EXPECT_THAT(fault_in("if (i == 0) { mbarrier_arrive_expect(full, 260); load_bytes(shared, x, 256, full); } "
                         "mbarrier_wait(full, 0);"),
                HasSubstr("(0 of 1 arrivals and 4 bytes are missing)"));
}

TEST(Mbarrier, ArrivalsTooManyAreFound) {
    EXPECT_THAT(fault_in("if (i == 0) { mbarrier_arrive_expect(full, 16); mbarrier_arrive(full); }"),
                HasSubstr("an arrival too many at the mbarrier at shared memory + 1024"));
}

TEST(Mbarrier, UseBeforeItIsMadeIsFound) {
    const std::string start = "Mbarrier* late = empty + 0; if (i == 40) mbarrier_arrive(late - 8);";
    EXPECT_THAT(fault_in(start), HasSubstr("nobody"));
    SmallKernel no_barrier = kernel_of("");
    no_barrier.body =
        "Mbarrier* full = reinterpret_cast<Mbarrier*>(shared_memory());"
        "if (thread_index() == 0) mbarrier_init(full, 64); mbarrier_arrive(full);";
    EXPECT_THAT(fault_of(no_barrier), AnyOf(HasSubstr("race"), HasSubstr("nobody wrote")));
}

TEST(Mbarrier, MissingFenceAfterInitIsFound) {
    EXPECT_THAT(fault_of(kernel_of(kLoad, "")), HasSubstr("called neither mbarrier_init_fence nor fence_async_shared"));
    EXPECT_EQ(fault_of(kernel_of(kLoad + "mbarrier_wait(full, 0);", "fence_async_shared();")), "");
}

TEST(Mbarrier, OverwritingWhatIsStillReadIsFound) {
    // The consumer does not say when it has read; the second copy starts too early.
    const std::string body =
        kLoad +
        "if (i >= 32) { mbarrier_wait(full, 0); load_shared(shared + i); }"
        "if (i == 0) { mbarrier_wait(full, 0); mbarrier_arrive_expect(full, 256); load_bytes(shared, x, 256, full); }";
    for (const uint64_t seed : {1, 2, 3, 4})
        EXPECT_THAT(fault_in(body, seed),
                    AnyOf(HasSubstr("race"), HasSubstr("a wait is missing"), HasSubstr("before a copy")))
            << seed;
}

TEST(Mbarrier, ACopyMustLandBeforeTheBlockEnds) {
    EXPECT_THAT(fault_in(kLoad), HasSubstr("a block ends before a copy to its shared memory has landed"));
}

TEST(Mbarrier, CopiesCheckTheirAddresses) {
    EXPECT_THAT(fault_in("if (i == 0) load_bytes(shared + 1, x, 16, full);"),
                HasSubstr("shared memory + 4 is misaligned"));
    EXPECT_THAT(fault_in("if (i == 0) load_bytes(shared, x + 1, 16, full);"), HasSubstr("'x' + 4 bytes is misaligned"));
    EXPECT_THAT(fault_in("if (i == 0) load_bytes(shared, x + 32, 256, full);"),
                HasSubstr("'x' + 128 bytes is outside"));
    EXPECT_THAT(fault_in("if (i == 0) load_bytes(shared, x, 20, full);"), HasSubstr("no multiple of 16"));
}

}  // namespace
}  // namespace tenon::engine
