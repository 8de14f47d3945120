#pragma once

#include <functional>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// A function of up to three numbers, in double precision; empty for the functions that are not evaluated before the
/// plan runs. Its rounding to the declared type is the caller's business.
std::function<double(double, double, double)> constant_function(const Pointwise& op);

}  // namespace tenon::codegen
