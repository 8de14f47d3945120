#include <tenon/json.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "frontend/graph/graph_data.h"
#include "frontend/ops/op_rules.h"
#include "tests/frontend/op_samples.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

/// Equal in every bit that a graph has.
void expect_same(const Graph& a, const Graph& b) {
    const GraphData& left = a.data();
    const GraphData& right = b.data();
    EXPECT_EQ(left.outputs, right.outputs);
    EXPECT_EQ(left.numerics.relaxed, right.numerics.relaxed);
    EXPECT_EQ(left.numerics.tf32, right.numerics.tf32);
    ASSERT_EQ(left.values.size(), right.values.size());
    for (size_t i = 0; i < left.values.size(); ++i) {
        const Value &x = left.values[i], &y = right.values[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.kind, y.kind);
        EXPECT_EQ(x.type, y.type);
        EXPECT_EQ(x.dims, y.dims);
        EXPECT_EQ(x.strides, y.strides) << x.name;
        EXPECT_EQ(x.producer, y.producer);
        ASSERT_EQ(x.data == nullptr, y.data == nullptr);
        if (x.data) {
            EXPECT_EQ(*x.data, *y.data) << x.name;
        }
    }
    ASSERT_EQ(left.nodes.size(), right.nodes.size());
    for (size_t i = 0; i < left.nodes.size(); ++i) {
        EXPECT_EQ(left.nodes[i].name, right.nodes[i].name);
        EXPECT_EQ(left.nodes[i].inputs, right.nodes[i].inputs);
        EXPECT_EQ(left.nodes[i].outputs, right.nodes[i].outputs);
        EXPECT_EQ(left.nodes[i].fusion, right.nodes[i].fusion);
        EXPECT_EQ(left.nodes[i].op.index(), right.nodes[i].op.index());
    }
    // The text holds every attribute; that it does is the business of the next test.
    EXPECT_EQ(to_json(a), to_json(b));
}

void expect_round_trip(const Graph& graph) {
    const std::string text = to_json(graph);
    const Result<Graph> read = graph_from_json(text);
    ASSERT_TRUE(read.is_ok()) << read.status().message() << "\n" << text;
    expect_same(graph, *read);
}

TEST(Json, EveryOperationComesBack) {
    std::set<size_t> seen;
    for (const testing::OpSample& sample : testing::op_samples()) {
        const Graph graph = testing::graph_of(sample);
        ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
        seen.insert(sample.op.index());
        expect_round_trip(graph);
    }
    EXPECT_EQ(seen.size(), std::variant_size_v<Op>) << "an operation has no sample";
}

// Changes one field of an operation after the other; each change must show in the text.
void change(int64_t& field) { field += 1; }
void change(double& field) { field += 0.5; }
void change(bool& field) { field = !field; }
void change(Dims& field) { field.push_back(7); }
void change(std::vector<double>& field) { field.push_back(0.5); }
void change(std::array<double, 3>& field) { field[2] += 0.5; }
template <typename Enum>
requires std::is_enum_v<Enum>
void change(Enum& field) { field = static_cast<Enum>(static_cast<int>(field) == 0 ? 1 : 0); }

TEST(Json, EveryFieldIsInTheText) {
    for (const testing::OpSample& sample : testing::op_samples()) {
        const Graph graph = testing::graph_of(sample);
        int count = 0;
        std::visit([&](auto op) { op.fields(op, [&](const char*, auto&) { ++count; }); }, sample.op);
        for (int changed = 0; changed < count; ++changed) {
            Graph other = graph;
            std::visit(
                [&](auto& op) {
                    int at = 0;
                    op.fields(op, [&](const char*, auto& field) {
                        if (at++ == changed) change(field);
                    });
                },
                other.data().nodes[0].op);
            EXPECT_NE(to_json(graph), to_json(other)) << name_of(sample.op) << ", field " << changed;
        }
    }
}

TEST(Json, ConstantsKeepEveryBit) {
    Graph g;
    const uint32_t floats[] = {0x7fc00001, 0xff800000, 0x80000000, 1, 0x7f7fffff, 0x7f800001};
    const uint16_t halves[] = {0x7e00, 0xfc00, 0x8000, 1, 0x7bff, 0x3c01};
    const double doubles[] = {0.1, -0.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::denorm_min()};
    const int64_t wholes[] = {INT64_MIN, INT64_MAX, (int64_t{1} << 53) + 1};
    const uint8_t truths[] = {1, 0, 255};
    std::vector<float> many(1000);
    for (size_t i = 0; i < many.size(); ++i) many[i] = 1.0f / static_cast<float>(i);
    std::vector<Tensor> tensors;
    tensors.push_back(g.constant({"payload", {2, 3}}, floats, sizeof floats));
    tensors.push_back(g.constant({"half", {6}, DataType::F16}, halves, sizeof halves));
    tensors.push_back(g.constant({"bfloat", {6}, DataType::BF16}, halves, sizeof halves));
    tensors.push_back(g.constant({"double", {4}, DataType::F64}, doubles, sizeof doubles));
    tensors.push_back(g.constant({"whole", {3}, DataType::I64}, wholes, sizeof wholes));
    tensors.push_back(g.constant({"truth", {3}, DataType::Bool}, truths, sizeof truths));
    tensors.push_back(g.constant({"many", {1000}}, many.data(), many.size() * 4));
    tensors.push_back(g.constant({"gaps", {2, 2}, DataType::F32, Layout::NCHW, {4, 1}}, floats, 6 * 4));
    tensors.push_back(g.constant({"last", {1, 3, 2, 1}, DataType::F32, Layout::NHWC}, floats, 6 * 4));
    tensors.push_back(g.constant({"spread", {2, 3}, DataType::F32, Layout::NCHW, {0, 1}}, floats, 3 * 4));
    tensors.push_back(g.constant({"empty", {0, 3}}, nullptr, 0));
    tensors.push_back(g.scalar(2.5, DataType::F64));
    for (const Tensor tensor : tensors) g.output(g.pointwise(PointwiseKind::Identity, {tensor}));
    ASSERT_TRUE(g.validate().is_ok()) << g.validate().message();
    expect_round_trip(g);
    EXPECT_THAT(to_json(g), HasSubstr("\"values\": [-9223372036854775808,9223372036854775807,9007199254740993]"));
}

TEST(Json, MarksStridesScalarsAndDoubledNamesComeBack) {
    Graph g;
    const Tensor x = g.input({"x", {2, 4, 3, 3}, DataType::F16, Layout::NHWC});
    const Tensor pitched = g.input({"pitched", {2, 4, 3, 3}, DataType::F16, Layout::NCHW, {100, 1, 30, 8}});
    const Tensor alpha = g.host_scalar("alpha", DataType::F32);
    const Tensor one = g.relu(g.add(x, pitched, {.name = "same"}), {.name = "same", .type = DataType::F32});
    const Tensor two = g.clip(g.multiply(one, alpha), -kInfinity, 6.0, {.name = "quote \" \\ / ~ \x01 é"});
    g.output(two, {.strides = {200, 1, 60, 16}});
    g.output(one);
    g.set_fusion(two, Fusion::Forbidden);
    g.set_fusion(one, Fusion::Required);
    g.set_numerics({.relaxed = true, .tf32 = true});
    ASSERT_TRUE(g.validate().is_ok()) << g.validate().message();
    expect_round_trip(g);
}

TEST(Json, AttributesKeepInfinitiesAndNan) {
    Graph g;
    const Tensor x = g.input({"x", {2}});
    g.output(g.pointwise(PointwiseKind::Threshold, {x}, {-kInfinity, __builtin_nan(""), 0.0}));
    g.output(g.apply(Pad{{1}, {0}, PadMode::Constant, __builtin_nan("0x5")}, {x}).front());
    expect_round_trip(g);
    EXPECT_THAT(to_json(g), HasSubstr("\"parameters\": [\"-inf\", \"nan\", 0.0]"));
    EXPECT_THAT(to_json(g), HasSubstr("\"0x7ff8000000000005\""));
}

TEST(Json, WritesAMistakeAndRefusesToReadIt) {
    Graph g;
    g.output(g.matmul(g.input({"a", {2, 3}}), g.input({"b", {4, 5}})));
    const Result<Graph> read = graph_from_json(to_json(g));
    ASSERT_FALSE(read.is_ok());
    EXPECT_EQ(read.status().code(), ErrorCode::InvalidGraph);
    EXPECT_THAT(read.status().message(), HasSubstr("3 columns"));
}

std::string file_text(const std::string& name) {
    std::ifstream file(std::string(TENON_SOURCE_ROOT) + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Json, TheSampleIsAGraphAndInfersItsTensors) {
    const Result<Graph> graph = graph_from_json(file_text("samples/conv_block.json"));
    ASSERT_TRUE(graph.is_ok()) << graph.status().message();
    const std::optional<Tensor> y = graph->find("y");
    ASSERT_TRUE(y.has_value());
    EXPECT_EQ(graph->spec(*y).dims, (Dims{1, 32, 14, 14}));
    EXPECT_EQ(graph->spec(*y).strides, packed_strides({1, 32, 14, 14}, Layout::NHWC));
    expect_round_trip(*graph);
}

TEST(Json, SaysWhereAndWhatIsWrong) {
    const std::string head = R"({"tenon_graph": 1, )";
    const std::string x = R"("tensors": [{"name": "x", "dims": [2, 3]}], )";
    struct Wrong {
        std::string text, words;
        ErrorCode code = ErrorCode::BadFile;
    };
    const std::vector<Wrong> wrong = {
        {"", "is no JSON, from byte"},
        {"{\"tenon_graph\": 1", "is no JSON, from byte"},
        {"[]", "/: is an array, needs an object"},
        {"{}", "/tenon_graph: is 0, needs 1"},
        {R"({"tenon_graph": 2})", "/tenon_graph: is 2, needs 1"},
        {R"({"tenon_graph": 1, "tenon_graph": 1})", "the key \"tenon_graph\" stands twice"},
        {std::string(40, '['), "nested deeper than 32"},
        {head + R"("tensor": []})", "/tensor: no such field"},
        {head + R"("numerics": {"tf32": 1}})", "/numerics/tf32: is 1, needs true or false"},
        {head + R"("tensors": [{"name": 5}]})", "/tensors/0/name: is 5, needs a string"},
        {head + R"("tensors": [{"name": "x"}]})", "/tensors/0: tensor 'x' has no dims", ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "x", "dims": [-1]}]})", "/tensors/0: 'x' has the extent -1",
         ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "x", "dims": [1.5]}]})", "/tensors/0/dims/0: is 1.5, needs a whole number"},
        {head + R"("tensors": [{"name": "x", "dims": [18446744073709551615]}]})", "needs a whole number of 64 bits"},
        {head + R"("tensors": [{"name": "x", "dims": [1e999]}]})", "is no JSON"},
        {head + R"("tensors": [{"name": "x", "dims": [1099511627776, 1099511627776]}]})", "too large",
         ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "x", "dims": [2], "type": "f12"}]})",
         "/tensors/0/type: is \"f12\", needs one of f16, bf16"},
        {head + R"("tensors": [{"name": "x", "dims": [2], "layout": "nchw", "strides": [1]}]})",
         "has a layout and strides", ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "dims": [2]}]})", "has 0 of values and base64",
         ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "c", "dims": [1], "values": [1]}]})", "input needs 0", ErrorCode::InvalidGraph},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "dims": [2], "values": [1]}]})",
         "/tensors/0/values: has 1 values, 2 needs 2"},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "type": "i8", "dims": [2], "values": [1, 128]}]})",
         "/tensors/0/values/1: is 128, needs a value of i8"},
        {head +
             R"("tensors": [{"name": "c", "kind": "constant", "dims": [2], "strides": [1000000], "values": [1, 2]}]})",
         "with gaps"},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "dims": [1], "base64": "AAAA"}]})",
         "/tensors/0/base64: has 4 characters, 4 bytes need 8"},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "dims": [1], "base64": "AA!AAA=="}]})",
         "character 2 is no base64"},
        {head + R"("tensors": [{"name": "c", "kind": "constant", "dims": [1], "base64": "AAAAAB=="}]})",
         "bits beyond the last byte"},
        {head + R"("tensors": [{"name": "s", "kind": "host_scalar", "dims": [2]}]})", "host scalar 's' is 2",
         ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "rellu", "inputs": ["x"]}]})", "/nodes/0: there is no operation 'rellu'",
         ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "inputs": ["z"]}]})", "/nodes/0: there is no tensor 'z'",
         ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "inputs": [7]}]})", "/nodes/0: there is no tensor 7",
         ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "inputs": ["x", "x"]}]})",
         "/nodes/0: relu 'relu_0': has 2 inputs, needs 1", ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "inputs": ["x"], "outputs": ["x"]}], "outputs": ["x"]})",
         "which another node or the caller gives", ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "softmax", "inputs": ["x"], "attributes": {"axes": 1}}]})",
         "/nodes/0/attributes/axes: no such field"},
        {head + x + R"("nodes": [{"op": "softmax", "inputs": ["x"], "attributes": {"axis": "1"}}]})",
         "/nodes/0/attributes/axis: is \"1\", needs a whole number"},
        {head + x + R"("nodes": [{"op": "relu", "inputs": ["x"], "attributes": {"parameters": [1, 2, 3, 4]}}]})",
         "at most 3 numbers"},
        {head + x + R"("nodes": [{"op": "relu", "inputs": ["x"], "fusion": "never"}]})",
         "/nodes/0/fusion: is \"never\", needs one of allowed, forbidden, required"},
        {head + x + R"("outputs": ["x"]})", "/: output 0 is computed by no node", ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "name": "y", "inputs": ["x"]}]})", "the graph has no output",
         ErrorCode::InvalidGraph},
        {head + x + R"("nodes": [{"op": "relu", "name": "y", "inputs": ["x"]}], "outputs": ["y", "y"]})",
         "/outputs/1: output 'y' is marked twice", ErrorCode::InvalidGraph},
    };
    for (const Wrong& row : wrong) {
        const Result<Graph> graph = graph_from_json(row.text);
        ASSERT_FALSE(graph.is_ok()) << row.text;
        EXPECT_THAT(graph.status().message(), HasSubstr(row.words)) << row.text;
        EXPECT_EQ(graph.status().code(), row.code) << row.text << "\n" << graph.status().message();
    }
}

/// Damages text as a disk or an attacker would: flipped bytes, cut and repeated pieces, other numbers.
std::string damaged(std::string text, std::mt19937& random) {
    const char* pieces[] = {"-1", "9223372036854775807", "1e308", "null", "{}", "[]", "\"\"", "true", "0", "\"x\""};
    const size_t changes = 1 + random() % 3;
    for (size_t i = 0; i < changes && !text.empty(); ++i) {
        const size_t at = random() % text.size();
        const size_t length = std::min<size_t>(random() % 20, text.size() - at);
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        switch (random() % 5) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), length));
                break;
            default: {  // Another value in the place of a number: most often still JSON.
                size_t begin = at;
                while (begin < text.size() && !is_digit(text[begin])) ++begin;
                size_t end = begin;
                while (end < text.size() && is_digit(text[end])) ++end;
                text.replace(begin, end - begin, pieces[random() % std::size(pieces)]);
            }
        }
    }
    return text;
}

TEST(Json, DamagedTextGivesAGraphOrAStatusWithItsPlace) {
    std::mt19937 random(7);
    int valid = 0, refused = 0;
    for (const testing::OpSample& sample : testing::op_samples()) {
        const std::string text = to_json(testing::graph_of(sample));
        for (int i = 0; i < 60; ++i) {
            const std::string other = damaged(text, random);
            const Result<Graph> graph = graph_from_json(other);
            if (graph.is_ok()) {
                ++valid;
                EXPECT_TRUE(graph->validate().is_ok()) << other;
                continue;
            }
            ++refused;
            const std::string& message = graph.status().message();
            EXPECT_TRUE(message.starts_with("/") || message.starts_with("is no JSON") ||
                        message.starts_with("the key ") || message.starts_with("is nested"))
                << message;
        }
    }
    EXPECT_GT(valid, 100);
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tenon
