#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <tenon/tenon.h>

namespace samples {

/// Writes ResNet-50 down, layer by layer, with random weights. Weights and batch-norm parameters are constants of the
/// graph, as they are when a trained network is served, so the planner may fold them.
class ResNet50 {
  public:
    explicit ResNet50(tenon::DataType type, uint32_t seed = 1) : type_(type), generator_(seed) {}

    /// `batch` pictures of `size` x `size` pixels, channels last, to `batch` x 1000 scores.
    tenon::Graph build(int64_t batch, int64_t size = 224) {
        graph_.set_numerics({.relaxed = true});
        const tenon::Tensor picture = graph_.input({"picture", {batch, 3, size, size}, type_, tenon::Layout::NHWC});
        tenon::Tensor x = block("stem", picture, 3, 64, 7, 2);
        x = graph_.pool(x, {.kind = tenon::PoolKind::Max, .window = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
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
        x = graph_.pool(x, {.kind = tenon::PoolKind::Average}, {.name = "features"});
        x = graph_.reshape(x, {batch, channels});
        const tenon::Tensor weights = constant("classifier.weights", {channels, 1000}, channels);
        const tenon::Tensor scores = graph_.matmul(x, weights, {.name = "classifier"});
        graph_.output(graph_.add(scores, vector("classifier.bias", 1000, 0.0, 0.1), {.name = "scores"}));
        return std::move(graph_);
    }

  private:
    /// 1x1, 3x3 and 1x1 convolutions around a shortcut.
    tenon::Tensor bottleneck(const std::string& name, tenon::Tensor x, int64_t channels, int64_t width,
                             int64_t stride) {
        tenon::Tensor shortcut = x;
        if (channels != width * 4) shortcut = normalised(name + ".shortcut", x, channels, width * 4, 1, stride);
        tenon::Tensor y = block(name + ".reduce", x, channels, width, 1, 1);
        y = block(name + ".spread", y, width, width, 3, stride);
        y = normalised(name + ".expand", y, width, width * 4, 1, 1);
        return graph_.relu(graph_.add(y, shortcut), {.name = name});
    }

    tenon::Tensor block(const std::string& name, tenon::Tensor x, int64_t in, int64_t out, int64_t window,
                        int64_t stride) {
        return graph_.relu(normalised(name, x, in, out, window, stride));
    }

    /// Convolution and batch norm.
    tenon::Tensor normalised(const std::string& name, tenon::Tensor x, int64_t in, int64_t out, int64_t window,
                             int64_t stride) {
        const tenon::Tensor weights = constant(name + ".weights", {out, in, window, window}, in * window * window);
        const int64_t pad = window / 2;
        const tenon::Tensor y =
            graph_.conv2d(x, weights, {.stride = {stride, stride}, .pad = {pad, pad, pad, pad}}, {.name = name});
        const tenon::Tensor scale = vector(name + ".scale", out, 1.0, 0.1),
                            bias = vector(name + ".bias", out, 0.0, 0.1), mean = vector(name + ".mean", out, 0.0, 0.1),
                            variance = vector(name + ".variance", out, 1.0, 0.1);
        return graph_.batch_norm(y, scale, bias, mean, variance);
    }

    /// Normal numbers that keep the deviation of what they are multiplied with.
    tenon::Tensor constant(const std::string& name, tenon::Dims dims, int64_t depth) {
        int64_t count = 1;
        for (const int64_t extent : dims) count *= extent;
        std::normal_distribution<float> normal(0.0f, std::sqrt(1.5f / static_cast<float>(depth)));
        std::vector<float> numbers(static_cast<size_t>(count));
        for (float& number : numbers) number = normal(generator_);
        const tenon::Layout layout = dims.size() == 4 ? tenon::Layout::NHWC : tenon::Layout::NCHW;
        const tenon::Tensor single = graph_.constant({name, std::move(dims), tenon::DataType::F32, layout},
                                                     numbers.data(), numbers.size() * sizeof(float));
        return type_ == tenon::DataType::F32 ? single : graph_.cast(single, type_);
    }

    tenon::Tensor vector(const std::string& name, int64_t count, double middle, double spread) {
        std::uniform_real_distribution<float> uniform(static_cast<float>(middle - spread),
                                                      static_cast<float>(middle + spread));
        std::vector<float> numbers(static_cast<size_t>(count));
        for (float& number : numbers) number = uniform(generator_);
        return graph_.constant({name, {count}}, numbers.data(), numbers.size() * sizeof(float));
    }

    tenon::DataType type_;
    std::mt19937 generator_;
    tenon::Graph graph_;
};

}  // namespace samples
