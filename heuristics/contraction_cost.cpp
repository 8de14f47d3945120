#include <algorithm>
#include <cmath>

#include "heuristics/contraction.h"

namespace tenon::heuristics {
namespace {

// Clocks and bytes per clock of one multiprocessor, measured on an H200 and taken for the others too.
constexpr double kL2BytesPerClock = 37.0;  // all multiprocessors reading different lines
constexpr double kEpilogueBytesPerClock = 24.0;
constexpr double kFillClocks = 1600.0;          // first bytes from memory until the first product
constexpr double kEpilogueClocks = 500.0;       // barriers and the way through shared memory
constexpr double kPartsClocks = 1000.0;         // a short kernel beyond its launch
constexpr double kBarrierClocks = 90.0;         // one stage: wait, barrier, first fragments
constexpr double kStepClocks = 36.0;            // one step of 32 bytes of depth, by latency
constexpr double kCopyInstructions = 7.0;       // per chunk that is staged: address, bounds, copy
constexpr double kInstructionsPerClock = 96.0;  // of threads, 4 schedulers not quite full

/// Share of the datasheet's tensor rate that mma.sync reaches.
double matrix_efficiency(const Target& target) { return target.compute_capability >= 90 ? 0.62 : 0.85; }

/// Products and sums per clock of one multiprocessor.
double flops_per_clock(const ContractionProblem& problem, const Target& target) {
    const double clocks = target.clock_hz * target.multiprocessors;
    switch (problem.products) {
        case Products::Matrix:
            return matrix_efficiency(target) *
                   (problem.element_bytes == 1 ? target.i8_ops_per_second : target.f16_flops_per_second) / clocks;
        case Products::MatrixTf32:
            return matrix_efficiency(target) * target.tf32_flops_per_second / clocks;
        case Products::MatrixSplit:
            return 0.85 * matrix_efficiency(target) * target.tf32_flops_per_second / 3.0 / clocks;
        case Products::Scalar:
            return 0.75 * target.f32_flops_per_second / clocks;
    }
    return 1.0;
}

/// Blocks that fit on one multiprocessor.
double resident_blocks(const ContractionProblem& problem, const ContractionTile& tile, const Target& target) {
    const int64_t shared = tile.shared_bytes(problem.element_bytes) + 1024;  // the system keeps 1 KB per block
    const int64_t sums =
        int64_t{tile.warp_rows} * tile.warp_columns / 32 * (problem.products == Products::MatrixSplit ? 2 : 1);
    const int64_t registers = std::min<int64_t>(255, sums + (tile.warp_rows + tile.warp_columns) / 2 + 56);
    const int64_t by_shared = target.shared_bytes_per_multiprocessor / shared;
    const int64_t by_registers = target.registers_per_multiprocessor / (registers * tile.threads());
    return static_cast<double>(std::clamp<int64_t>(std::min(by_shared, by_registers), 1, 2048 / tile.threads()));
}

/// Shared memory is read at 128 bytes per clock. Tensor cores: each warp reads its rows and columns once per step.
/// Multiply- adds: four rows of a warp or eight of its columns per access.
double shared_clocks(const ContractionProblem& problem, const ContractionTile& tile) {
    const double warps = tile.threads() / 32.0 / tile.split;
    const double line = static_cast<double>(tile.depth) * problem.element_bytes;
    if (problem.products == Products::Scalar)
        return warps * line / 16.0 * (tile.warp_rows / 4.0 + tile.warp_columns / 8.0) * 2.0;
    return warps * (tile.warp_rows + tile.warp_columns) * line / 128.0;
}

/// Instructions that bring the tiles of one stage in, in clocks of the whole multiprocessor.
double staging_clocks(const ContractionProblem& problem, const ContractionTile& tile) {
    const double line = static_cast<double>(tile.depth) * problem.element_bytes;
    const double chunks = tile.rows * line / problem.row_chunk_bytes + tile.columns * line / problem.column_chunk_bytes;
    return chunks * kCopyInstructions / kInstructionsPerClock;
}

}  // namespace

ContractionCost predicted(const ContractionProblem& problem, const ContractionTile& tile, const Target& target) {
    const double blocks = static_cast<double>(tile.blocks(problem));
    const double per_multiprocessor = std::ceil(blocks / target.multiprocessors);
    const double together = std::min(resident_blocks(problem, tile, target), per_multiprocessor);
    const double stages_of_depth = std::ceil(std::ceil(static_cast<double>(problem.depth) / tile.depth) / tile.parts);
    const double bytes_of_stage = static_cast<double>(tile.rows + tile.columns) * tile.depth * problem.element_bytes;

    const double product_clocks = 2.0 * tile.rows * tile.columns * tile.depth / flops_per_clock(problem, target);
    const double busy =
        std::max({product_clocks, bytes_of_stage / kL2BytesPerClock,
                  shared_clocks(problem, tile) + bytes_of_stage / 128.0, staging_clocks(problem, tile)});
    // A block alone waits for its barrier and fragments at every stage, and for memory if few stages are in flight;
    // blocks that share a multiprocessor hide each other's waits.
    const double steps = tile.depth * problem.element_bytes / 32.0 / tile.split;
    const double scalar = problem.products == Products::Scalar ? 4.0 : 1.0;
    const double latency = kBarrierClocks + steps * kStepClocks * scalar + 700.0 / (tile.stages - 1) / 2.0;
    const double stage_clocks = std::max(busy, latency / together);

    const double epilogue_bytes =
        problem.epilogue_bytes /
        std::max(1.0, static_cast<double>(problem.batch * problem.rows) * static_cast<double>(problem.columns));
    const double epilogue_clocks = kEpilogueClocks + tile.rows * tile.columns * epilogue_bytes / kEpilogueBytesPerClock;

    ContractionCost cost;
    cost.memory = (problem.operand_bytes + problem.epilogue_bytes) / target.memory_bytes_per_second;
    cost.loop = (kFillClocks + per_multiprocessor * stages_of_depth * stage_clocks) / target.clock_hz;
    cost.epilogue = epilogue_clocks * std::ceil(per_multiprocessor / together) / target.clock_hz;
    if (tile.parts > 1) {
        // Sums are written and read through L2.
        const double points = static_cast<double>(problem.batch * problem.rows) * static_cast<double>(problem.columns);
        const double rate = kL2BytesPerClock * target.multiprocessors * target.clock_hz;
        cost.parts = target.launch_seconds + kPartsClocks / target.clock_hz + 2.0 * points * 4.0 * tile.parts / rate;
    }
    cost.total = target.launch_seconds + std::max(cost.memory, cost.loop + cost.epilogue) + cost.parts;
    return cost;
}

Products best_products(int element_bytes, bool is_float, bool is_bfloat16, bool tf32_allowed, const Target& target) {
    const bool ampere = target.compute_capability >= 80;
    const auto rate_of = [&](Products products) {
        ContractionProblem problem;
        problem.products = products;
        return flops_per_clock(problem, target);
    };
    if (element_bytes == 4 && is_float) {
        if (!ampere) return Products::Scalar;
        if (tf32_allowed && rate_of(Products::MatrixTf32) > rate_of(Products::Scalar)) return Products::MatrixTf32;
        return rate_of(Products::MatrixSplit) > rate_of(Products::Scalar) ? Products::MatrixSplit : Products::Scalar;
    }
    if (element_bytes == 2) return ampere || !is_bfloat16 ? Products::Matrix : Products::Scalar;
    if (element_bytes == 1) return ampere ? Products::Matrix : Products::Scalar;
    return Products::Scalar;
}

}  // namespace tenon::heuristics
