#pragma once

#include <string>

#include <tenon/target.h>

#include "engine/driver.h"

namespace tenon::engine {

/// Which GPU this is.
struct DeviceInfo {
    CUdevice device = 0;
    std::string name;            ///< As the driver says it: "NVIDIA H200".
    int compute_capability = 0;  ///< major * 10 + minor.
};

/// The device of the current context, else the first one. Changes nothing. NotFound without a device.
Result<DeviceInfo> current_device(const Driver& driver);

/// Sizes read from the device; rates from the shipped profile of that model, else from its clocks.
Result<Target> describe(const Driver& driver, const DeviceInfo& info);

}  // namespace tenon::engine
