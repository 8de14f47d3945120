#include "tests/frontend/op_samples.h"

namespace tenon::testing {
namespace {

std::vector<OpSample> other_samples() {
    const auto f32 = [](std::vector<Dims> dims) {
        std::vector<TensorSpec> inputs;
        for (Dims& extents : dims) inputs.push_back({"", std::move(extents)});
        return inputs;
    };
    return {
        {Conv{{2, 1}, {1, 2}, {1, 0, 1, 2}, 2}, f32({{1, 4, 6, 7}, {6, 2, 3, 3}})},
        {ConvTranspose{{2, 2}, {1, 2}, {1, 0, 1, 0}, {1, 0}, 2}, f32({{1, 4, 3, 3}, {4, 2, 3, 2}})},
        {Matmul{}, f32({{2, 3, 4}, {4, 5}})},
        {Cast{DataType::F16}, f32({{3}})},
        {Norm{NormKind::Group, 1, 2, 1e-3, true}, f32({{2, 4, 3}, {4}, {4}})},
        {Norm{NormKind::Layer, 1, 1, 1e-6, true}, f32({{2, 4, 3}, {4, 3}})},
        {Norm{NormKind::Rms, -1, 1, 1e-6, true}, f32({{2, 4}})},
        {Norm{NormKind::Instance}, f32({{2, 4, 3}, {4}, {4}})},
        {BatchNorm{1e-3, 0.25, true}, f32({{2, 3, 4}, {3}, {3}, {3}, {3}, {}})},
        {BatchNorm{}, f32({{2, 3, 4}, {3}, {3}, {3}, {3}})},
        {Reduce{ReduceKind::Argmin, {1}, false}, f32({{2, 3}})},
        {Reduce{ReduceKind::Norm2, {0, -1}}, f32({{2, 3, 4}})},
        {Softmax{0, true}, f32({{2, 3}})},
        {Pool{PoolKind::Max, {3, 2}, {2, 2}, {1, 2}, {1, 0, 1, 1}, true, false, true}, f32({{1, 2, 6, 6}})},
        {Pool{PoolKind::Average, {2, 2}, {1, 2}, {}, {0, 1, 1, 0}, false, true}, f32({{1, 2, 5, 5}})},
        {AdaptivePool{PoolKind::Max, {2, 3}}, f32({{1, 2, 5, 7}})},
        {Resize{{4, 9}, {2.0, 3.0}, ResizeMode::Linear, ResizeCoordinates::Asymmetric, ResizeRounding::Floor},
         f32({{1, 2, 2, 3}})},
        {Reshape{{3, -1}}, f32({{2, 6}})},
        {Transpose{{2, 0, 1}}, f32({{2, 3, 4}})},
        {Expand{{2, 3, 4}}, f32({{3, 1}})},
        {Slice{{4, 0}, {2, 1}, {-2, 1}}, f32({{5, 3}})},
        {Concat{1}, f32({{2, 3}, {2, 1}, {2, 2}})},
        {Pad{{1, 0}, {-1, 2}, PadMode::Constant, -0.5}, f32({{3, 3}})},
        {Pad{{1, 2}, {2, 1}, PadMode::Reflect}, f32({{3, 3}})},
        {Gather{1}, {{"", {2, 3, 4}}, {"", {5}, DataType::I64}}},
        {IndexAlong{1, DataType::F32}, f32({{2, 3}})},
    };
}

DataType type_for(PointwiseDomain domain) {
    if (domain == PointwiseDomain::Boolean) return DataType::Bool;
    return domain == PointwiseDomain::Integer ? DataType::I32 : DataType::F32;
}

}  // namespace

std::vector<OpSample> op_samples() {
    std::vector<OpSample> samples = other_samples();
    for (const PointwiseInfo& row : kPointwise) {
        OpSample sample{Pointwise{row.kind, initial_parameters(row.kind)}, {}};
        for (int i = 0; i < row.inputs; ++i) sample.inputs.push_back({"", {2, 3}, type_for(row.domain)});
        if (row.kind == PointwiseKind::Select) sample.inputs.front().type = DataType::Bool;
        samples.push_back(std::move(sample));
    }
    return samples;
}

Graph graph_of(const OpSample& sample) {
    Graph graph;
    std::vector<Tensor> inputs;
    for (TensorSpec spec : sample.inputs) {
        spec.name = std::string(1, static_cast<char>('a' + inputs.size()));
        inputs.push_back(graph.input(spec));
    }
    for (const Tensor result : graph.apply(sample.op, inputs, {.name = "node"})) graph.output(result);
    return graph;
}

}  // namespace tenon::testing
