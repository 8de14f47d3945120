#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenon/plan.h>

#include "codegen/program.h"
#include "engine/compiled_kernel.h"

namespace tenon {

/// What a Plan holds.
struct PlanData {
    Graph graph;
    Target target;
    codegen::Program program;
    PlanOptions options = {};
    /// One binary per step, by architecture; not every plan has any.
    std::map<std::string, std::vector<engine::KernelPtr>> binaries = {};
    std::string maker = {};           ///< Version of the library that planned it.
    std::string device_library = {};  ///< Hash of the device library that its sources were written for.
};

}  // namespace tenon
