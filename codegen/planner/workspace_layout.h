#pragma once

#include <cstdint>
#include <vector>

namespace tenon::codegen {

/// A tensor that lives between steps.
struct Lifetime {
    int64_t bytes = 0;
    int first_step = 0;  ///< That writes it.
    int last_step = 0;   ///< That reads it.
};

/// Offsets, multiples of 256 bytes, so that tensors alive in the same step do not overlap; `total` receives the bytes
/// needed.
std::vector<int64_t> lay_out(const std::vector<Lifetime>& tensors, int64_t& total);

}  // namespace tenon::codegen
