#pragma once

#include <string>
#include <vector>

#include <tenon/tenon.h>

namespace tenon::bench {

/// A region to time: its graph, and the bytes that count for its rate (every operand once).
struct WindowRow {
    std::string name;
    DataType type = DataType::F16;
    Graph graph;
    double bytes = 0.0;
};

/// Pools, and depthwise and grouped convolutions behind a pointwise chain, channels last, of sizes that networks have.
std::vector<WindowRow> window_rows();

}  // namespace tenon::bench
