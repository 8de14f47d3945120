#include <gtest/gtest.h>

#include <algorithm>

#include <tenon/onnx.h>

#include "tests/onnx/model_writer.h"
#include "tests/support/run.h"

namespace tenon::test {
namespace {

/// conv + bias, relu.
ModelWriter conv_model() {
    ModelWriter model;
    model.input("x", {"batch", "1", "3", "3"});
    model.initializer(float_tensor("w", {1, 1, 2, 2}, {1.0f, 1.0f, 1.0f, 1.0f}));
    model.initializer(float_tensor("b", {1}, {-20.0f}));
    model.node(node_message("Conv", {"x", "w", "b"}, {"c"}, {ints_attribute("kernel_shape", {2, 2})}, "first"));
    model.node(node_message("Relu", {"c"}, {"y"}));
    model.output("y");
    return model;
}

Status imported(const ModelWriter& model, const OnnxOptions& options = {}) {
    const Result<Graph> graph = graph_from_onnx(model.bytes(), options);
    return graph.is_ok() ? graph->validate() : graph.status();
}

TEST(Import, AModelRunsUnderItsOwnNames) {
    const Result<Graph> graph = graph_from_onnx(conv_model().bytes(), {.extents = {{"batch", 1}}});
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    EXPECT_TRUE(graph->find("w").has_value());
    EXPECT_TRUE(graph->find("c").has_value());
    const auto found = run(*graph, CpuDevice::Reference, {{"x", {1, 2, 3, 4, 5, 6, 7, 8, 9}}});
    ASSERT_TRUE(found.is_ok()) << found.status().message();
    EXPECT_EQ(found->at("y"), (Numbers{0, 0, 4, 8}));
}

TEST(Import, OpenExtentsMustBeGiven) {
    const Status open = imported(conv_model());
    EXPECT_EQ(open.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(open.message(), "onnx: axis 0 of input 'x' has the open extent 'batch'; give it a number");
    EXPECT_TRUE(imported(conv_model(), {.dims = {{"x", {2, 1, 3, 3}}}}).is_ok());
    EXPECT_EQ(imported(conv_model(), {.extents = {{"batch", 1}, {"bacth", 1}}}).message(),
              "onnx: the model has no open extent 'bacth'");
    EXPECT_EQ(imported(conv_model(), {.dims = {{"x", {2, 1, 3, 3}}, {"z", {}}}}).message(),
              "onnx: the model has no input 'z'");
    EXPECT_EQ(imported(conv_model(), {.extents = {{"batch", -4}}}).code(), ErrorCode::InvalidGraph);
}

TEST(Import, ErrorsNameTheNodeAndItsOperator) {
    ModelWriter wrong = conv_model();
    wrong.node(node_message("Add", {"y", "w"}, {"z"}, {}, "sum"));
    wrong.node(node_message("MatMul", {"y", "b"}, {"m"}, {}, "product"));
    const Status status = imported(wrong, {.extents = {{"batch", 1}}});
    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph);
    EXPECT_EQ(status.message().find("onnx: node 'product' (MatMul): "), 0u) << status.message();

    const auto message = [](const Message& node, int64_t opset = 17) {
        ModelWriter model(opset);
        model.input("x", {"2", "3"}).initializer(int64_tensor("k", {6})).node(node).output("y");
        return imported(model).message();
    };
    EXPECT_EQ(message(node_message("Loop", {"x"}, {"y"})),
              "onnx: node that writes 'y' (Loop): the operator is not supported");
    EXPECT_EQ(message(node_message("Relu", {"q"}, {"y"})),
              "onnx: node that writes 'y' (Relu): reads 'q', which nothing before it defines");
    EXPECT_EQ(message(node_message("Relu", {"x", "x"}, {"y"})),
              "onnx: node that writes 'y' (Relu): has 2 inputs, needs 1");
    EXPECT_EQ(message(node_message("Relu", {""}, {"y"})), "onnx: node that writes 'y' (Relu): has 0 inputs, needs 1");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"y"}, {int_attribute("novelty", 1)})),
              "onnx: node that writes 'y' (Relu): the attribute 'novelty' is not supported");
    EXPECT_EQ(message(node_message("Softmax", {"x"}, {"y"}, {text_attribute("axis", "1")})),
              "onnx: node that writes 'y' (Softmax): attribute 'axis' has the wrong type");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"x"})), "onnx: 'x' is defined twice");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"z"})), "onnx: output 'y' is defined by no node");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"y", "z"})),
              "onnx: node that writes 'y' (Relu): output 1 ('z') is not supported");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"y"}), 99),
              "onnx: the model uses operator set 99; the newest known is 24");
    EXPECT_EQ(message(node_message("Relu", {"x"}, {"y"}).text(7, "com.example")),
              "onnx: node that writes 'y' (Relu): the operator domain 'com.example' is not supported");
    EXPECT_EQ(message(node_message("Reshape", {"x", "x"}, {"y"})),
              "onnx: node that writes 'y' (Reshape): input 'x' must be known at import; give its value as a constant");
}

TEST(Import, FilesThatAreNoModelAreRefused) {
    EXPECT_EQ(graph_from_onnx("").status().code(), ErrorCode::BadFile);
    EXPECT_EQ(graph_from_onnx("no model at all").status().code(), ErrorCode::BadFile);
    ModelWriter with_function = conv_model();
    with_function.model_field(25, Message().text(1, "block"));
    EXPECT_EQ(imported(with_function).message(),
              "onnx: the model defines the function 'block'; inline functions before importing");
    ModelWriter sparse = conv_model();
    sparse.graph_field(15, Message());
    EXPECT_EQ(imported(sparse).code(), ErrorCode::Unsupported);
}

TEST(Import, AnInputMayBeFixed) {
    ModelWriter model;
    model.input("x", {"2", "3"}).input("shape", {"1"}, 7);
    model.node(node_message("Reshape", {"x", "shape"}, {"y"})).output("y");
    EXPECT_EQ(imported(model).code(), ErrorCode::InvalidArgument);
    std::vector<std::byte> six(8);
    six[0] = std::byte{6};
    const OnnxOptions fixed{.constants = {{"shape", {{1}, six}}}};
    const Result<Graph> graph = graph_from_onnx(model.bytes(), fixed);
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    EXPECT_EQ(graph->inputs().size(), 1u);
    EXPECT_EQ(graph->spec(graph->outputs()[0]).dims, (Dims{6}));
    six.pop_back();
    EXPECT_EQ(imported(model, {.constants = {{"shape", {{1}, six}}}}).message(),
              "onnx: constant 'shape' has 7 bytes, needs 8 for i64 1");
}

/// x [2, 3, 4] flattened the way exporters write it: Shape, Slice, ReduceProd, Concat, Reshape.
TEST(Import, ShapeComputationsLeaveNoNodes) {
    ModelWriter model;
    model.input("x", {"n", "3", "4"});
    model.initializer(int64_tensor("zero", {0})).initializer(int64_tensor("one", {1}));
    model.initializer(int64_tensor("two", {2})).initializer(int64_tensor("rest", {-1}));
    model.node(node_message("Shape", {"x"}, {"extents"}));
    model.node(node_message("Gather", {"extents", "zero"}, {"n"}));
    model.node(node_message("Slice", {"extents", "one", "two"}, {"middle"}));
    model.node(node_message("Mul", {"n", "middle"}, {"rows"}));
    model.node(node_message("Cast", {"rows"}, {"real"}, {int_attribute("to", 1)}));
    model.node(node_message("Floor", {"real"}, {"floor"}));
    model.node(node_message("Cast", {"floor"}, {"whole"}, {int_attribute("to", 7)}));
    model.node(node_message("Concat", {"whole", "rest"}, {"shape"}, {int_attribute("axis", 0)}));
    model.node(node_message("Reshape", {"x", "shape"}, {"y"})).output("y");
    const Result<Graph> graph = graph_from_onnx(model.bytes(), {.extents = {{"n", 2}}});
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    const std::string text = graph->to_text();
    EXPECT_EQ(graph->spec(graph->outputs()[0]).dims, (Dims{6, 4}));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;  // input, reshape, output
}

TEST(Import, OutputsMayBeInputsConstantsAndTheSameTensor) {
    ModelWriter model;
    model.input("x", {"2"}).initializer(float_tensor("c", {1}, {3.0f}));
    model.node(node_message("Identity", {"x"}, {"a"})).node(node_message("Identity", {"c"}, {"b"}));
    model.node(node_message("Neg", {"x"}, {"d"})).node(node_message("Identity", {"d"}, {"e"}));
    model.output("a").output("b").output("d").output("e");
    const Result<Graph> graph = graph_from_onnx(model.bytes());
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    const auto found = run(*graph, CpuDevice::Reference, {{"x", {1, 2}}});
    ASSERT_TRUE(found.is_ok()) << found.status().message();
    EXPECT_EQ(found->at("a"), (Numbers{1, 2}));
    EXPECT_EQ(found->at("b"), (Numbers{3}));
    EXPECT_EQ(found->at("d"), (Numbers{-1, -2}));
    EXPECT_EQ(found->at("e"), (Numbers{-1, -2}));
}

TEST(Import, OldOperatorSetsMeanWhatTheyMeant) {
    const auto output = [](const Message& node, int64_t opset) {
        ModelWriter model(opset);
        model.input("x", {"1", "2", "2"}).initializer(float_tensor("b", {2}, {10.0f, 20.0f})).node(node).output("y");
        const Result<Graph> graph = graph_from_onnx(model.bytes());
        if (!graph.is_ok()) return Numbers{};
        return run(*graph, CpuDevice::Reference, {{"x", {0, 1, 2, 3}}})->at("y");
    };
    const std::vector<Message> channels{int_attribute("broadcast", 1), int_attribute("axis", 1)};
    EXPECT_EQ(output(node_message("Add", {"x", "b"}, {"y"}, channels), 6), (Numbers{10, 11, 22, 23}));
    EXPECT_EQ(output(node_message("Add", {"x", "b"}, {"y"}), 7), (Numbers{10, 21, 12, 23}));
    // Softmax over all axes from 1 on, taken as one; newer: over the last.
    EXPECT_NEAR(output(node_message("Softmax", {"x"}, {"y"}), 11)[3], 0.6439, 1e-4);
    EXPECT_NEAR(output(node_message("Softmax", {"x"}, {"y"}), 13)[3], 0.7311, 1e-4);
    const std::vector<Message> bounds{float_attribute("min", 1.0f), float_attribute("max", 2.0f)};
    EXPECT_EQ(output(node_message("Clip", {"x"}, {"y"}, bounds), 6), (Numbers{1, 1, 2, 2}));
    EXPECT_EQ(output(node_message("ReduceSum", {"x"}, {"y"}, {ints_attribute("axes", {2})}), 11), (Numbers{1, 5}));
}

TEST(Import, ListsItsOperators) {
    const std::vector<std::string> names = onnx_operators();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "an operator has two rows";
    for (const char* name : {"Conv", "Gemm", "Softmax", "Resize", "LayerNormalization", "Slice"})
        EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
}

}  // namespace
}  // namespace tenon::test
