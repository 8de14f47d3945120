#include "tests/bench/region_list.h"

#include <algorithm>

namespace tenon::bench {
namespace {

constexpr double kTwoBytes = 2.0;

Graph layer_norm(DataType type, int64_t rows, int64_t length) {
    Graph g;
    const Tensor x = g.input({"x", {rows, length}, type});
    const Tensor scale = g.input({"scale", {length}, type});
    const Tensor bias = g.input({"bias", {length}, type});
    g.output(g.norm({x, scale, bias}, {.kind = NormKind::Layer})[0], {.name = "y"});
    return g;
}

/// sum = x + residual; y = rms_norm(sum) * scale; both are stored.
Graph add_rms_norm(DataType type, int64_t rows, int64_t length) {
    Graph g;
    const Tensor x = g.input({"x", {rows, length}, type});
    const Tensor residual = g.input({"residual", {rows, length}, type});
    const Tensor scale = g.input({"scale", {length}, type});
    const Tensor sum = g.add(x, residual, {.name = "sum"});
    g.output(sum);
    g.output(g.norm({sum, scale}, {.kind = NormKind::Rms})[0], {.name = "y"});
    return g;
}

Graph group_norm_silu(DataType type, int64_t batch, int64_t channels, int64_t side) {
    Graph g;
    const Tensor x = g.input({"x", {batch, channels, side, side}, type, Layout::NHWC});
    const Tensor scale = g.input({"scale", {channels}, type});
    const Tensor bias = g.input({"bias", {channels}, type});
    g.output(g.silu(g.norm({x, scale, bias}, {.kind = NormKind::Group, .groups = 32})[0]), {.name = "y"});
    return g;
}

Graph batch_norm_training_relu(DataType type, int64_t batch, int64_t channels, int64_t side) {
    Graph g;
    std::vector<Tensor> inputs{g.input({"x", {batch, channels, side, side}, type, Layout::NHWC})};
    for (const char* name : {"scale", "bias", "mean", "variance"}) inputs.push_back(g.input({name, {channels}}));
    const std::vector<Tensor> results = g.apply(BatchNorm{.training = true}, inputs);
    g.output(g.relu(results[0]), {.name = "y"});
    for (size_t i = 1; i < results.size(); ++i) g.output(results[i]);
    return g;
}

Graph softmax(DataType type, int64_t rows, int64_t length) {
    Graph g;
    g.output(g.softmax(g.input({"x", {rows, length}, type})), {.name = "y"});
    return g;
}

Graph max_pool(DataType type) {
    Graph g;
    const Tensor x = g.input({"x", {32, 64, 112, 112}, type, Layout::NHWC});
    g.output(g.pool(x, {.kind = PoolKind::Max, .window = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}}),
             {.name = "y"});
    return g;
}

Graph global_average(DataType type) {
    Graph g;
    const Tensor x = g.input({"x", {256, 2048, 7, 7}, type, Layout::NHWC});
    g.output(g.reduce(x, {ReduceKind::Mean, {2, 3}}), {.name = "y"});
    return g;
}

Graph column_sum(DataType type) {
    Graph g;
    g.output(g.reduce(g.input({"x", {65536, 1024}, type}), {ReduceKind::Sum, {0}, false}), {.name = "y"});
    return g;
}

Graph bias_gelu(DataType type) {
    Graph g;
    const Tensor x = g.input({"x", {8192, 16384}, type});
    g.output(g.gelu(g.add(x, g.input({"bias", {16384}, type}))), {.name = "y"});
    return g;
}

/// The same tensor in the other layout.
Graph layout_change(DataType type) {
    Graph g;
    const Tensor x = g.input({"x", {64, 256, 56, 56}, type});
    g.output(g.transpose(x, {0, 2, 3, 1}), {.name = "y"});
    return g;
}

// Bytes: elements of what is read once and written once, two bytes each.
const BenchRegion kRegions[] = {
    {"layer_norm.8192x4096", DataType::BF16, [](DataType t) { return layer_norm(t, 8192, 4096); },
     kTwoBytes * 2 * 8192 * 4096, 3.8, 0},
    {"layer_norm.65536x768", DataType::BF16, [](DataType t) { return layer_norm(t, 65536, 768); },
     kTwoBytes * 2 * 65536 * 768, 3.8, 0},
    {"layer_norm.1576x768", DataType::BF16, [](DataType t) { return layer_norm(t, 1576, 768); },
     kTwoBytes * 2 * 1576 * 768, 0, 4.0},
    {"add_rms_norm.8192x4096", DataType::BF16, [](DataType t) { return add_rms_norm(t, 8192, 4096); },
     kTwoBytes * 4 * 8192 * 4096, 3.8, 0},
    {"add_rms_norm.65536x768", DataType::BF16, [](DataType t) { return add_rms_norm(t, 65536, 768); },
     kTwoBytes * 4 * 65536 * 768, 3.8, 0},
    {"add_rms_norm.32x8192", DataType::BF16, [](DataType t) { return add_rms_norm(t, 32, 8192); },
     kTwoBytes * 4 * 32 * 8192, 0, 4.0},
    {"group_norm_silu.32x320x64", DataType::F16, [](DataType t) { return group_norm_silu(t, 32, 320, 64); },
     kTwoBytes * 2 * 32 * 320 * 64 * 64, 3.0, 0},
    {"group_norm_silu.2x320x64", DataType::F16, [](DataType t) { return group_norm_silu(t, 2, 320, 64); },
     kTwoBytes * 2 * 2 * 320 * 64 * 64, 0, 0},
    {"batch_norm_training_relu.256x256x56", DataType::F16,
     [](DataType t) { return batch_norm_training_relu(t, 256, 256, 56); }, kTwoBytes * 3 * 256 * 256 * 56 * 56, 3.4, 0},
    {"batch_norm_training_relu.256x512x7", DataType::F16,
     [](DataType t) { return batch_norm_training_relu(t, 256, 512, 7); }, kTwoBytes * 3 * 256 * 512 * 7 * 7, 0, 0},
    {"softmax.8192x4096", DataType::BF16, [](DataType t) { return softmax(t, 8192, 4096); },
     kTwoBytes * 2 * 8192 * 4096, 0, 0},
    {"max_pool.32x64x112", DataType::F16, [](DataType t) { return max_pool(t); },
     kTwoBytes * 32 * 64 * (112 * 112 + 56 * 56), 3.6, 0},
    {"global_average.256x2048x7", DataType::F16, [](DataType t) { return global_average(t); },
     kTwoBytes * 256 * 2048 * (49 + 1), 3.6, 0},
    {"column_sum.65536x1024", DataType::F16, [](DataType t) { return column_sum(t); }, kTwoBytes * 65536 * 1024, 0, 0},
    {"bias_gelu.8192x16384", DataType::F16, [](DataType t) { return bias_gelu(t); }, kTwoBytes * 2 * 8192 * 16384, 3.83,
     0},
    {"layout_change.64x256x56", DataType::F16, [](DataType t) { return layout_change(t); },
     kTwoBytes * 2 * 64 * 256 * 56 * 56, 0, 0},
};

}  // namespace

std::span<const BenchRegion> bench_regions() { return kRegions; }

const BenchRegion* find_bench_region(std::string_view name) {
    const auto found = std::find_if(std::begin(kRegions), std::end(kRegions),
                                    [&](const BenchRegion& region) { return region.name == name; });
    return found == std::end(kRegions) ? nullptr : found;
}

}  // namespace tenon::bench
