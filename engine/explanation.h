#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan_data.h"

namespace tenon::engine {

/// One kernel of a plan in the numbers that explain shows; the text, JSON and DOT forms print these.
struct KernelFacts {
    const codegen::Step* step = nullptr;
    std::optional<CompileReport::Kernel> compiled;
    double memory_seconds = 0.0;      ///< bytes moved / sustained bandwidth.
    double arithmetic_seconds = 0.0;  ///< flops / the fastest dense rate for the type of the first argument.
    double predicted_seconds = 0.0;
    std::optional<double> measured_seconds;

    double roof_seconds() const { return memory_seconds > arithmetic_seconds ? memory_seconds : arithmetic_seconds; }
    /// The roof's share of a time, 0 to 1; 0 if the time is unknown.
    double share_of(double seconds) const { return seconds > 0.0 ? roof_seconds() / seconds : 0.0; }
};

/// Facts of every kernel in launch order. Without a report the plan's own binaries for its target say what the
/// compiler made.
std::vector<KernelFacts> facts_of(const PlanData& plan, const ExplainOptions& options);

}  // namespace tenon::engine
