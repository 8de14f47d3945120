#include "engine/reference/rows.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace tenon::engine {
namespace {

constexpr double kWorthAThread = 4.0e6;
constexpr unsigned kMostThreads = 16;

}  // namespace

void for_each_row(int64_t count, double operations, const std::function<void(int64_t)>& work) {
    std::atomic<int64_t> next{0};
    const auto take_rows = [&] {
        for (int64_t row = next++; row < count; row = next++) work(row);
    };
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
    const unsigned helpers = operations < kWorthAThread ? 0 : cores - 1;
    std::vector<std::thread> threads;
    try {
        for (unsigned i = 0; i < helpers; ++i) threads.emplace_back(take_rows);
    } catch (const std::system_error&) {
        // The system gives no more threads; this one takes all rows that are left.
    }
    take_rows();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace tenon::engine
