#pragma once

#include <cstdint>

#include <tenon/target.h>

namespace tenon::heuristics {

/// A convolution of 64 channels whose filter stays in shared memory while patches of pixels pass by.
struct Halo {
    int64_t images = 0, rows = 0, columns = 0;  ///< Of the output; columns a multiple of 8.
    int64_t taps = 9;
    double memory_bytes = 0.0;  ///< Every operand once.
};

/// Rows of a patch, 8 columns wide: of the widths of products that exist, the one that wastes least of the output.
int halo_patch_rows(int64_t rows);
/// Predicted time with patches of that height.
double halo_seconds(const Halo& halo, int patch_rows, const Target& target);

}  // namespace tenon::heuristics
