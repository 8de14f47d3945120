#pragma once

#include "engine/plan_data.h"

namespace tenon::engine {

/// Whether a program that came from outside may be launched on memory of the graph's tensors: every buffer belongs to
/// the graph or lies in workspace or constants, every argument stays inside its buffer, no launch is beyond what any
/// device takes. BadFile, naming the kernel. What the kernels themselves do cannot be checked: a plan file is code.
Status check_program(const codegen::Program& program, const GraphData& graph);

}  // namespace tenon::engine
