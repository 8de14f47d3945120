#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tests/fuzz/random_graph.h"

namespace tenon::testing {

/// All graphs side by side in one; tensor "x" of graph i is called "g<i>.x".
RandomGraph side_by_side(const std::vector<RandomGraph>& graphs);

/// The smallest graph found for which `fails` still holds, after at most `tries` calls of it: outputs are dropped,
/// nodes become inputs that hold what they computed, extents become 1.
RandomGraph shrunk(RandomGraph failing, const std::function<bool(const RandomGraph&)>& fails, int tries);

}  // namespace tenon::testing
