#pragma once

#include <vector>

#include "codegen/kernels/family.h"
#include "codegen/program.h"

namespace tenon::codegen {

/// Appends the steps of all emissions to the program, in order. What their arguments refer to (a value of the planned
/// graph, scratch memory) becomes a buffer; inner tensors and scratch get places in the workspace that do not overlap
/// while they live.
void place_buffers(const GraphData& graph, std::vector<Emission> emissions, Program& program);

}  // namespace tenon::codegen
