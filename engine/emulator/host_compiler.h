#pragma once

#include <string>

#include <tenon/status.h>

#include "codegen/kernel_source.h"

namespace tenon::engine {

struct EmulatedLaunch;  // engine/emulator/launch_record.h
using RunGrid = void (*)(EmulatedLaunch*);

/// The kernel as host code, compiled once per text and process.
Result<RunGrid> compile_for_host(const codegen::KernelSource& kernel);

}  // namespace tenon::engine
