#include "tests/kernels/window/window_cases.h"

namespace tenon::test {

Tensor depthwise(Graph& graph, const DepthwiseCase& test) {
    const Tensor x = graph.input({"x", test.x, test.type, test.layout});
    Dims filter{test.x[1] * test.multiplier, 1};
    filter.insert(filter.end(), test.window.begin(), test.window.end());
    const Tensor w = graph.input({"w", filter, test.type, test.layout});
    Conv conv = test.conv;
    conv.groups = test.x[1];
    return graph.conv(x, w, conv);
}

Graph depthwise_bias_relu(const DepthwiseCase& test) {
    Graph graph;
    const Tensor sums = depthwise(graph, test);
    Dims bias_dims(test.x.size() - 1, 1);
    bias_dims[0] = test.x[1] * test.multiplier;
    const Tensor bias = graph.input({"bias", bias_dims, DataType::F32});
    graph.output(graph.relu(graph.add(sums, bias), {.name = "y"}));
    return graph;
}

}  // namespace tenon::test
