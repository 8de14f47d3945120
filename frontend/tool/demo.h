#pragma once

#include <string>

namespace tenon::tool {

/// Builds y = relu(conv(x, w) + bias + residual), plans it for a profile, compiles it if NVRTC is there, runs it on the
/// emulator and compares with the reference. Returns the exit code.
int demo(const std::string& profile);

}  // namespace tenon::tool
