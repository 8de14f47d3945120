#include "engine/compatibility.h"

#include <cmath>
#include <cstdlib>

#include "codegen/device/device_library.h"

namespace tenon {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

std::string describe(const Target& target) {
    return target.name + " (compute capability " + number(target.compute_capability) + ", " +
           number(target.multiprocessors) + " multiprocessors)";
}

bool is_same_model(const Target& a, const Target& b) {
    return a.compute_capability == b.compute_capability && a.multiprocessors == b.multiprocessors &&
           std::abs(a.memory_bytes_per_second - b.memory_bytes_per_second) <= 0.01 * a.memory_bytes_per_second;
}

/// Dynamic shared memory of the hungriest kernel.
int64_t shared_bytes(const codegen::Program& program) {
    int64_t most = 0;
    for (const codegen::Step& step : program.steps)
        most = std::max(most, static_cast<int64_t>(step.kernel.launch.shared_bytes));
    return most;
}

/// From compute capability 9.0 on, kernels are written for one generation and run on no other.
bool is_bound_to_one(int compute_capability) { return compute_capability >= 90; }

/// Kernels written for `planned` may be compiled for `device`.
bool takes_source(int planned, int device) {
    if (planned == device) return true;
    return !is_bound_to_one(planned) && planned / 10 == device / 10 && planned <= device;
}

}  // namespace

std::string_view to_string(Fit fit) {
    switch (fit) {
        case Fit::Optimal:
            return "optimal";
        case Fit::Retune:
            return "retune";
        case Fit::Recompile:
            return "recompile";
        case Fit::Replan:
            return "replan";
        case Fit::Refused:
            break;
    }
    return "refused";
}

namespace engine {

std::string binaries_for(const PlanData& plan, int compute_capability) {
    std::string best;
    int best_capability = 0;
    for (const auto& [architecture, kernels] : plan.binaries) {
        if (architecture.compare(0, 3, "sm_") != 0) continue;
        const int capability = std::atoi(architecture.c_str() + 3);
        const bool is_bound = architecture.back() == 'a';
        const bool runs = capability == compute_capability ||
                          (!is_bound && capability / 10 == compute_capability / 10 && capability < compute_capability);
        // Of two for one capability the bound one comes last by name and is the better.
        if (!runs || capability < best_capability) continue;
        best = architecture;
        best_capability = capability;
    }
    return best;
}

Compatibility compatibility(const PlanData& plan, const Target& device) {
    const std::string built = "planned for " + describe(plan.target) + ", the device is " + describe(device);
    const int64_t needed = shared_bytes(plan.program);
    if (needed > device.shared_bytes_per_block)
        return {Fit::Replan, built + ": a kernel needs " + number(needed) + " bytes of shared memory, a block has " +
                                 number(device.shared_bytes_per_block)};
    const std::string binaries = binaries_for(plan, device.compute_capability);
    if (!binaries.empty()) {
        const bool is_optimal =
            is_same_model(plan.target, device) && std::atoi(binaries.c_str() + 3) == device.compute_capability;
        return {is_optimal ? Fit::Optimal : Fit::Retune, built + "; binaries for " + binaries};
    }
    if (!takes_source(plan.target.compute_capability, device.compute_capability)) return {Fit::Replan, built};
    if (plan.device_library != codegen::device_library_hash())
        return {Fit::Replan, built + "; its sources are of tenon " + plan.maker + " with another device library"};
    return {Fit::Recompile, built + "; no binaries for the device"};
}

}  // namespace engine

Compatibility Plan::compatibility(const Target& device) const { return engine::compatibility(*data_, device); }

Compatibility Plan::compatibility_of(std::string_view bytes, const Target& device) {
    const Result<Plan> plan = from_bytes(bytes);
    if (!plan.is_ok()) return {Fit::Refused, plan.status().message()};
    return plan->compatibility(device);
}

}  // namespace tenon
