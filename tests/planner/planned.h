#pragma once

#include <string>
#include <vector>

#include <tenon/graph.h>
#include <tenon/plan.h>

namespace tenon::testing {

/// What a test asks of a planned graph.
struct Planned {
    std::string failure;  ///< Why it cannot be planned; else empty.
    size_t kernels = 0;
    std::vector<std::string> codes;  ///< Of all notes: why edges were not fused.
    std::string notes;               ///< Their texts, one per line.
    std::vector<std::string> rewrites;
    std::string source;
};

/// Plans for the H200 profile.
Planned planned(const Graph& graph, const PlanOptions& options = {});

}  // namespace tenon::testing
