#pragma once

#include <string>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// A copy of the graph in which norms, batch norms and softmax are written out as reductions and pointwise functions:
///
///     norm(x)     -> centred = x - mean(x);  y = centred * rsqrt(mean(centred^2) + epsilon) * scale + bias
///     softmax(x)  -> e = exp(x - max(x));    y = e / sum(e)
///
/// Inner values are f32 (f64 for f64 inputs) and each mean is taken before the deviations, so nothing cancels. Values
/// of the user's graph keep their ids; new ones follow. `done` receives one line per node written out.
Result<GraphData> lower(const GraphData& graph, std::vector<std::string>& done);

}  // namespace tenon::codegen
