#include "heuristics/halo.h"

#include <algorithm>
#include <cmath>

namespace tenon::heuristics {

int halo_patch_rows(int64_t rows) {
    int best = 0;
    int64_t best_covered = INT64_MAX;
    for (const int patch : {32, 28, 24, 16, 12, 8}) {
        const int64_t covered = (rows + patch - 1) / patch * patch;
        if (covered < best_covered) {
            best = patch;
            best_covered = covered;
        }
    }
    return best;
}

double halo_seconds(const Halo& halo, int patch_rows, const Target& target) {
    // Launch and fill; the last patch's epilogue is exposed. Rates as measured on an H200.
    constexpr double kStartSeconds = 2.0e-6, kEpilogueSeconds = 1.0e-6, kEfficiency = 0.88;
    const double patches =
        static_cast<double>(halo.images * ((halo.rows + patch_rows - 1) / patch_rows) * (halo.columns / 8));
    const double clocks = static_cast<double>(halo.taps) * 4.0 * patch_rows * 8.0 / 2.0 / kEfficiency;
    const double busy = std::ceil(patches / target.multiprocessors) * clocks / target.clock_hz;
    const double memory = halo.memory_bytes / target.memory_bytes_per_second;
    return kStartSeconds + std::max(busy, memory) + kEpilogueSeconds;
}

}  // namespace tenon::heuristics
