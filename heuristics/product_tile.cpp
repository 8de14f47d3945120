#include "heuristics/product_tile.h"

#include <algorithm>
#include <cmath>

namespace tenon::heuristics {
namespace {

// Fitted by least squares of log time to 600 measured pairs of layer and tile on an H200; bytes are per clock and
// multiprocessor.
constexpr double kLaunchSeconds = 0.57e-6;  ///< Of a kernel that starts while the one in front still runs.
constexpr double kFillSeconds = 0.39e-6;
constexpr double kMemorySeconds = 1.66e-6;  ///< Launch and latency of a kernel that only moves bytes.
constexpr double kEpilogueSeconds = 0.19e-6;
constexpr double kFetchSeconds = 0.45e-6;  ///< Latency of an operand that is not fetched ahead.
constexpr double kTensorRate = 27.6;       ///< Half the clocks of 64 x 64 x 16 products, per element of a depth block.
constexpr double kSharedRate = 177.0;
constexpr double kRowL2Rate = 43.0;      ///< Rows, which few multiprocessors read at once.
constexpr double kMostRowSharing = 1.2;  ///< … and how much of that sharing their column tiles gain at most.
constexpr double kColumnL2Rate = 69.0;   ///< Columns, which all multiprocessors read at about the same time.
constexpr double kStoreRate = 20.0;
constexpr double kFetchRate = 23.0;
constexpr double kOverlapNorm = 2.4;  ///< Between the sum (1) and the larger (infinity) of memory and compute time.
constexpr double kTwoStagesPenalty = 1.5;
constexpr double kThreeStagesPenalty = 1.15;     ///< Of a tile whose products are over before a stage has come.
constexpr double kGuardClocks = 300.0;           ///< Per pair of columns whose loads a guard keeps apart.
constexpr double kClusterSeconds = 0.64e-6;      ///< Two barriers of a cluster.
constexpr double kExchangeRate = 10.3;           ///< Sums read from other blocks of a cluster.
constexpr double kClusterSlots = 120.0 / 132.0;  ///< Of the multiprocessors, for clusters of 4 and 8.

constexpr int64_t kStageDepthBytes = 128;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Clocks that one depth block of a tile takes, whichever unit is slowest, when `busy` of the multiprocessors run.
double clocks_per_block(const Product& product, const ProductTile& tile, double busy) {
    const double rows = tile.rows, columns = tile.columns;
    const double tensor = rows * columns / kTensorRate;
    const double shared = rows / 64.0 * 4.0 * (2048.0 + 32.0 * columns) / kSharedRate;
    const double sharing =
        std::min<double>(static_cast<double>(ceil_div(product.columns, tile.columns)), kMostRowSharing);
    const double l2 = kStageDepthBytes * (rows / (kRowL2Rate * sharing) + columns / kColumnL2Rate) * (0.5 + 0.5 * busy);
    return std::max({tensor, shared, l2});
}

/// Seconds of one tile behind its main loop.
double epilogue_seconds(const Product& product, const ProductTile& tile, double clock) {
    const double bytes = static_cast<double>(tile.rows) * tile.columns * product.output_bytes;
    double seconds = bytes / kStoreRate / clock + kEpilogueSeconds;
    if (product.has_staged_operand) {
        seconds += bytes / kFetchRate / clock;
        if (tile.persistent && tile.panel_sets == 1) seconds += kFetchSeconds;
    }
    // Without staging a branch around every pair of columns keeps their loads apart.
    const bool guarded = product.rows % tile.rows != 0 || product.columns % tile.columns != 0;
    if (tile.persistent && !tile.staged && guarded)
        seconds += tile.rows * tile.columns / 256.0 / tile.consumers * kGuardClocks / clock;
    return seconds;
}

double predicted_seconds(const Product& product, const ProductTile& tile, const Target& target) {
    const double tiles =
        static_cast<double>(ceil_div(product.rows, tile.rows) * ceil_div(product.columns, tile.columns));
    const double slots = std::floor(target.multiprocessors * (tile.split > 2 ? kClusterSlots : 1.0));
    const double units = tiles * tile.split, rounds = std::ceil(units / slots);
    const double clock = target.clock_hz;
    const double blocks = static_cast<double>(ceil_div(product.depth_blocks, tile.split));
    const double main_loop = blocks * clocks_per_block(product, tile, std::min(1.0, units / slots)) / clock;
    const double epilogue = epilogue_seconds(product, tile, clock);
    double busy = kLaunchSeconds + kFillSeconds;
    if (tile.persistent && tile.pingpong) {
        // One warpgroup stores while the other multiplies; a block's last epilogue is exposed.
        busy += rounds * std::max(main_loop, rounds > 1 ? epilogue / 2.0 : 0.0) + epilogue;
    } else if (tile.persistent) {
        busy += rounds * (main_loop + epilogue);
    } else {
        busy += rounds * (main_loop + epilogue * 1.3);
        if (tile.split > 1)
            busy += kClusterSeconds + static_cast<double>(tile.rows) * tile.columns * 4.0 / kExchangeRate / clock;
    }
    const double memory = product.memory_bytes / target.memory_bytes_per_second + kMemorySeconds;
    const double seconds = std::pow(std::pow(busy, kOverlapNorm) + std::pow(memory, kOverlapNorm), 1.0 / kOverlapNorm);
    const bool two = tile.stages < 3 && blocks > 2,
               three = tile.stages == 3 && blocks > 4 && tile.rows * tile.columns <= 128 * 128;
    return seconds * (two ? kTwoStagesPenalty : three ? kThreeStagesPenalty : 1.0);
}

/// Fills stages, threads and shared memory; false if fewer than two stages fit.
bool fit(ProductTile& tile, const Product& product, const Target& target) {
    const int64_t stage = (tile.rows + tile.columns) * kStageDepthBytes;
    const int64_t panels =
        int64_t{tile.rows} * (tile.pingpong ? 2 : 1) * tile.columns * product.output_bytes * tile.panel_sets;
    const int64_t output = tile.persistent && tile.staged ? panels : 0;
    constexpr int64_t kBarriers = 512;
    const int64_t left = target.shared_bytes_per_block - kBarriers - output;
    const int64_t needed = ceil_div(product.depth_blocks, tile.split);
    constexpr int64_t kMostStages = 12;
    int64_t stages = std::min(left / stage, kMostStages);
    if (!tile.persistent) stages = std::min(stages, needed);
    if (stages < std::min<int64_t>(2, needed)) return false;
    tile.stages = static_cast<int>(stages);
    // Without panels, sums in float take the place of the stages.
    const int64_t sums = tile.persistent ? 0 : (int64_t{tile.rows} * (tile.columns + 8) * 4 + 1023) / 1024 * 1024;
    tile.shared_bytes = std::max(stages * stage, sums) + output + kBarriers;
    tile.threads = tile.consumers * 128 + (tile.consumers > 1 ? 128 : 32);
    return true;
}

bool suits(const ProductTile& tile, const Product& product) {
    if (tile.split > product.depth_blocks) return false;
    // Every block of a cluster must have a share.
    if (ceil_div(product.depth_blocks, tile.split) * (tile.split - 1) >= product.depth_blocks) return false;
    if (product.columns_innermost && tile.columns % 64 != 0) return false;
    const int64_t padded = ceil_div(product.columns, tile.columns) * tile.columns;
    return tile.columns <= 64 || padded * 3 <= product.columns * 4;
}

}  // namespace

std::vector<ProductTile> rank_product_tiles(const Product& product, const Target& target) {
    std::vector<ProductTile> tiles;
    const auto offer = [&](ProductTile tile) {
        if (suits(tile, product) && fit(tile, product, target)) {
            tile.seconds = predicted_seconds(product, tile, target);
            tiles.push_back(tile);
        }
    };
    struct Cut {
        int rows, columns, consumers;
        bool pingpong;
    };
    static constexpr Cut kPersistent[] = {
        {128, 64, 2, false},  {128, 96, 2, false},  {128, 128, 2, false}, {128, 160, 2, false}, {128, 192, 2, false},
        {128, 256, 2, false}, {256, 64, 2, false},  {256, 128, 2, false}, {192, 64, 3, false},  {192, 128, 3, false},
        {192, 192, 3, false}, {64, 64, 2, true},    {64, 128, 2, true},   {64, 160, 2, true},   {64, 192, 2, true},
        {64, 256, 2, true},   {128, 64, 2, true},   {128, 96, 2, true},   {128, 128, 2, true},  {192, 64, 2, true},
        {256, 160, 2, false}, {192, 160, 3, false},
    };
    for (const Cut& cut : kPersistent) {
        ProductTile tile{
            .rows = cut.rows, .columns = cut.columns, .consumers = cut.consumers, .pingpong = cut.pingpong};
        tile.persistent = true;
        tile.staged = product.can_stage && cut.columns * product.output_bytes % 64 == 0;
        offer(tile);
        tile.panel_sets = 2;
        if (tile.staged && product.has_staged_operand) offer(tile);
    }
    static constexpr Cut kParts[] = {{64, 32, 1, false},  {64, 64, 1, false},  {64, 96, 1, false},
                                     {64, 128, 1, false}, {128, 32, 2, false}, {128, 64, 2, false},
                                     {128, 96, 2, false}, {128, 128, 2, false}};
    for (const Cut& cut : kParts) {
        for (const int split : {1, 2, 4, 8}) {
            ProductTile tile{.rows = cut.rows, .columns = cut.columns, .consumers = cut.consumers, .pingpong = false};
            tile.split = split;
            // Enough pieces of rows for all threads.
            tile.lanes = std::min(product.epilogue_lanes, 8);
            while (tile.lanes > 2 && cut.rows / split * (cut.columns / tile.lanes) < cut.consumers * 128)
                tile.lanes /= 2;
            offer(tile);
        }
    }
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const ProductTile& a, const ProductTile& b) { return a.seconds < b.seconds; });
    return tiles;
}

std::string to_text(const ProductTile& tile) {
    std::string text = std::to_string(tile.rows) + "x" + std::to_string(tile.columns) + ", " +
                       std::to_string(tile.stages) + " stages, " + std::to_string(tile.consumers) +
                       (tile.consumers == 1 ? " warpgroup" : " warpgroups");
    if (tile.pingpong) text += ", ping-pong";
    if (tile.persistent) text += ", persistent";
    if (tile.panel_sets > 1) text += ", operand a tile ahead";
    if (tile.split > 1) text += ", depth split " + std::to_string(tile.split);
    return text;
}

}  // namespace tenon::heuristics
