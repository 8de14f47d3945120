#pragma once

#include "codegen/kernel_source.h"
#include "engine/driver.h"

namespace tenon::engine {

/// The driver's form of a TensorMap argument. Its address is a placeholder that `replace_map_address` replaces before a
/// launch. Unsupported without a driver that knows tensor maps; DriverFailed, naming the argument, if the driver
/// refuses.
Result<CUtensorMap> encode_tensor_map(const Driver& driver, const codegen::KernelArgument& argument);

}  // namespace tenon::engine
