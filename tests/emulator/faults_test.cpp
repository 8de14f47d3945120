// Plants each fault the emulator must catch in a kernel of a few lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using testing::HasSubstr;

/// One block of 32 threads.
std::string fault_in(const std::string& body) { return fault_of({.body = body, .launch = {.block = {32, 1, 1}}}); }

/// One block of 64 threads with 256 bytes of shared memory; `shared` points to them as floats, `i` is the thread.
std::string fault_in_shared(const std::string& body) {
    return fault_of(
        {.body = "float* shared = reinterpret_cast<float*>(shared_memory()); const uint32 i = thread_index();" + body,
         .launch = {.block = {64, 1, 1}, .shared_bytes = 256}});
}

TEST(Faults, ASoundKernelHasNone) {
    EXPECT_EQ(fault_in("store_element(y + thread_index(), load_element(x + thread_index()));"), "");
    EXPECT_EQ(
        fault_in_shared(
            "store_shared(shared + i, 1.0f); block_barrier(); store_element(y + i, load_shared(shared + 63 - i));"),
        "");
}

TEST(Faults, AccessOutsideAnArgument) {
    EXPECT_EQ(
        fault_in("if (thread_index() == 5) store_element(y, load_element(x + (1 << 20)));"),
        "small: an access of 4 bytes at 'x' + 4194304 bytes is outside of it, 256 bytes long (block 0, thread 5)");
    EXPECT_THAT(fault_in("if (thread_index() == 5) store_element(y + 64, 1.0f);"),
                HasSubstr("4 bytes at 'y' + 256 bytes is outside of it, 256 bytes long (block 0, thread 5)"));
    EXPECT_THAT(fault_in("store_element(y, load_element(x - 1));"), HasSubstr("'x' + -4 bytes is outside of it"));
}

TEST(Faults, AccessThatStraysIntoAnotherArgument) {
    EXPECT_THAT(
        fault_in(
            "const uint64 mask = (uint64(1) << 48) - 1;"
            "const auto distance = (reinterpret_cast<uint64>(y) & mask) - (reinterpret_cast<uint64>(x) & mask);"
            "store_element(y, load_element(reinterpret_cast<const float*>(reinterpret_cast<uint64>(x) + distance)));"),
        HasSubstr("bytes is outside of it, 256 bytes long"));
}

TEST(Faults, WriteToAnInput) {
    EXPECT_THAT(fault_in("store_element(const_cast<float*>(x), 1.0f);"),
                HasSubstr("'x' + 0 bytes is a write to an input"));
}

TEST(Faults, MisalignedVector) {
    EXPECT_THAT(fault_in("store_vector<4>(y, load_vector<4>(x + 1));"),
                HasSubstr("16 bytes at 'x' + 4 bytes is misaligned"));
    EXPECT_THAT(fault_in_shared("load_shared(reinterpret_cast<const Quad*>(shared + 1));"),
                HasSubstr("16 bytes at shared memory + 4 is misaligned"));
}

TEST(Faults, SharedAndGlobalPointersMixedUp) {
    EXPECT_THAT(fault_in_shared("load_element(shared);"), HasSubstr("shared memory is outside of it"));
    EXPECT_THAT(fault_in_shared("load_shared(x);"),
                HasSubstr("an access to shared memory of 4 bytes goes to 'x' + 0 bytes"));
}

TEST(Faults, AccessOutsideSharedMemory) {
    EXPECT_THAT(
        fault_in_shared("store_shared(shared + i + 1, 1.0f);"),
        HasSubstr("4 bytes at shared memory + 256 is outside the shared memory of the block (block 0, thread 63)"));
    EXPECT_THAT(fault_in_shared("store_shared(shared - 1, 1.0f);"), HasSubstr("shared memory + -4 is outside"));
}

TEST(Faults, ReadOfSharedMemoryThatNobodyWrote) {
    EXPECT_THAT(
        fault_in_shared("if (i < 63) store_shared(shared + i, 1.0f); block_barrier(); load_shared(shared + i);"),
        HasSubstr("4 bytes at shared memory + 252 is a read of shared memory that nobody wrote (block 0, thread 63)"));
}

TEST(Faults, BarrierThatNotAllThreadsReach) {
    EXPECT_EQ(
        fault_in_shared("if (i < 40) block_barrier();"),
        "small: no thread can go on: block 0: threads 40-63 ended; block 0: threads 0-39 wait for the block barrier");
}

TEST(Faults, NamedBarriersThatDisagree) {
    EXPECT_THAT(fault_in_shared("named_barrier_wait(3, i < 32 ? 64 : 32);"), HasSubstr("named barrier 3 is for"));
    EXPECT_THAT(fault_in_shared("named_barrier_wait(3, 48);"), HasSubstr("whole warps meet"));
    EXPECT_THAT(fault_in_shared("named_barrier_wait(16, 64);"), HasSubstr("named barrier 16 is not one of 0..15"));
    EXPECT_THAT(fault_in_shared("if (i < 32) named_barrier_wait(2, 64);"),
                HasSubstr("threads 0-31 wait for named barrier 2"));
}

TEST(Faults, LanesThatPart) {
    EXPECT_THAT(fault_in("if (thread_index() < 7) shuffle(1.0f, 0); else ballot(true);"),
                HasSubstr("the lanes of its warp meet at"));
    EXPECT_THAT(fault_in("if (thread_index() != 7) shuffle(1.0f, 0);"),
                HasSubstr("threads 0-6, 8-31 wait for the other lanes of the warp"));
}

TEST(Faults, WaitForAValueThatNobodyWrites) {
    EXPECT_THAT(fault_of({.body = "while (load_acquire(reinterpret_cast<const uint32*>(x)) != 7) {}",
                          .launch = {.block = {32, 1, 1}},
                          .includes = {"tenon/arch/atomic.cuh"}}),
                HasSubstr("threads 0-31 wait for a value in global memory"));
}

TEST(Faults, LaunchesThatAGpuRefuses) {
    const auto code_of = [](const codegen::LaunchShape& launch) {
        codegen::KernelSource kernel;
        kernel.name = "refused";
        kernel.launch = launch;
        return run_emulated(kernel, {}, {}).code();
    };
    EXPECT_EQ(code_of({.block = {32, 2, 1}}), ErrorCode::Unsupported);
    EXPECT_EQ(code_of({.block = {1056, 1, 1}}), ErrorCode::Unsupported);
    EXPECT_EQ(code_of({.shared_bytes = 232449}), ErrorCode::Unsupported);
    EXPECT_EQ(code_of({.grid = {3, 1, 1}, .cluster = {2, 1, 1}}), ErrorCode::Unsupported);
    EXPECT_EQ(code_of({.grid = {32, 1, 1}, .cluster = {32, 1, 1}}), ErrorCode::Unsupported);
}

TEST(Faults, KernelThatDoesNotCompile) { EXPECT_THAT(fault_in("y[0] = undeclared;"), HasSubstr("undeclared")); }

}  // namespace
}  // namespace tenon::engine
