#pragma once

#include <cstddef>

namespace tenon::engine::test {

/// How often this thread has asked for memory with `new` so far.
size_t allocations();

}  // namespace tenon::engine::test
