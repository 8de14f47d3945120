#include "engine/kernel_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tenon::engine {
namespace {

KernelPtr kernel(const std::string& image) { return std::make_shared<const CompiledKernel>(CompiledKernel{image}); }

TEST(KernelCache, MakesAKernelOnceForAllThreadsThatAsk) {
    KernelCache cache(8);
    std::atomic<int> made = 0, right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            const Result<KernelPtr> found = cache.get("key", [&]() -> Result<KernelPtr> {
                ++made;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                return kernel("image");
            });
            right += found.is_ok() && (*found)->image == "image" ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(right, 8);
}

TEST(KernelCache, AFailureIsReportedAndNotRemembered) {
    KernelCache cache(8);
    const Status failed =
        cache.get("key", []() -> Result<KernelPtr> { return Status(ErrorCode::CompileFailed, "no"); }).status();
    EXPECT_EQ(failed.code(), ErrorCode::CompileFailed);
    EXPECT_EQ(cache.size(), 0u);
    EXPECT_TRUE(cache.get("key", []() -> Result<KernelPtr> { return kernel("image"); }).is_ok());
}

TEST(KernelCache, KeepsTheKernelsUsedLast) {
    KernelCache cache(2);
    int made = 0;
    const auto get = [&](const std::string& key) {
        return *cache.get(key, [&]() -> Result<KernelPtr> {
            ++made;
            return kernel(key);
        });
    };
    const KernelPtr held = get("a");
    get("b");
    get("a");
    get("c");  // b goes
    EXPECT_EQ(cache.size(), 2u);
    EXPECT_EQ(made, 3);
    get("a");
    EXPECT_EQ(made, 3);
    get("b");  // c goes
    get("c");  // a goes, but whoever holds it has it still
    EXPECT_EQ(made, 5);
    EXPECT_EQ(held->image, "a");
}

}  // namespace
}  // namespace tenon::engine
