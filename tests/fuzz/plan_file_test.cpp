// Damaged plan files: whatever the bytes, the answer is a plan or a Status.

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <tenon/tenon.h>

#include "engine/bytes.h"
#include "tests/support/sample_graph.h"

namespace tenon::test {
namespace {

constexpr size_t kHeadBytes = 40, kSizeAt = 16, kChecksumAt = 24;

std::string sample_bytes() { return Plan::build(sample_graph(), *Target::named("h200"))->to_bytes(); }

/// Length and checksum as if the body had been written so: the mutations reach what stands behind them.
std::string sealed(std::string bytes) {
    const uint64_t size = bytes.size() - kHeadBytes;
    std::memcpy(bytes.data() + kSizeAt, &size, sizeof(size));
    const std::array<char, 16> hash = engine::hash_of(std::string_view(bytes).substr(kHeadBytes));
    std::memcpy(bytes.data() + kChecksumAt, hash.data(), hash.size());
    return bytes;
}

/// Loads, and if that goes well asks the plan for all it can say. True if it loaded.
bool survives(const std::string& bytes) {
    const Result<Plan> plan = Plan::from_bytes(bytes);
    if (!plan.is_ok()) {
        EXPECT_FALSE(plan.status().message().empty());
        return false;
    }
    EXPECT_FALSE(plan->explain().empty());
    EXPECT_FALSE(plan->explain_json().empty());
    EXPECT_FALSE(plan->explain_dot().empty());
    EXPECT_FALSE(plan->to_bytes().empty());
    (void)plan->compatibility(*Target::named("h200"));
    return true;
}

std::string mutated(std::string bytes, std::mt19937_64& random) {
    const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
    const uint64_t extremes[] = {
        0, 1, 0x7f, 0xff, 0xffff, uint64_t{1} << 31, uint64_t{1} << 40, uint64_t{1} << 62, ~uint64_t{0}};
    for (size_t edits = 1 + below(3); edits > 0; --edits) {
        const size_t at = kHeadBytes + below(bytes.size() - kHeadBytes);
        switch (below(5)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random());
                break;
            case 2:
                std::memcpy(bytes.data() + at, &extremes[below(std::size(extremes))],
                            std::min<size_t>(8, bytes.size() - at));
                break;
            case 3:
                bytes.erase(at, 1 + below(16));
                break;
            default:
                bytes.insert(at, 1 + below(16), static_cast<char>(random()));
        }
        if (bytes.size() <= kHeadBytes) bytes.resize(kHeadBytes + 1);
    }
    return bytes;
}

TEST(PlanFileFuzz, case_56_EveryCutIsRefused) {
    const std::string bytes = sample_bytes();
    ASSERT_TRUE(survives(sealed(bytes)));
    for (size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(Plan::from_bytes(bytes.substr(0, size)).is_ok()) << size;
        if (size > kHeadBytes) EXPECT_FALSE(survives(sealed(bytes.substr(0, size)))) << size;
    }
}

TEST(PlanFileFuzz, case_56_NoMutationCrashes) {
    const std::string bytes = sample_bytes();
    std::mt19937_64 random(20261201);
    int loaded = 0, refused = 0;
    for (int round = 0; round < 6000; ++round) ++(survives(sealed(mutated(bytes, random))) ? loaded : refused);
    // Both ends of the check are reached: much of a plan is text in which a changed letter harms nothing.
    EXPECT_GT(loaded, 100);
    EXPECT_GT(refused, 100);
    EXPECT_TRUE(survives(bytes));
}

TEST(PlanFileFuzz, case_56_AnyBytesAreRefused) {
    const std::string head = sample_bytes().substr(0, kHeadBytes);
    std::mt19937_64 random(7);
    for (int round = 0; round < 500; ++round) {
        std::string bytes = head;
        for (size_t left = random() % 3000 + 1; left > 0; --left) bytes += static_cast<char>(random());
        EXPECT_FALSE(survives(bytes));
        EXPECT_FALSE(survives(sealed(bytes)));
    }
}

}  // namespace
}  // namespace tenon::test
