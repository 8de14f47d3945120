#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <tenon/graph.h>

#include "tests/support/run_graph.h"

namespace tenon::testing {

/// What the numbers of a random graph are, and so how results are compared.
enum class NumberKind {
    Integers,  ///< Small whole numbers and functions that keep them whole: results are equal, in every type.
    Special,   ///< NaN, infinities, zeros of both signs and small whole numbers; no products are summed. Equal.
    Real,      ///< Normal numbers and smooth functions: equal within the rounding of every step.
};

/// A valid graph with values for its inputs.
struct RandomGraph {
    Graph graph;
    NumberKind numbers = NumberKind::Integers;
    NamedTensors inputs;
};

/// The same graph for one seed on every machine: one to nine operations of any kind over tensors of rank 0 to 5, in any
/// layout (channels last, padded rows, permuted axes, broadcast by stride 0), with several readers and outputs.
RandomGraph random_graph(uint32_t seed);

}  // namespace tenon::testing
