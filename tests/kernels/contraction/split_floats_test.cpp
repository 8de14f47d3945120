// f32 without permission for tf32 on tensor cores: as accurate as float arithmetic, with infinities and the largest
// floats.

#include <cmath>
#include <limits>

#include "tests/kernels/contraction/agreement.h"
#include "tests/support/run.h"
#include "tests/support/run_graph.h"

namespace tenon::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> product_on(const std::string& target, const NamedTensors& inputs, const Graph& graph,
                               const char* products) {
    const Plan plan = *plan_of_family(graph, test::target_for_kernels(target));
    EXPECT_NE(plan.source().find(std::string("Products::") + products), std::string::npos) << plan.source();
    const Runner emulated = [&](const Graph&, const Bindings& bindings) { return test::run_kernels(plan, bindings); };
    return run_graph(emulated, graph, inputs)->at("y").values();
}

Graph plain_matmul(const Dims& left, const Dims& right) {
    Graph graph;
    const Tensor a = graph.input({"a", left});
    const Tensor b = graph.input({"b", right});
    graph.output(graph.matmul(a, b, {.name = "y"}));
    return graph;
}

double root_mean_square_error(const std::vector<double>& found, const std::vector<double>& expected) {
    double sum = 0.0;
    for (size_t i = 0; i < found.size(); ++i) sum += (found[i] - expected[i]) * (found[i] - expected[i]);
    return std::sqrt(sum / static_cast<double>(found.size()));
}

TEST(SplitFloats, AreAsAccurateAsMultiplyAdds) {
    const Graph graph = plain_matmul({32, 576}, {576, 32});
    NamedTensors inputs;
    for (const Tensor input : graph.inputs()) {
        HostTensor tensor(graph.spec(input));
        tensor.fill_normal(11 + static_cast<uint64_t>(input.id));
        inputs.emplace(graph.spec(input).name, std::move(tensor));
    }
    const std::vector<double> expected = run_on_reference(graph, inputs)->at("y").values();
    const double split = root_mean_square_error(product_on("a100", inputs, graph, "MatrixSplit"), expected);
    const double plain = root_mean_square_error(product_on("rtx4090", inputs, graph, "Scalar"), expected);
    EXPECT_LT(split, 1.25 * plain);
    EXPECT_GT(split, 0.0);
}

/// a is one row of special values, b a diagonal that picks and scales each of them, so every result is one product.
TEST(SplitFloats, KeepInfinitiesAndTheLargestFloats) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    const std::vector<double> special = {kInfinity,  -kInfinity,  kLargest, -kLargest,
                                         0x1.ffp127, 0x1.fffp127, 1.0,      0x1p-126};
    const Graph graph = plain_matmul({8, 8}, {8, 8});
    for (const double factor : {1.0, -0.5, 1.0 + 0x1p-20, 0.75}) {
        NamedTensors inputs;
        std::vector<double> diagonal(64, 0.0), scale(64, 0.0);
        for (size_t i = 0; i < 8; ++i) {
            diagonal[i * 8 + i] = special[i];
            for (size_t j = 0; j < 8; ++j) scale[i * 8 + j] = factor * (j % 2 == 0 ? 1.0 : 0.5);
        }
        inputs.emplace("a", HostTensor({"a", {8, 8}}, diagonal));
        inputs.emplace("b", HostTensor({"b", {8, 8}}, scale));
        const std::vector<double> found = product_on("a100", inputs, graph, "MatrixSplit");
        for (size_t i = 0; i < 64; ++i) {
            const double expected = static_cast<double>(static_cast<float>(special[i / 8] * scale[i / 8 * 8 + i % 8]));
            if (std::isinf(expected)) {
                EXPECT_EQ(found[i], expected) << special[i / 8] << " * " << scale[i];
            } else {
                EXPECT_NEAR(found[i], expected, std::fabs(expected) * 0x1p-21 + 0x1p-140)
                    << special[i / 8] << " * " << scale[i];
            }
        }
    }
}

TEST(SplitFloats, PassNaNOn) {
    const Graph graph = plain_matmul({8, 8}, {8, 8});
    std::vector<double> left(64, 1.0), right(64, 1.0);
    left[3 * 8 + 5] = std::nan("");
    NamedTensors inputs;
    inputs.emplace("a", HostTensor({"a", {8, 8}}, left));
    inputs.emplace("b", HostTensor({"b", {8, 8}}, right));
    const std::vector<double> found = product_on("a100", inputs, graph, "MatrixSplit");
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(std::isnan(found[i]), i / 8 == 3) << i;
}

}  // namespace
}  // namespace tenon::testing
