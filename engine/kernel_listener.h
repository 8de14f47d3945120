#pragma once

#include "codegen/kernel_source.h"

namespace tenon::engine {

/// What has happened to a kernel, for those who count how far kernels get.
enum class KernelEvent {
    Planned,   ///< Its text was written.
    Emulated,  ///< It ran to its end on the emulator, and did something.
};

using KernelListener = void (*)(KernelEvent event, const codegen::KernelSource& kernel);

/// From now on `listener` hears of every kernel, from any thread; null: nobody does.
void set_kernel_listener(KernelListener listener);

void tell_kernel_listener(KernelEvent event, const codegen::KernelSource& kernel);

}  // namespace tenon::engine
