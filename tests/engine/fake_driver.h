#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "engine/driver.h"

namespace tenon::engine::test {

/// A launch as the driver saw it.
struct Launch {
    CUlaunchConfig config{};
    uintptr_t function = 0;
    std::vector<void*> pointers;  ///< The first `argument_count` parameters, read as pointers.
};

/// What the fake driver is told to do and what it was asked. One per test; `fake_driver()` refers to it.
struct FakeState {
    CUcontext context = reinterpret_cast<CUcontext>(0x10);
    CUresult capturing_result = CUDA_SUCCESS;
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult load_result = CUDA_SUCCESS;
    int load_fails_from = 0;     ///< `load_result` is given from this load on.
    std::string refused_images;  ///< Images that start like this are no binary for the device; empty: none.
    CUresult attribute_result = CUDA_SUCCESS;
    CUresult launch_result = CUDA_SUCCESS;
    std::string device_name = "NVIDIA H200";
    int capability_major = 9, capability_minor = 0;

    std::vector<std::string> images;  ///< That were loaded; read up to the first zero.
    int loads = 0, unloads = 0, attribute_calls = 0, eager_loads = 0;
    int shared_bytes = 0;
    std::vector<std::pair<CUdeviceptr, size_t>> copies;
    std::atomic<int> launch_count = 0;
};

FakeState& fake_state();
/// Fresh state and a driver of functions that read and write it.
Driver fake_driver();

/// Launches of this thread. `argument_count` says how many parameters to read; recording allocates, so it can be off.
struct LaunchRecord {
    bool is_on = true;
    size_t argument_count = 0;
    std::vector<Launch> launches;
};
LaunchRecord& launch_record();

}  // namespace tenon::engine::test
