#include "tests/engine/allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local size_t count = 0;
}

namespace tenon::engine::test {
size_t allocations() { return count; }
}  // namespace tenon::engine::test

void* operator new(size_t bytes) {
    ++count;
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
