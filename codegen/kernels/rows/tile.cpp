#include "codegen/kernels/rows/tile.h"

#include <algorithm>

namespace tenon::codegen {
namespace {

int64_t ceil_divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The smallest power of two not below `value`, between `lowest` and `highest` (powers of two).
int power_of_two(int64_t value, int lowest, int highest) {
    int result = lowest;
    while (result < value && result < highest) result *= 2;
    return result;
}

/// Registers a thread may spend on what it holds: half of what a block of this size leaves it, at most 64.
int64_t held_registers(int threads) { return threads > 512 ? 16 : 32; }

}  // namespace

std::string SliceTile::constant() const {
    return "constexpr " + std::string(by_columns ? "ColumnTile" : "RowTile") +
           " kTile{.lanes = " + std::to_string(lanes) + ", .pieces = " + std::to_string(pieces) +
           (by_columns ? ", .column_threads = " : ", .row_threads = ") + std::to_string(side_threads) +
           ", .threads = " + std::to_string(threads) + (splits > 1 ? ", .splits = " + std::to_string(splits) : "") +
           "};";
}

std::string SliceTile::text() const {
    return std::to_string(threads) + " threads, " + std::to_string(side_threads) +
           (by_columns ? " side by side, each " : " a row, each ") + std::to_string(pieces) + " pieces x " +
           std::to_string(lanes) + " lanes" + (splits > 1 ? ", " + std::to_string(splits) + " splits" : "");
}

int64_t SliceTile::batch() const {
    return by_columns ? int64_t{threads / side_threads} * pieces : int64_t{lanes} * side_threads * pieces;
}

bool SliceTile::holds(int64_t elements) const { return elements <= batch(); }

int64_t SliceTile::blocks(int64_t statistics) const {
    return ceil_divided(statistics, by_columns ? int64_t{lanes} * side_threads : threads / side_threads);
}

uint32_t SliceTile::shared_bytes(int slots, int statistic_bytes) const {
    if (!by_columns) return side_threads > 32 ? static_cast<uint32_t>(slots) * 32 * 24 : 0;
    const int parts = side_threads < 32 ? threads / 32 : threads / side_threads;
    return parts > 1 ? static_cast<uint32_t>(parts * side_threads * lanes * statistic_bytes) : 0;
}

SliceTile choose_row_tile(int64_t statistics, int64_t elements, int lanes, int64_t held_bytes, const Target& target) {
    const int64_t vectors = ceil_divided(elements, lanes);
    SliceTile tile{.by_columns = false, .lanes = lanes};
    // Four vectors a thread keep enough bytes in flight; with few rows more threads a row shorten the way.
    tile.side_threads = power_of_two(ceil_divided(vectors, 4), 1, 1024);
    const int64_t wanted_threads = int64_t{target.multiprocessors} * 1024;
    while (tile.side_threads < 1024 && tile.side_threads < vectors && statistics * tile.side_threads < wanted_threads)
        tile.side_threads *= 2;
    tile.threads = std::max(tile.side_threads, 128);
    const auto most_pieces = [&](int threads) {
        return std::clamp<int64_t>(held_registers(threads) * 4 / (held_bytes * lanes), 1, 8);
    };
    tile.pieces = static_cast<int>(std::min(ceil_divided(vectors, tile.side_threads), most_pieces(tile.threads)));
    while (!tile.holds(elements) && tile.side_threads < 1024) {
        tile.side_threads *= 2;
        tile.threads = std::max(tile.side_threads, 128);
        tile.pieces = static_cast<int>(std::min(ceil_divided(vectors, tile.side_threads), most_pieces(tile.threads)));
    }
    return tile;
}

SliceTile choose_column_tile(int64_t statistics, int64_t elements, int lanes, int64_t held_bytes, bool again,
                             const Target& target) {
    const int64_t vectors = ceil_divided(statistics, lanes);
    SliceTile tile{.by_columns = true, .lanes = lanes, .threads = 256};
    const int64_t most_pieces = std::clamp<int64_t>(32 * 4 / (held_bytes * lanes), 1, 8);
    // Threads that share a column: as many as its elements keep busy; the others lie beside each other.
    int row_threads = power_of_two(ceil_divided(elements, most_pieces), 1, 32);
    const int64_t full = int64_t{target.multiprocessors} * 1024;
    while (!again && row_threads > 1 && vectors * row_threads / 2 >= full) row_threads /= 2;
    tile.side_threads = power_of_two(std::min<int64_t>(vectors, tile.threads / row_threads), 1, tile.threads);
    tile.pieces = static_cast<int>(std::min(ceil_divided(elements, tile.threads / tile.side_threads), most_pieces));
    return tile;
}

int choose_splits(const SliceTile& tile, int64_t statistics, int64_t elements, const Target& target) {
    const int64_t batches = ceil_divided(elements, tile.batch());
    const int64_t wanted = ceil_divided(int64_t{target.multiprocessors} * 2048, tile.blocks(statistics) * tile.threads);
    const int64_t splits =
        std::min({wanted, batches / 4, int64_t{65535}});  // a few batches make a split worth its store
    if (splits <= 1) return 1;
    const int64_t each = ceil_divided(batches, splits);
    return static_cast<int>(ceil_divided(batches, each));  // none is empty
}

}  // namespace tenon::codegen
