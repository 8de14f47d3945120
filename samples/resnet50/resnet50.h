#pragma once

#include "../random_layers.h"

namespace samples {

/// Writes ResNet-50 down, layer by layer, with random weights. Values inside a kernel need not be rounded, as in most
/// inference.
class ResNet50 {
  public:
    explicit ResNet50(tenon::DataType type, uint32_t seed = 1) : layers_(type, seed) {}

    /// `batch` pictures of `size` x `size` pixels, channels last, to `batch` x 1000 scores.
    tenon::Graph build(int64_t batch, int64_t size = 224) {
        tenon::Graph& graph = layers_.graph;
        graph.set_numerics({.relaxed = true});
        const tenon::Tensor picture =
            graph.input({"picture", {batch, 3, size, size}, layers_.type(), tenon::Layout::NHWC});
        tenon::Tensor x = graph.relu(layers_.normalised("stem", picture, {64, 3, 7, 7}, 2));
        x = graph.pool(x, {.kind = tenon::PoolKind::Max, .window = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
                       {.name = "pool"});
        int64_t channels = 64;
        const int depth[] = {3, 4, 6, 3};
        for (int stage = 0; stage < 4; ++stage) {
            const int64_t width = int64_t{64} << stage;
            for (int i = 0; i < depth[stage]; ++i) {
                const std::string name = "stage" + std::to_string(stage + 1) + "." + std::to_string(i);
                x = bottleneck(name, x, channels, width, i == 0 && stage > 0 ? 2 : 1);
                channels = width * 4;
            }
        }
        x = graph.pool(x, {.kind = tenon::PoolKind::Average}, {.name = "features"});
        x = graph.reshape(x, {batch, channels});
        const tenon::Tensor weights = layers_.constant("classifier.weights", {channels, 1000}, channels);
        const tenon::Tensor bias = layers_.vector("classifier.bias", 1000, 0.0, 0.1);
        graph.output(graph.add(graph.matmul(x, weights, {.name = "classifier"}), bias, {.name = "scores"}));
        return std::move(graph);
    }

  private:
    /// 1x1, 3x3 and 1x1 convolutions around a shortcut.
    tenon::Tensor bottleneck(const std::string& name, tenon::Tensor x, int64_t channels, int64_t width,
                             int64_t stride) {
        tenon::Graph& graph = layers_.graph;
        tenon::Tensor shortcut = x;
        if (channels != width * 4)
            shortcut = layers_.normalised(name + ".shortcut", x, {width * 4, channels, 1, 1}, stride);
        tenon::Tensor y = graph.relu(layers_.normalised(name + ".reduce", x, {width, channels, 1, 1}, 1));
        y = graph.relu(layers_.normalised(name + ".spread", y, {width, width, 3, 3}, stride));
        y = layers_.normalised(name + ".expand", y, {width * 4, width, 1, 1}, 1);
        return graph.relu(graph.add(y, shortcut), {.name = name});
    }

    RandomLayers layers_;
};

}  // namespace samples
