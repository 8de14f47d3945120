#pragma once

#include "../random_layers.h"

namespace samples {

/// Writes MobileNetV2 down, layer by layer, with random weights.
class MobileNetV2 {
  public:
    explicit MobileNetV2(tenon::DataType type, uint32_t seed = 1) : layers_(type, seed) {}

    /// `batch` pictures of `size` x `size` pixels, channels last, to `batch` x 1000 scores.
    tenon::Graph build(int64_t batch, int64_t size = 224) {
        tenon::Graph& graph = layers_.graph;
        tenon::Tensor x = graph.input({"picture", {batch, 3, size, size}, layers_.type(), tenon::Layout::NHWC});
        x = relu6(layers_.normalised("stem", x, {32, 3, 3, 3}, 2));
        struct Stage {
            int64_t expansion, channels, depth, stride;
        };
        const Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
        int64_t channels = 32, number = 0;
        for (const Stage& stage : stages) {
            for (int64_t i = 0; i < stage.depth; ++i) {
                x = inverted_residual("block" + std::to_string(++number), x, channels, stage.channels,
                                      channels * stage.expansion, i == 0 ? stage.stride : 1);
                channels = stage.channels;
            }
        }
        x = relu6(layers_.normalised("features", x, {1280, channels, 1, 1}, 1));
        x = graph.reshape(graph.pool(x, {.kind = tenon::PoolKind::Average}), {batch, 1280});
        const tenon::Tensor weights = layers_.constant("classifier.weights", {1280, 1000}, 1280);
        const tenon::Tensor bias = layers_.vector("classifier.bias", 1000, 0.0, 0.1);
        graph.output(graph.add(graph.matmul(x, weights), bias, {.name = "scores"}));
        return std::move(graph);
    }

  private:
    /// 1x1 to more channels, 3x3 on each, 1x1 back; around it the shortcut where the shapes are the same.
    tenon::Tensor inverted_residual(const std::string& name, tenon::Tensor x, int64_t in, int64_t out, int64_t inner,
                                    int64_t stride) {
        tenon::Tensor y = x;
        if (inner != in) y = relu6(layers_.normalised(name + ".expand", y, {inner, in, 1, 1}, 1));
        y = relu6(layers_.normalised(name + ".depthwise", y, {inner, 1, 3, 3}, stride, inner));
        y = layers_.normalised(name + ".project", y, {out, inner, 1, 1}, 1);
        return stride == 1 && in == out ? layers_.graph.add(y, x) : y;
    }

    tenon::Tensor relu6(tenon::Tensor x) { return layers_.graph.clip(x, 0.0, 6.0); }

    RandomLayers layers_;
};

}  // namespace samples
