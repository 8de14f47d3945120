#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/kernels/family.h"

namespace tenon::codegen {

/// How the direct family writes an anchor down.
struct AnchorText {
    std::string function;            ///< Of <tenon/direct.cuh>: conv, reduce, pool…
    std::string shape;               ///< `constexpr ConvShape kAnchor{…};`
    std::vector<std::string> roles;  ///< Of the inputs.
    double flops = 0.0;
};

/// Empty for operations without an anchor form.
std::optional<AnchorText> anchor_text(const Region& region, const GraphData& graph);

}  // namespace tenon::codegen
