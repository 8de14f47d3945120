// Whole kernels as text, compared byte for byte with the .cu files beside this one. TENON_UPDATE_GOLDEN=1 rewrites
// them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/kernels/family.h"
#include "codegen/planner/grow.h"
#include "codegen/planner/lower.h"
#include "codegen/planner/rewrites.h"

namespace tenon::codegen {
namespace {

struct Golden {
    std::string name;    ///< Of the file, without .cu.
    std::string family;  ///< That writes the kernel, whether or not a better one would be taken.
    Graph graph;         ///< Of one kernel.
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

template <typename Write>
Golden golden(std::string name, std::string family, Write write) {
    Golden made{std::move(name), std::move(family), {}};
    write(made.graph);
    return made;
}

Tensor image(Graph& g, DataType type = DataType::F32, Layout layout = Layout::NCHW) {
    return g.input({"x", {2, 8, 6, 10}, type, layout});
}

std::vector<Golden> pointwise_goldens() {
    return {
        golden("pointwise_bias_relu", "pointwise",
               [](Graph& g) {
                   const Tensor x = g.input({"x", {64, 256}, DataType::F16});
                   g.output(g.relu(g.add(x, g.input({"b", {256}}))));
               }),
        golden("pointwise_channels_last_gate", "pointwise",
               [](Graph& g) {
                   const Tensor x = image(g, DataType::F16, Layout::NHWC);
                   const Tensor gated = g.multiply(x, g.input({"gate", {2, 8, 1, 1}, DataType::F16}));
                   const Tensor sum = g.add(gated, g.input({"residual", {2, 8, 6, 10}, DataType::F16}));
                   g.output(sum);
                   g.output(g.silu(sum));
               }),
        golden("pointwise_integers", "pointwise",
               [](Graph& g) {
                   const Tensor x = g.input({"x", {5, 7}, DataType::I8});
                   const Tensor sum = g.add(x, g.input({"z", {5, 1}, DataType::I8}));
                   g.output(g.multiply(g.cast(sum, DataType::F32), g.host_scalar("scale")));
               }),
        golden("pointwise_transposed_store", "pointwise",
               [](Graph& g) {
                   const Tensor y = g.tanh(g.input({"x", {12, 30}}));
                   g.output(g.transpose(y, {1, 0}));
               }),
    };
}

/// Products are f64, so that no other family has a say in what joins them.
std::vector<Golden> direct_goldens() {
    return {
        golden("direct_conv_bias_residual_relu", "direct",
               [](Graph& g) {
                   const Tensor x = image(g, DataType::F64, Layout::NHWC);
                   const Tensor w = g.input({"w", {16, 8, 3, 3}, DataType::F64, Layout::NHWC});
                   const Tensor conv = g.conv(x, w, {.pad = {1, 1, 1, 1}});
                   const Tensor biased = g.add(conv, g.input({"b", {16, 1, 1}}));
                   g.output(g.relu(g.add(biased, g.input({"z", {2, 16, 6, 10}, DataType::F64, Layout::NHWC}))));
               }),
        golden("direct_conv_computed_inputs", "direct",
               [](Graph& g) {
                   const Tensor shifted = g.add(image(g, DataType::F64), g.input({"shift", {8, 1, 1}}));
                   const Tensor w = g.cast(g.input({"w", {4, 8, 1, 1}, DataType::I8}), DataType::F64);
                   g.output(g.conv(g.relu(shifted), w));
               }),
        golden("direct_conv_transpose", "direct",
               [](Graph& g) {
                   g.output(g.conv_transpose(image(g, DataType::F64), g.input({"w", {8, 3, 2, 2}, DataType::F64}),
                                             {.stride = {2, 2}, .groups = 2}));
               }),
        golden("direct_matmul_gelu", "direct",
               [](Graph& g) {
                   const Tensor product =
                       g.matmul(g.input({"a", {4, 5, 7}, DataType::F64}), g.input({"b", {7, 9}, DataType::F64}));
                   g.output(g.gelu(g.add(product, g.input({"bias", {9}}))));
               }),
        golden("direct_max_pool_with_indices", "direct",
               [](Graph& g) {
                   Pool pool{PoolKind::Max, {3, 3}, {2, 2}, {}, {1, 1, 1, 1}};
                   pool.with_indices = true;
                   for (const Tensor result : g.apply(pool, {image(g)})) g.output(result);
               }),
        golden("direct_reduce_of_squares", "direct",
               [](Graph& g) {
                   const Tensor square = g.pointwise(PointwiseKind::Square, {image(g)});
                   g.output(g.reduce(square, {ReduceKind::Mean, {2, 3}}));
               }),
        golden("direct_resize", "direct",
               [](Graph& g) {
                   g.output(g.apply(Resize{{12, 5}, {}, ResizeMode::Linear}, {image(g)}).front());
               }),
        golden("direct_pad_and_add", "direct",
               [](Graph& g) {
                   const Tensor padded = g.apply(Pad{{0, 0, 1, 2}, {0, 0, 0, 1}, PadMode::Reflect}, {image(g)}).front();
                   g.output(g.add(padded, g.scalar(1.0)));
               }),
        golden("direct_gather", "direct",
               [](Graph& g) {
                   const Tensor rows = g.input({"table", {100, 16}, DataType::F16});
                   g.output(g.apply(Gather{0}, {rows, g.input({"indices", {3, 4}, DataType::I64})}).front());
               }),
    };
}

/// The kernels that the family writes for the graph.
Result<std::string> kernels_of(const Golden& golden) {
    std::vector<std::string> done;
    GraphData rewritten = golden.graph.data();
    apply(rewrites(), rewritten, done);
    Result<GraphData> lowered = lower(rewritten, done);
    if (!lowered.is_ok()) return lowered.status();
    apply(late_rewrites(), *lowered, done);
    const Result<Target> target = Target::named("h200");
    const EmitContext context{*lowered, *target};
    const Result<std::vector<Region>> regions = grow_regions(context, assign_storage(*lowered), {});
    if (!regions.is_ok()) return regions.status();
    std::string text;
    for (const Region& region : *regions) {
        for (const KernelFamily* family : families()) {
            if (family->name() != golden.family) continue;
            const Verdict takes = family->takes(region, context);
            if (!takes) return Status(ErrorCode::Unsupported, takes.reason());
            const Result<Emission> emission = family->emit(region, context);
            if (!emission.is_ok()) return emission.status();
            for (const Step& step : emission->steps) text += step.kernel.text;
        }
    }
    return text;
}

class GoldenKernels : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenKernels, AreWrittenAsTheyWere) {
    ASSERT_TRUE(GetParam().graph.validate().is_ok()) << GetParam().graph.validate().message();
    const Result<std::string> text = kernels_of(GetParam());
    ASSERT_TRUE(text.is_ok()) << text.status().message();
    ASSERT_NE(*text, "") << "no family is called " << GetParam().family;
    const std::string path = std::string(TENON_SOURCE_ROOT) + "/tests/golden/" + GetParam().name + ".cu";
    if (std::getenv("TENON_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << *text;
        return;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(*text, expected.str()) << "if the new text is better: TENON_UPDATE_GOLDEN=1 "
                                        "build/tests/tenon_golden_tests, and read the difference like code";
}

std::string name_of_golden(const ::testing::TestParamInfo<Golden>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Pointwise, GoldenKernels, ::testing::ValuesIn(pointwise_goldens()), name_of_golden);
INSTANTIATE_TEST_SUITE_P(Direct, GoldenKernels, ::testing::ValuesIn(direct_goldens()), name_of_golden);

}  // namespace
}  // namespace tenon::codegen
