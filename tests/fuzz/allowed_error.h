#pragma once

#include <map>
#include <string>

#include "tests/fuzz/random_graph.h"
#include "tests/support/tolerance.h"

namespace tenon::testing {

/// How far each output, by name, may be from the reference: the rounding of each step (pointwise_tolerance,
/// sum_tolerance), carried through the steps behind it by how much each can enlarge an error. Whole and special numbers
/// must be equal. A failure is the Status of the reference.
Result<std::map<std::string, Tolerance>> allowed_errors(const RandomGraph& random);

}  // namespace tenon::testing
