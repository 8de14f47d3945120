#pragma once

#include <span>
#include <string_view>

namespace tenon::heuristics {

/// The shipped device profiles as JSON, in the order of their file names; embedded at build time.
std::span<const std::string_view> profile_texts();

}  // namespace tenon::heuristics
