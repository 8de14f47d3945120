#pragma once

#include <tenon/graph.h>

namespace tenon::test {

/// Small, with something of everything that a graph can hold: many operations, a constant read twice, a host scalar,
/// layouts and types of several kinds, two outputs, names that are no identifiers.
Graph sample_graph();

}  // namespace tenon::test
