#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <tenon/tenon.h>

namespace tenon::test {

/// A graph whose anchor is a window, by name.
struct WindowCase {
    std::string name;
    Graph graph;
};

inline void PrintTo(const WindowCase& test, std::ostream* out) { *out << test.name; }

/// A depthwise convolution behind x; filters are [channels * multiplier, 1, window…].
struct DepthwiseCase {
    Dims x;
    Dims window;
    Conv conv = {};
    int64_t multiplier = 1;
    DataType type = DataType::F16;
    Layout layout = Layout::NHWC;
};

/// The convolution alone; its groups are filled in. The tensor called x and w are graph inputs.
Tensor depthwise(Graph& graph, const DepthwiseCase& test);
/// y = relu(depthwise(x, w) + bias), bias per channel in f32.
Graph depthwise_bias_relu(const DepthwiseCase& test);

}  // namespace tenon::test
