#include "tests/support/sample_graph.h"

namespace tenon::test {

Graph sample_graph() {
    Graph g;
    const std::vector<float> ones(4 * 3 * 3 * 3, 1.0f);
    const Tensor x = g.input({"x/\"0\"", {1, 3, 6, 6}, DataType::F32, Layout::NHWC});
    const Tensor w = g.constant({"w", {4, 3, 3, 3}, DataType::F32, Layout::NHWC}, ones.data(), ones.size() * 4);
    const Tensor factor = g.host_scalar("factor");
    const Tensor conv = g.conv(x, w, {.pad = {1, 1, 1, 1}}, {.name = "conv"});
    const Tensor again = g.conv(x, w, {.stride = {2, 2}});
    const Tensor scaled = g.clip(g.multiply(conv, factor), -1.0, 6.0);
    const Tensor pooled = g.pool(scaled, {PoolKind::Max, {2, 2}, {2, 2}});
    const Tensor small = g.reduce(again, {ReduceKind::Mean, {2, 3}, true});
    const Tensor sum = g.add(pooled, small);
    const Tensor flat = g.reshape(g.transpose(sum, {0, 2, 3, 1}), {9, 4});
    g.output(g.softmax(flat, {.axis = 1}, {.name = "probabilities"}));
    g.output(g.cast(scaled, DataType::F16, {.name = "half"}));
    return g;
}

}  // namespace tenon::test
