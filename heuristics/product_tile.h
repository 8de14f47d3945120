#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/target.h>

namespace tenon::heuristics {

/// A convolution or matrix product on the tensor cores of sm_90a: rows (pixels) x depth times depth x columns
/// (channels).
struct Product {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t depth_blocks = 0;          ///< Of 128 bytes, over all taps of a filter.
    int output_bytes = 2;              ///< Of one element.
    double memory_bytes = 0.0;         ///< Every operand once.
    bool can_stage = true;             ///< The result may leave through shared memory.
    bool has_staged_operand = false;   ///< An operand of the epilogue comes in through the same place.
    bool columns_innermost = false;    ///< The second factor runs along columns in memory: tiles of whole 64 columns.
    int epilogue_lanes = 2;            ///< Widest vector that all operands of the epilogue allow.
};

/// One way of cutting a product.
struct ProductTile {
    int rows = 0;
    int columns = 0;
    int stages = 0;
    int consumers = 0;        ///< Warpgroups that multiply.
    bool pingpong = false;    ///< They take turns on tiles of their own.
    bool persistent = false;  ///< A block walks over many tiles; else one tile for every cluster of `split` blocks.
    int split = 1;
    int lanes = 2;
    bool staged = false;
    int panel_sets = 1;  ///< Places in shared memory for an operand of the epilogue that is fetched ahead.
    int threads = 0;
    int64_t shared_bytes = 0;
    double seconds = 0.0;  ///< Predicted.
};

/// Every tile that fits the target, fastest first by an analytic model: fill, rounds of tiles over the multiprocessors,
/// tensor rate, shared-memory and L2 traffic of a depth block, epilogue, memory. Pure.
std::vector<ProductTile> rank_product_tiles(const Product& product, const Target& target);

/// "128x128, 6 stages, 2 warpgroups, ping-pong".
std::string to_text(const ProductTile& tile);

}  // namespace tenon::heuristics
