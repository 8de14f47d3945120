#include <tenon/target.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "heuristics/profiles.h"

namespace tenon {
namespace {

const std::vector<Target>& shipped() {
    static const std::vector<Target> targets = [] {
        std::vector<Target> read;
        // A shipped file that does not read is found by the tests; here it would only be missing.
        for (const std::string_view text : heuristics::profile_texts()) {
            Result<Target> target = Target::from_json(text);
            if (target.is_ok()) read.push_back(std::move(*target));
        }
        return read;
    }();
    return targets;
}

}  // namespace

std::string Target::architecture() const {
    return "sm_" + std::to_string(compute_capability) + (compute_capability >= 90 ? "a" : "");
}

Result<Target> Target::named(std::string_view name) {
    std::string known;
    for (const Target& target : shipped()) {
        if (target.name == name) return target;
        known += (known.empty() ? "" : ", ") + target.name;
    }
    return Status(ErrorCode::NotFound, "no device profile '" + std::string(name) + "'; there are " + known);
}

std::vector<std::string> Target::names() {
    std::vector<std::string> names;
    for (const Target& target : shipped()) names.push_back(target.name);
    return names;
}

Result<Target> Target::from_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) return Status(ErrorCode::NotFound, "cannot read the device profile " + path);
    Result<Target> target = from_json(text.str());
    if (target.is_ok()) return target;
    return Status(target.status().code(), path + ": " + target.status().message());
}

}  // namespace tenon
