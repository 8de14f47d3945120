#pragma once

#include "codegen/kernels/contraction/view.h"
#include "codegen/source/body_text.h"
#include "heuristics/contraction.h"

namespace tenon::codegen {

/// How an input of the anchor is written down.
struct ContractionInput {
    InputPlace place;
    std::string constant;      ///< Of its TileOperand: kX.
    std::string argument;      ///< A pointer, or what computes elements from pointers.
    std::string formula;       ///< In role names.
    std::string declarations;  ///< File-scope constants of a computed input, each line after a break.
    std::string statements;    ///< In front of the loop.
};

/// All that the pages of a contraction are written from.
struct ContractionPlan {
    Region region;  ///< With roles.
    std::string anchor;
    std::vector<ContractionInput> inputs;
    ContractionView view;
    std::vector<Access> accesses;
    Domain domain;  ///< Of the epilogue.
    heuristics::Products products = heuristics::Products::Matrix;
    heuristics::ContractionTile tile;

    /// Float, or I32 for integers.
    DataType sum_type() const;
    int64_t points() const { return view.batch * view.rows * view.columns; }
    /// "conv(x, w)".
    std::string formula() const;
};

/// Everything but the tile, for a region that is_contraction took.
ContractionPlan plan_contraction(const Region& region, const EmitContext& context);

/// The kernel that does everything, for tiles whose depth is not shared by several blocks.
Result<Step> whole_step(const ContractionPlan& plan, const EmitContext& context);
/// The kernel that writes each block's sums to scratch memory 0, and the one that adds them and runs the epilogue.
Result<Step> parts_step(const ContractionPlan& plan, const EmitContext& context);
Result<Step> sum_step(const ContractionPlan& plan, const EmitContext& context);

}  // namespace tenon::codegen
