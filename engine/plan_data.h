#pragma once

#include <tenon/plan.h>

#include "codegen/program.h"

namespace tenon {

/// What a Plan holds.
struct PlanData {
    Graph graph;
    Target target;
    codegen::Program program;
};

}  // namespace tenon
