#include "tests/bench/window_list.h"

namespace tenon::bench {
namespace {

double bytes_of_graph(const Graph& graph) {
    double bytes = 0.0;
    std::vector<Tensor> tensors = graph.inputs();
    for (const Tensor output : graph.outputs()) tensors.push_back(output);
    for (const Tensor tensor : tensors) {
        const TensorSpec spec = graph.spec(tensor);
        double count = static_cast<double>(bytes_of(spec.type));
        for (const int64_t extent : spec.dims) count *= static_cast<double>(extent);
        bytes += count;
    }
    return bytes;
}

WindowRow row_of(std::string name, Graph graph) {
    const double bytes = bytes_of_graph(graph);
    return {std::move(name), DataType::F16, std::move(graph), bytes};
}

Graph pool(Dims x, Pool attributes) {
    Graph graph;
    graph.output(graph.pool(graph.input({"x", std::move(x), DataType::F16, Layout::NHWC}), attributes, {.name = "y"}));
    return graph;
}

struct Layer {
    std::string name;
    int64_t channels, extent, window, stride, groups;
};

/// y = relu(conv(x, w) + bias)
Graph convolution(const Layer& layer, int64_t batch) {
    Graph graph;
    const Tensor x =
        graph.input({"x", {batch, layer.channels, layer.extent, layer.extent}, DataType::F16, Layout::NHWC});
    const Tensor w = graph.input({"w",
                                  {layer.channels, layer.channels / layer.groups, layer.window, layer.window},
                                  DataType::F16,
                                  Layout::NHWC});
    const Tensor bias = graph.input({"bias", {layer.channels, 1, 1}});
    const int64_t pad = layer.window / 2;
    const Tensor sums = graph.conv2d(
        x, w, {.stride = {layer.stride, layer.stride}, .pad = {pad, pad, pad, pad}, .groups = layer.groups});
    graph.output(graph.relu(graph.add(sums, bias), {.name = "y"}));
    graph.set_numerics({.relaxed = true});
    return graph;
}

}  // namespace

std::vector<WindowRow> window_rows() {
    std::vector<WindowRow> rows;
    const Dims three{3, 3}, two{2, 2}, around{1, 1, 1, 1};
    rows.push_back(row_of("max_pool.3s2.32x64x112", pool({32, 64, 112, 112}, {PoolKind::Max, three, two, {}, around})));
    rows.push_back(row_of("max_pool.3s2.1x64x112", pool({1, 64, 112, 112}, {PoolKind::Max, three, two, {}, around})));
    rows.push_back(row_of("max_pool.2s2.32x128x56", pool({32, 128, 56, 56}, {PoolKind::Max, two, two})));
    rows.push_back(
        row_of("average_pool.3s1.32x192x28", pool({32, 192, 28, 28}, {PoolKind::Average, three, {}, {}, around})));
    rows.push_back(row_of("global_average.256x2048x7", pool({256, 2048, 7, 7}, {PoolKind::Average})));
    for (const int64_t batch : {1, 32}) {
        for (const Layer& layer :
             {Layer{"mbv2.dw96@112s2", 96, 112, 3, 2, 96}, Layer{"mbv2.dw144@56", 144, 56, 3, 1, 144},
              Layer{"mbv2.dw384@14", 384, 14, 3, 1, 384}, Layer{"mbv2.dw960@7", 960, 7, 3, 1, 960},
              Layer{"effnet.dw5x5.240@28", 240, 28, 5, 1, 240}, Layer{"convnext.dw7x7.96@56", 96, 56, 7, 1, 96},
              Layer{"convnext.dw7x7.384@14", 384, 14, 7, 1, 384}, Layer{"resnext.g32.128@56", 128, 56, 3, 1, 32},
              Layer{"resnext.g32.256@28", 256, 28, 3, 1, 32}, Layer{"resnext.g32.512@14", 512, 14, 3, 1, 32}}) {
            rows.push_back(row_of(layer.name + ".n" + std::to_string(batch), convolution(layer, batch)));
        }
    }
    return rows;
}

}  // namespace tenon::bench
