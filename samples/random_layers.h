#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tenon.h>

namespace samples {

/// Layers of a network with random weights. Weights and batch-norm parameters are constants of the graph, as they are
/// when a trained network is served, so the planner may fold them.
class RandomLayers {
  public:
    explicit RandomLayers(tenon::DataType type, uint32_t seed = 1) : type_(type), generator_(seed) {}

    tenon::Graph graph;

    tenon::DataType type() const { return type_; }

    /// Convolution (filters [out, in / groups, window, window], padding that keeps the extents) and batch norm.
    tenon::Tensor normalised(const std::string& name, tenon::Tensor x, tenon::Dims filter, int64_t stride,
                             int64_t groups = 1) {
        const int64_t out = filter[0], pad = filter[2] / 2, depth = filter[1] * filter[2] * filter[3];
        const tenon::Tensor weights = constant(name + ".weights", std::move(filter), depth);
        const tenon::Tensor y = graph.conv2d(
            x, weights, {.stride = {stride, stride}, .pad = {pad, pad, pad, pad}, .groups = groups}, {.name = name});
        const tenon::Tensor scale = vector(name + ".scale", out, 1.0, 0.1);
        const tenon::Tensor bias = vector(name + ".bias", out, 0.0, 0.1);
        const tenon::Tensor mean = vector(name + ".mean", out, 0.0, 0.1);
        const tenon::Tensor variance = vector(name + ".variance", out, 1.0, 0.1);
        return graph.batch_norm(y, scale, bias, mean, variance);
    }

    /// Normal numbers that keep the deviation of what they are multiplied with, `depth` products per sum.
    tenon::Tensor constant(const std::string& name, tenon::Dims dims, int64_t depth) {
        int64_t count = 1;
        for (const int64_t extent : dims) count *= extent;
        std::normal_distribution<float> normal(0.0f, std::sqrt(1.5f / static_cast<float>(depth)));
        std::vector<float> numbers(static_cast<size_t>(count));
        for (float& number : numbers) number = normal(generator_);
        const tenon::Layout layout = dims.size() == 4 ? tenon::Layout::NHWC : tenon::Layout::NCHW;
        const tenon::Tensor single = graph.constant({name, std::move(dims), tenon::DataType::F32, layout},
                                                    numbers.data(), numbers.size() * sizeof(float));
        return type_ == tenon::DataType::F32 ? single : graph.cast(single, type_);
    }

    /// `count` numbers between middle - spread and middle + spread, f32.
    tenon::Tensor vector(const std::string& name, int64_t count, double middle, double spread) {
        std::uniform_real_distribution<float> uniform(static_cast<float>(middle - spread),
                                                      static_cast<float>(middle + spread));
        std::vector<float> numbers(static_cast<size_t>(count));
        for (float& number : numbers) number = uniform(generator_);
        return graph.constant({name, {count}}, numbers.data(), numbers.size() * sizeof(float));
    }

  private:
    tenon::DataType type_;
    std::mt19937 generator_;
};

}  // namespace samples
