#pragma once

#include <cstdint>

namespace tenon::engine {

/// Numbers that a seed decides (splitmix64).
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    /// Below `count`.
    uint32_t below(uint32_t count) {
        state_ += 0x9e3779b97f4a7c15;
        uint64_t bits = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        return static_cast<uint32_t>(((bits >> 32) * count) >> 32);
    }

  private:
    uint64_t state_;
};

}  // namespace tenon::engine
