#include <tenon/target.h>

#include <algorithm>
#include <array>

namespace tenon {
namespace {

/// Rates of h200 were measured (copies and matrix products on random data); the others are their makers' figures.
const std::array<Target, 7>& profiles() {
    static const std::array<Target, 7> kProfiles = {
        Target{"h200", 90, true, 132, 232448, 233472, 65536, 50ll << 20, 4.25e12, 1.6e9, 790e12, 395e12, 1580e12, 60e12,
               2.0e-6},
        Target{"h100", 90, false, 132, 232448, 233472, 65536, 50ll << 20, 3.35e12, 1.7e9, 989e12, 494e12, 1979e12,
               67e12, 2.0e-6},
        Target{"a100", 80, false, 108, 166912, 167936, 65536, 40ll << 20, 2.04e12, 1.41e9, 312e12, 156e12, 624e12,
               19.5e12, 2.0e-6},
        Target{"l4", 89, false, 58, 101376, 102400, 65536, 48ll << 20, 0.30e12, 2.04e9, 121e12, 60e12, 242e12, 30e12,
               2.0e-6},
        Target{"rtx4090", 89, false, 128, 101376, 102400, 65536, 72ll << 20, 1.008e12, 2.52e9, 165e12, 82e12, 330e12,
               82e12, 2.0e-6},
        Target{"b200", 100, false, 148, 232448, 233472, 65536, 126ll << 20, 8.0e12, 1.8e9, 2250e12, 1125e12, 4500e12,
               80e12, 2.0e-6},
        Target{"t4", 75, false, 40, 65536, 65536, 65536, 4ll << 20, 0.32e12, 1.59e9, 65e12, 0.0, 130e12, 8.1e12,
               2.5e-6},
    };
    return kProfiles;
}

}  // namespace

std::string Target::architecture() const {
    return "sm_" + std::to_string(compute_capability) + (compute_capability >= 90 ? "a" : "");
}

Result<Target> Target::named(std::string_view name) {
    std::string known;
    for (const Target& target : profiles()) {
        if (target.name == name) return target;
        known += (known.empty() ? "" : ", ") + target.name;
    }
    return Status(ErrorCode::NotFound, "no device profile '" + std::string(name) + "'; there are " + known);
}

std::vector<std::string> Target::names() {
    std::vector<std::string> names;
    for (const Target& target : profiles()) names.push_back(target.name);
    return names;
}

}  // namespace tenon
