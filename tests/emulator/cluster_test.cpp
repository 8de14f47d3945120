// Blocks of a cluster reach each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

/// Two clusters of two blocks with 32 threads; `shared` is 128 bytes of each block.
SmallKernel kernel_of(const std::string& body) {
    return {.body =
                "float* shared = reinterpret_cast<float*>(shared_memory());"
                "const uint32 i = thread_index(), rank = cluster_rank();" +
                body,
            .launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}, .shared_bytes = 136},
            .includes = {"tenon/memory.cuh", "tenon/arch/cluster.cuh"}};
}

const std::string kFill = "store_shared(shared + i, float(100 * rank + i)); cluster_barrier();";

TEST(Cluster, BlocksReadEachOther) {
    const std::vector<float> x(1);
    std::vector<float> y(128, -1.0f);
    const Status status =
        run_small(kernel_of(kFill + "store_element(y + 32 * block_index_x() + i, load_shared(remote_shared(shared, "
                                    "rank ^ 1) + i)); cluster_barrier();"),
                  x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    for (size_t i = 0; i < 128; ++i) EXPECT_EQ(y[i], static_cast<float>((i / 32 % 2 == 0 ? 100 : 0) + i % 32));
}

TEST(Cluster, HasAxes) {
    SmallKernel kernel = kernel_of(
        "if (i == 0) store_element(y + block_index_x() + 4 * block_index_y(), float(rank)); cluster_barrier();");
    kernel.launch.grid = {4, 4, 1};
    kernel.launch.cluster = {2, 2, 1};
    const std::vector<float> x(1);
    std::vector<float> y(16, -1.0f);
    const Status status = run_small(kernel, x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(y, (std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(Cluster, AMissingBarrierIsARace) {
    EXPECT_THAT(fault_of(kernel_of("store_shared(shared + i, 1.0f); block_barrier(); load_shared(remote_shared(shared, "
                                   "rank ^ 1) + i); cluster_barrier();")),
                AnyOf(HasSubstr("race"), HasSubstr("nobody wrote")));
}

TEST(Cluster, ABlockThatEndsEarlyIsFound) {
    EXPECT_THAT(fault_of(kernel_of(kFill + "if (rank == 0) { for (int n = 0; n < 3; ++n) warp_barrier(); "
                                           "load_shared(remote_shared(shared, 1) + i); }")),
                HasSubstr("the shared memory of block 1 of the cluster, which has ended"));
}

TEST(Cluster, BarriersThatNotAllReachAreFound) {
    EXPECT_THAT(fault_of(kernel_of("if (rank == 0) cluster_barrier();")),
                HasSubstr("threads 0-31 wait for the cluster barrier"));
    EXPECT_THAT(fault_of(kernel_of("cluster_wait();")), HasSubstr("without an arrival"));
    EXPECT_THAT(fault_of(kernel_of("cluster_arrive(); cluster_arrive();")), HasSubstr("a second arrival"));
    EXPECT_THAT(fault_of(kernel_of("remote_shared(shared, 2);")), HasSubstr("block 2 of a cluster of 2"));
}

TEST(Cluster, RemoteArrivalsCount) {
    const std::string body =
        "Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared + 32);"
        "if (i == 0) { mbarrier_init(barrier, 32); @ } cluster_barrier();"
        "store_shared(remote_shared(shared, rank ^ 1) + i, float(i)); mbarrier_arrive_remote(barrier, rank ^ 1);"
        "mbarrier_wait_cluster(barrier, 0); load_shared(shared + 31 - i); cluster_barrier();";
    const auto with = [&](const std::string& fence) {
        std::string text = body;
        return fault_of(kernel_of(text.replace(text.find('@'), 1, fence)));
    };
    EXPECT_EQ(with("mbarrier_init_fence();"), "");
    EXPECT_THAT(with(""), HasSubstr("did not call mbarrier_init_fence"));
}

}  // namespace
}  // namespace tenon::engine
