#pragma once

#include <cstdint>
#include <string>

#include <tenon/target.h>

namespace tenon::codegen {

/// A RowTile or ColumnTile of <tenon/slices.cuh>.
struct SliceTile {
    bool by_columns = false;
    int lanes = 1;
    int pieces = 1;
    int side_threads = 1;  ///< row_threads of a RowTile, column_threads of a ColumnTile.
    int threads = 128;
    int splits = 1;  ///< Blocks that share a statistic, along the grid's y.

    /// "constexpr RowTile kTile{…};"
    std::string constant() const;
    /// For explain.
    std::string text() const;
    /// Whether one batch holds all `elements` behind a statistic.
    bool holds(int64_t elements) const;
    int64_t blocks(int64_t statistics) const;
    /// Elements of a statistic that all its threads hold at once.
    int64_t batch() const;
    /// Shared memory of `slots` statistics of at most `statistic_bytes` each.
    uint32_t shared_bytes(int slots, int statistic_bytes) const;
};

/// `statistics` of `elements` each, in accesses of `lanes`; an element is held in `held_bytes`. With `again` every
/// element is needed once more, so the threads that share a statistic should hold all of it.
SliceTile choose_row_tile(int64_t statistics, int64_t elements, int lanes, int64_t held_bytes, const Target& target);
SliceTile choose_column_tile(int64_t statistics, int64_t elements, int lanes, int64_t held_bytes, bool again,
                             const Target& target);
/// Blocks that should share each statistic so that the GPU is full; 1 if it is anyway.
int choose_splits(const SliceTile& tile, int64_t statistics, int64_t elements, const Target& target);

}  // namespace tenon::codegen
