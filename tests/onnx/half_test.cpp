// Models in half precision and with channels innermost.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <tenon/onnx.h>

#include "engine/reference/number.h"
#include "frontend/onnx/known.h"
#include "tests/onnx/model_writer.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

uint16_t bits_of(DataType type, double value) {
    const onnx::Known known = onnx::known_numbers(type, {}, {value});
    return static_cast<uint16_t>(std::to_integer<int>((*known.bytes)[0]) | std::to_integer<int>((*known.bytes)[1])
                                                                               << 8);
}

/// Every 16-bit number, the middles between neighbours and numbers just off them: where rounding decides.
TEST(Half, RoundsAsTheReferenceDoes) {
    for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const double low = engine::half_value(static_cast<uint16_t>(bits));
        const double high = engine::half_value(static_cast<uint16_t>(bits + 1));
        const double middle = std::isinf(high) ? 65520.0 : (low + high) / 2;
        for (const double value : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9), -middle})
            ASSERT_EQ(bits_of(DataType::F16, value), engine::half_bits(value)) << value;
    }
    for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
        const double low = engine::bfloat16_value(static_cast<uint16_t>(bits));
        const double high = engine::bfloat16_value(static_cast<uint16_t>(bits + 1));
        const double middle = std::isinf(high) ? low * (1.0 + 0x1p-8) : (low + high) / 2;
        for (const double value : {low, middle, std::nextafter(middle, 0.0), -middle})
            ASSERT_EQ(bits_of(DataType::BF16, value), engine::bfloat16_bits(value)) << value;
    }
    for (const double value : {0.0, -0.0, 1e300, -1e300, 1e-300, HUGE_VAL, -HUGE_VAL}) {
        EXPECT_EQ(bits_of(DataType::F16, value), engine::half_bits(value)) << value;
        EXPECT_EQ(bits_of(DataType::BF16, value), engine::bfloat16_bits(value)) << value;
    }
    EXPECT_TRUE(std::isnan(engine::half_value(bits_of(DataType::F16, std::nan("")))));
}

/// conv + bias, relu, a second conv of a concatenation with the input.
ModelWriter image_model() {
    ModelWriter model;
    model.input("x", {"1", "2", "4", "5"});
    std::vector<float> first(3 * 2 * 9), second(2 * 5);
    std::mt19937 random(7);
    for (float& value : first) value = static_cast<float>(random() % 17) / 8.0f - 1.0f;
    for (float& value : second) value = static_cast<float>(random() % 17) / 8.0f - 1.0f;
    model.initializer(float_tensor("w1", {3, 2, 3, 3}, first)).initializer(float_tensor("w2", {2, 5, 1, 1}, second));
    model.initializer(float_tensor("b", {3}, {0.1f, 0.2f, 0.3f}));
    model.node(node_message("Conv", {"x", "w1", "b"}, {"c"}, {ints_attribute("pads", {1, 1, 1, 1})}));
    model.node(node_message("Relu", {"c"}, {"r"}));
    model.node(node_message("Concat", {"r", "x"}, {"k"}, {int_attribute("axis", 1)}));
    model.node(node_message("Conv", {"k", "w2"}, {"y"})).output("y");
    return model;
}

Numbers output_of(const OnnxOptions& options, CpuDevice device, Graph* kept = nullptr) {
    const Result<Graph> graph = graph_from_onnx(image_model().bytes(), options);
    if (!graph.is_ok()) return {static_cast<double>(graph.status().message().size())};
    if (kept != nullptr) *kept = *graph;
    const auto found = run(*graph, device, random_inputs(*graph, 3));
    return found.is_ok() ? found->at("y") : Numbers{};
}

TEST(Half, AModelIsCastBehindItsInputsAndBackBeforeItsOutputs) {
    Graph graph;
    const Numbers whole = output_of({}, CpuDevice::Reference);
    const Numbers half = output_of({.compute_type = DataType::F16}, CpuDevice::Reference, &graph);
    ASSERT_EQ(half.size(), 40u);
    for (size_t i = 0; i < half.size(); ++i) EXPECT_NEAR(half[i], whole[i], 2e-2);
    EXPECT_NE(half, whole);
    EXPECT_EQ(graph.spec(*graph.find("x")).type, DataType::F32);
    EXPECT_EQ(graph.spec(*graph.find("w1")).type, DataType::F16);
    EXPECT_EQ(graph.spec(*graph.find("b")).type, DataType::F32);
    EXPECT_EQ(graph.spec(*graph.find("r")).type, DataType::F16);
    EXPECT_EQ(graph.spec(graph.outputs()[0]).type, DataType::F32);
    EXPECT_EQ(graph.find("y"), graph.outputs()[0]);
}

TEST(Half, ChannelsMayLieInnermost) {
    for (const DataType type : {DataType::F32, DataType::BF16}) {
        Graph graph;
        const Numbers rows = output_of({.compute_type = type}, CpuDevice::Reference);
        const OnnxOptions innermost{.layout = Layout::NHWC, .compute_type = type};
        EXPECT_EQ(output_of(innermost, CpuDevice::Reference, &graph), rows);
        EXPECT_EQ(graph.spec(*graph.find("w1")).strides, packed_strides({3, 2, 3, 3}, Layout::NHWC));
        EXPECT_EQ(graph.spec(*graph.find("r")).strides, packed_strides({1, 3, 4, 5}, Layout::NHWC));
        EXPECT_EQ(graph.spec(graph.outputs()[0]).strides, packed_strides({1, 2, 4, 5}, Layout::NCHW));
        const Numbers kernels = output_of(innermost, CpuDevice::Emulator);
        ASSERT_EQ(kernels.size(), rows.size());
        for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(kernels[i], rows[i], type == DataType::F32 ? 1e-5 : 0.1);
    }
}

TEST(Half, OtherComputeTypesAreRefused) {
    EXPECT_EQ(graph_from_onnx(image_model().bytes(), {.compute_type = DataType::I8}).status().message(),
              "onnx: the compute type is i8, needs f32, f16 or bf16");
}

}  // namespace
}  // namespace tenon::test
