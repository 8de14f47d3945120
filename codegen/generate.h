#pragma once

#include <tenon/graph.h>
#include <tenon/plan.h>
#include <tenon/target.h>

#include "codegen/program.h"

namespace tenon::codegen {

/// Validates, lowers, cuts into regions and writes every kernel. Pure: same input, same bytes.
Result<Program> generate(const Graph& graph, const Target& target, const PlanOptions& options);

}  // namespace tenon::codegen
