#pragma once

#include <string>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// A copy of the graph in which batch norms, and norms of no elements (whose statistics are NaN), are written out as
/// reductions and pointwise functions:
///
///     norm(x)     -> centred = x - mean(x);  y = centred * rsqrt(mean(centred^2) + epsilon) * scale + bias
///
/// Inner values are f32 (f64 for f64 inputs) and each mean is taken before the deviations, so nothing cancels. Values
/// of the user's graph keep their ids; new ones follow. `done` receives one line per node written out. Other norms and
/// softmax stay whole: the rows family takes them as they are.
Result<GraphData> lower(const GraphData& graph, std::vector<std::string>& done);

}  // namespace tenon::codegen
