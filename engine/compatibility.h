#pragma once

#include <string>

#include "engine/plan_data.h"

namespace tenon::engine {

/// The architecture among the plan's binaries that runs on the device: its own, else the newest of the same generation
/// that is not bound to one device ("sm_80" on 8.6). Empty if there is none.
std::string binaries_for(const PlanData& plan, int compute_capability);

Compatibility compatibility(const PlanData& plan, const Target& device);

}  // namespace tenon::engine
