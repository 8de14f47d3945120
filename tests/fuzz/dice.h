#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tenon::testing {

/// Random choices that are the same on every machine.
class Dice {
  public:
    explicit Dice(uint32_t seed) : generator_(seed) {}

    /// In [0, count).
    int64_t below(int64_t count) { return static_cast<int64_t>(generator_() % static_cast<uint32_t>(count)); }
    /// In [lowest, highest].
    int64_t between(int64_t lowest, int64_t highest) { return lowest + below(highest - lowest + 1); }
    /// True in `percent` of 100 throws.
    bool chance(int64_t percent) { return below(100) < percent; }
    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
    }

  private:
    std::mt19937 generator_;
};

}  // namespace tenon::testing
