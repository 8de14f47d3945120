#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/target.h>

namespace tenon::heuristics {

/// How products are formed; the names are those of the device library.
enum class Products {
    Matrix,       ///< Tensor cores on 2-byte and 1-byte elements.
    MatrixTf32,   ///< Tensor cores on floats rounded to tf32.
    MatrixSplit,  ///< Tensor cores on floats split into two tf32 parts: three products each.
    Scalar,       ///< Multiply-adds of single values.
};
std::string_view to_string(Products products);

/// A convolution or matrix product as rows x columns results, each a sum over depth, `batch` times.
struct ContractionProblem {
    int64_t batch = 1;
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t depth = 0;
    int element_bytes = 2;            ///< Of one element of either operand.
    int row_chunk_bytes = 16;         ///< Bytes of the row operand that one access can move: 1 … 16.
    int column_chunk_bytes = 16;      ///< The same for the column operand.
    bool row_outer_major = false;     ///< Tiles of the row operand have one line per depth index.
    bool column_outer_major = false;  ///< The same for the column operand.
    int lanes = 1;                    ///< Most neighbouring columns the epilogue can take at a time.
    double operand_bytes = 0.0;       ///< Both operands, once.
    double epilogue_bytes = 0.0;      ///< Stores and everything the epilogue loads, once.
    Products products = Products::Matrix;

    double flops() const;
};

/// What one block computes, and with which of its threads; the fields are those of the device library's tile.
struct ContractionTile {
    int rows = 0, columns = 0;            ///< Of the result, per block.
    int depth = 0;                        ///< Per stage, in elements.
    int stages = 0;                       ///< Tiles of both operands in shared memory at a time.
    int warp_rows = 0, warp_columns = 0;  ///< Of the result, per warp.
    int split = 1;                        ///< Warps that share the depth of one warp tile.
    int parts = 1;                        ///< Blocks that share the depth of one tile; a second kernel adds their sums.
    int lanes = 1;                        ///< Neighbouring columns the epilogue takes at a time.
    int band = 8;                         ///< Row tiles that blocks in a row work through.
    bool asynchronous = true;             ///< Copies run beside the program: sm_80 and later.

    int threads() const;
    int64_t shared_bytes(int element_bytes) const;
    int64_t blocks(const ContractionProblem& problem) const;

    friend bool operator==(const ContractionTile&, const ContractionTile&) = default;
};
/// "128x64x32, 4 stages, 4 warps of 64x32": for explain.
std::string to_text(const ContractionTile& tile);

/// Where the time of a tile goes, in seconds, by an analytic model; `total` is what the choice rests on.
struct ContractionCost {
    double memory = 0.0;    ///< Every operand once at the sustained rate of device memory.
    double loop = 0.0;      ///< The busiest multiprocessor's main loops.
    double epilogue = 0.0;  ///< The part of its epilogues that no main loop hides.
    double parts = 0.0;     ///< The kernel that adds the sums of several blocks.
    double total = 0.0;
};
ContractionCost predicted(const ContractionProblem& problem, const ContractionTile& tile, const Target& target);

/// Whether tensor cores (with which products) or multiply-adds are faster. Floats are rounded to tf32 only where the
/// graph allows it; split into two parts they keep their accuracy at a third of the rate.
Products best_products(int element_bytes, bool is_float, bool is_bfloat16, bool tf32_allowed, const Target& target);

struct RankedTile {
    ContractionTile tile;
    ContractionCost cost;
};
/// All tiles that fit the problem and the target, best first; never empty. The order is total, so that the choice never
/// depends on luck.
std::vector<RankedTile> ranked(const ContractionProblem& problem, const Target& target);

}  // namespace tenon::heuristics
