#include <algorithm>
#include <array>

#include "heuristics/contraction.h"

namespace tenon::heuristics {
namespace {

/// Blocks and the warps they are cut into.
struct Cut {
    int rows, columns, warp_rows, warp_columns, split;
};

/// Tensor cores want large warp tiles: a fragment is loaded once per row or column of 16x8 products. The accumulators
/// of a 64x64 warp tile fill half the registers of a thread. Small cuts serve small results, the split ones small
/// results with much depth.
constexpr std::array kMatrixCuts = {
    Cut{256, 128, 64, 64, 1}, Cut{128, 256, 64, 64, 1}, Cut{128, 128, 64, 64, 1}, Cut{128, 128, 64, 32, 1},
    Cut{256, 64, 64, 32, 1},  Cut{64, 256, 32, 64, 1},  Cut{128, 64, 64, 32, 1},  Cut{64, 128, 32, 64, 1},
    Cut{64, 64, 32, 32, 1},   Cut{64, 64, 32, 32, 2},   Cut{128, 32, 32, 32, 1},  Cut{32, 128, 32, 32, 1},
    Cut{64, 32, 32, 16, 1},   Cut{64, 32, 32, 32, 2},   Cut{32, 64, 16, 32, 1},   Cut{32, 64, 32, 32, 2},
    Cut{32, 32, 16, 16, 1},   Cut{32, 32, 32, 32, 4},   Cut{16, 128, 16, 32, 1},  Cut{16, 64, 16, 32, 2},
    Cut{128, 16, 32, 16, 1},  Cut{16, 32, 16, 16, 1},
};

/// Multiply-adds: 8x8 sums per thread where there is enough work.
constexpr std::array kScalarCuts = {
    Cut{128, 128, 32, 64, 1}, Cut{128, 64, 32, 64, 1}, Cut{64, 128, 32, 64, 1}, Cut{64, 64, 32, 32, 1},
    Cut{64, 32, 32, 16, 1},   Cut{32, 32, 16, 16, 1},  Cut{16, 64, 16, 16, 1},  Cut{16, 32, 16, 16, 1},
};

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// The swizzle of shared memory permutes pieces within 128 bytes, so lines are 32, 64 or a multiple of 128 bytes; and a
/// thread keeps its place in the lines of an outer-major tile.
bool line_fits(int elements, int element_bytes, bool outer_major, int threads) {
    if (!outer_major) return true;
    const int bytes = elements * element_bytes;
    return (bytes % 128 == 0 || bytes == 64 || bytes == 32) && threads % (bytes / 16) == 0;
}

bool fits(const ContractionProblem& problem, const ContractionTile& tile, const Target& target) {
    const int element_bytes = problem.element_bytes;
    if (tile.shared_bytes(element_bytes) > target.shared_bytes_per_block) return false;
    if (!line_fits(tile.rows, element_bytes, problem.row_outer_major, tile.threads())) return false;
    if (!line_fits(tile.columns, element_bytes, problem.column_outer_major, tile.threads())) return false;
    // Twice the smallest tile that covers the result, at most: the rest would be idle.
    const bool rows_fit = tile.rows <= 16 || tile.rows < 2 * round_up(problem.rows, 16);
    const bool columns_fit = tile.columns <= 32 || tile.columns < 2 * round_up(problem.columns, 16);
    return rows_fit && columns_fit;
}

}  // namespace

std::string_view to_string(Products products) {
    switch (products) {
        case Products::Matrix:
            return "Matrix";
        case Products::MatrixTf32:
            return "MatrixTf32";
        case Products::MatrixSplit:
            return "MatrixSplit";
        case Products::Scalar:
            return "Scalar";
    }
    return {};
}

double ContractionProblem::flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(depth);
}

int ContractionTile::threads() const { return 32 * split * (rows / warp_rows) * (columns / warp_columns); }

int64_t ContractionTile::shared_bytes(int element_bytes) const {
    const int64_t pipeline = int64_t{stages} * (rows + columns) * depth * element_bytes;
    // The epilogue goes through shared memory 16 rows per warp at a time, in 4-byte sums.
    const int64_t drain = int64_t{threads()} / 32 * 16 * (warp_columns + 8) * 4;
    return std::max(pipeline, drain);
}

int64_t ContractionTile::blocks(const ContractionProblem& problem) const {
    return problem.batch * ((problem.rows + rows - 1) / rows) * ((problem.columns + columns - 1) / columns) * parts;
}

std::string to_text(const ContractionTile& tile) {
    const auto by = [](int a, int b) { return std::to_string(a) + "x" + std::to_string(b); };
    return by(tile.rows, tile.columns) + "x" + std::to_string(tile.depth) + ", " + std::to_string(tile.stages) +
           " stages, " + std::to_string(tile.threads() / 32) + " warps of " + by(tile.warp_rows, tile.warp_columns) +
           (tile.split > 1 ? ", depth shared by " + std::to_string(tile.split) + " warps" : "") +
           (tile.parts > 1 ? ", by " + std::to_string(tile.parts) + " blocks" : "");
}

std::vector<RankedTile> ranked(const ContractionProblem& problem, const Target& target) {
    std::vector<RankedTile> tiles;
    const auto add_with_parts = [&](ContractionTile tile) {
        const int64_t tiles_in_all = tile.blocks(problem);
        const int64_t steps = (problem.depth + tile.depth - 1) / tile.depth;
        for (const int parts : {1, 2, 4, 8, 16}) {
            // Parts pay where multiprocessors would be idle, and while each still has a few steps to fill its pipeline.
            const bool pays = tiles_in_all < 2 * target.multiprocessors && steps >= int64_t{4} * parts;
            if (parts > 1 && !pays) break;
            tile.parts = parts;
            tiles.push_back({tile, predicted(problem, tile, target)});
        }
    };
    const auto consider = [&](const Cut& cut) {
        // Sums of split floats take two registers each.
        if (problem.products == Products::MatrixSplit && cut.warp_rows * cut.warp_columns > 32 * 64) return;
        // Where the model sees no difference the first one stays: enough stages to ride out a slow access.
        for (const int depth_bytes : {64, 128}) {
            for (const int stages : {4, 3, 6, 2}) {
                ContractionTile tile{.rows = cut.rows,
                                     .columns = cut.columns,
                                     .depth = depth_bytes / problem.element_bytes,
                                     .stages = stages,
                                     .warp_rows = cut.warp_rows,
                                     .warp_columns = cut.warp_columns,
                                     .split = cut.split,
                                     .lanes = std::min(problem.lanes, cut.warp_columns)};
                tile.asynchronous = target.compute_capability >= 80;
                if (depth_bytes / 32 % cut.split == 0 && fits(problem, tile, target)) add_with_parts(tile);
            }
        }
    };
    if (problem.products == Products::Scalar) std::for_each(kScalarCuts.begin(), kScalarCuts.end(), consider);
    if (problem.products != Products::Scalar) std::for_each(kMatrixCuts.begin(), kMatrixCuts.end(), consider);
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const RankedTile& a, const RankedTile& b) { return a.cost.total < b.cost.total; });
    return tiles;
}

}  // namespace tenon::heuristics
