#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/nvrtc.h"

namespace tenon::engine::test {

/// What the fake compiler is told to do and what it was asked. One per test; `fake_nvrtc()` refers to it.
struct FakeCompiler {
    std::vector<int> known{75, 80, 90, 120};
    int major = 13, minor = 0;
    nvrtcResult result = NVRTC_SUCCESS;
    std::string log =
        "ptxas info    : 8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
        "ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem\n";
    int milliseconds = 0;  ///< That a compilation takes.

    std::atomic<int> compilations = 0;
    std::atomic<int> at_once = 0, most_at_once = 0;
};

FakeCompiler& fake_compiler();
/// Fresh state and a table of functions that read and write it. The image is "cubin" or "PTX", the architecture and the
/// source.
Nvrtc fake_nvrtc();

}  // namespace tenon::engine::test
