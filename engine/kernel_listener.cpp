#include "engine/kernel_listener.h"

#include <atomic>

namespace tenon::engine {
namespace {

std::atomic<KernelListener> current = nullptr;

}  // namespace

void set_kernel_listener(KernelListener listener) { current = listener; }

void tell_kernel_listener(KernelEvent event, const codegen::KernelSource& kernel) {
    const KernelListener listener = current;
    if (listener != nullptr) listener(event, kernel);
}

}  // namespace tenon::engine
