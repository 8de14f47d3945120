#include "heuristics/grouped_tile.h"

#include <algorithm>
#include <cmath>

namespace tenon::heuristics {
namespace {

int64_t pieces(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }

constexpr int kMostFilterRegisters = 80;

int steps_of(const GroupedProblem& p) { return static_cast<int>(pieces(p.window[0] * p.window[1] * p.channels, 16)); }

/// Pixels of the image that a tile needs.
int64_t staged_pixels(const GroupedProblem& p, const GroupedTile& t) {
    return ((t.rows - 1) * p.stride[0] + (p.window[0] - 1) * p.dilation[0] + 1) *
           ((t.columns - 1) * p.stride[1] + (p.window[1] - 1) * p.dilation[1] + 1);
}

/// Fills shared memory, blocks per multiprocessor and the expected time:
///
///     launch + max(memory, staging and products per multiprocessor, waves of blocks times what a warp does in
///     sequence)
GroupedTile judged(const GroupedProblem& p, GroupedTile t, const Target& target) {
    const int64_t pixel = (pieces(t.groups * p.channels, t.copy) | 1) * t.copy;
    t.shared_bytes = staged_pixels(p, t) * pixel * 2;
    const int64_t by_memory = target.shared_bytes_per_multiprocessor / (t.shared_bytes + 1024);
    t.blocks = static_cast<int>(std::clamp<int64_t>(by_memory, 1, 512 / t.threads));
    const double blocks = static_cast<double>(p.batch * pieces(p.groups, t.groups) * pieces(p.output[0], t.rows) *
                                              pieces(p.output[1], t.columns));
    const double machine = target.multiprocessors;
    const double rounds = static_cast<double>(pieces(static_cast<int64_t>(blocks), static_cast<int64_t>(machine)));
    // Pieces of a pixel shorter than a few sectors leave part of each burst unused.
    const int64_t piece = static_cast<int64_t>(t.groups) * p.channels * 2;
    const double waste = piece < 32 ? 1.8 : piece < 64 ? 1.25 : piece < 128 ? 1.05 : 1.0;
    // Per block: elements that pass through the caches, and loads of the operands of each product.
    const double staged = static_cast<double>(staged_pixels(p, t) * t.groups * p.channels * 2) * waste / 40.0;
    const double tiles = static_cast<double>(pieces(t.rows * t.columns, 16));
    const double units = static_cast<double>(pieces(p.filters, 8 * t.slices) * t.groups);
    const double slices = static_cast<double>(t.slices);
    const double issued = (5.0 * steps_of(p) + steps_of(p) * slices + 20.0 + 12.0 * slices) / 4.0;
    const double filters = 16.0 * steps_of(p) * slices;  // rows of filters lie apart
    const double loads = units * (filters + tiles * (std::max(4.8 * steps_of(p), issued) + 4.0 * slices));
    // One warp after the other product: sums wait for each other, and so do the stages of a tile.
    const double per_warp = std::max(1.0, units / t.share / (t.threads / 32.0));
    const double chain = 1400.0 + tiles * per_warp * (60.0 + 33.0 * steps_of(p) * t.share);
    const double waves = std::ceil(blocks / (machine * t.blocks));
    const double cycles = std::max(rounds * (staged + loads) * (t.blocks > 1 ? 1.0 : 1.6), waves * chain);
    const double memory = waste * p.bytes_moved / target.memory_bytes_per_second;
    t.seconds =
        target.launch_seconds + 0.5e-6 + std::max(memory * (t.blocks > 1 ? 1.1 : 1.5), cycles / target.clock_hz);
    return t;
}

}  // namespace

std::vector<GroupedTile> ranked(const GroupedProblem& p, const Target& target) {
    std::vector<GroupedTile> tiles;
    GroupedTile tile{.copy = p.copy};
    tile.share = p.filters == 2 ? 4 : p.filters == 4 ? 2 : 1;
    while (tile.share > 1 && p.groups % tile.share != 0) tile.share /= 2;
    const int per_slice = 2 * steps_of(p);
    if (per_slice * tile.share > kMostFilterRegisters) return tiles;
    if (tile.share == 1) {
        const int most = static_cast<int>(pieces(p.filters, 8));
        tile.slices = std::min(most, std::max(1, kMostFilterRegisters / per_slice));
    }
    for (const int rows : {1, 2, 4, 7, 8, 14, 16}) {
        for (const int64_t columns :
             {int64_t{4}, int64_t{8}, int64_t{14}, int64_t{16}, int64_t{28}, int64_t{32}, p.output[1]}) {
            for (int groups = tile.share; groups <= std::max<int64_t>(p.groups, tile.share); groups *= 2) {
                if (rows >= 2 * p.output[0] || columns > std::min<int64_t>(64, p.output[1])) continue;
                if (groups * p.channels % p.copy != 0 || groups * p.channels > 256) continue;
                tile.rows = rows;
                tile.columns = static_cast<int>(columns);
                tile.groups = groups;
                for (const int threads : {32, 64, 128, 256}) {
                    tile.threads = threads;
                    const GroupedTile candidate = judged(p, tile, target);
                    const int64_t units = groups / tile.share * pieces(p.filters, 8 * tile.slices);
                    if (candidate.shared_bytes > target.shared_bytes_per_block || units % (threads / 32) != 0) continue;
                    tiles.push_back(candidate);
                }
            }
        }
    }
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const GroupedTile& a, const GroupedTile& b) { return a.seconds < b.seconds; });
    return tiles;
}

std::string to_text(const GroupedTile& tile) {
    return std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " pixels x " +
           std::to_string(tile.groups) + " groups, " + std::to_string(tile.threads) + " threads";
}

}  // namespace tenon::heuristics
