#pragma once

#include <cstdint>
#include <functional>

namespace tenon::engine {

/// Calls `work(i)` once for every i in [0, count), on several threads if `operations` in all are worth it. The calls
/// must not depend on each other; results are the same for any number of threads.
void for_each_row(int64_t count, double operations, const std::function<void(int64_t)>& work);

}  // namespace tenon::engine
