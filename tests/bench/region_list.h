#pragma once

#include <span>
#include <string_view>

#include <tenon/graph.h>

namespace tenon::bench {

/// A bandwidth-bound region that is timed: norms, softmax, pools, reductions, pointwise, depthwise convolutions.
struct BenchRegion {
    std::string_view name;  ///< The same in torch_regions.py: "layer_norm.8192x4096".
    DataType type;
    Graph (*graph)(DataType type);
    double bytes;  ///< That count: what has to be read and written at least, each tensor once (batch norm reads twice).
    double bar_terabytes_per_second;  ///< 0 where the bar is a time.
    double bar_microseconds;          ///< 0 where the bar is a rate.
};

std::span<const BenchRegion> bench_regions();
/// The region of this name, or nullptr.
const BenchRegion* find_bench_region(std::string_view name);

}  // namespace tenon::bench
