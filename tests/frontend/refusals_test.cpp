// Every wrong input of every operation is refused with a stable code, the node's name, and the values that clash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "frontend/graph/graph_data.h"
#include "frontend/ops/op_rules.h"
#include "tests/frontend/op_samples.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;
using testing::OpSample;

struct Refusal {
    Op op;
    std::vector<TensorSpec> inputs;
    std::string words;
};

TensorSpec of(Dims dims, DataType type = DataType::F32) { return {"", std::move(dims), type}; }

constexpr int64_t kHuge = int64_t{1} << 40;

std::vector<Refusal> contractions() {
    const TensorSpec x = of({1, 4, 6, 6}), w = of({8, 4, 3, 3});
    return {
        {Conv{}, {of({4, 6}), w}, "'a' (f32 4x6) has rank 2, needs 3 to 5"},
        {Conv{}, {x, of({8, 4, 3})}, "'b' (f32 8x4x3) has rank 3, needs 4 to 4"},
        {Conv{}, {x, of({8, 3, 3, 3})}, "image 'a' has 4 channels, filter 'b' reads 3 (groups = 1)"},
        {Conv{.groups = 3}, {x, w}, "4 channels do not divide into 3 groups"},
        {Conv{.groups = 4}, {x, of({6, 1, 3, 3})}, "6 filters do not divide into 4 groups"},
        {Conv{.groups = 0}, {x, w}, "4 channels do not divide into 0 groups"},
        {Conv{.groups = -2}, {x, w}, "4 channels do not divide into -2 groups"},
        {Conv{.groups = INT64_MAX}, {of({1, 0, 6, 6}), of({0, kHuge, 1, 1})}, "0 channels do not divide into 92233"},
        {Conv{.groups = INT32_MAX}, {of({1, 0, 6, 6}), of({0, kHuge, 1, 1})}, "has 0 channels, filter 'b' reads 92233"},
        {Conv{.stride = {1}}, {x, w}, "stride has 1 entries, needs 2"},
        {Conv{.stride = {0, 1}}, {x, w}, "stride is 0, needs 1 to 2147483647"},
        {Conv{.stride = {int64_t{1} << 31, 1}}, {x, w}, "stride is 2147483648, needs 1 to 2147483647"},
        {Conv{.dilation = {1, -1}}, {x, w}, "dilation is -1, needs 1 to"},
        {Conv{.pad = {1, 1}}, {x, w}, "pad has 2 entries, needs 4"},
        {Conv{.pad = {0, 0, 0, -1}}, {x, w}, "pad is -1, needs 0 to"},
        {Conv{.dilation = {3, 1}}, {x, w}, "axis 2 of image 'a' is 6, too small for filter 'b': the output extent"},
        {Conv{},
         {x, of({8, 4, 3, 3}, DataType::F16)},
         "'a' (f32 1x4x6x6) and 'b' (f16 8x4x3x3) must have one floating"},
        {Conv{}, {of({1, 4, 6, 6}, DataType::Bool), of({8, 4, 3, 3}, DataType::Bool)}, "must have one floating type"},
        {Conv{}, {of({1, 4, 6, 6}, DataType::I8), of({8, 4, 3, 3}, DataType::U8)}, "or be i8 or u8 with i8"},
        {Conv{.pad = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}}, {x, w}, "'node' is too large: 1x8x429496"},
        {ConvTranspose{}, {of({4, 6}), w}, "'a' (f32 4x6) has rank 2, needs 3 to 5"},
        {ConvTranspose{}, {x, of({3, 4, 3, 3})}, "image 'a' has 4 channels, filter 'b' reads 3"},
        {ConvTranspose{.groups = 3}, {x, of({4, 4, 3, 3})}, "4 channels do not divide into 3 groups"},
        {ConvTranspose{.output_padding = {1}}, {x, of({4, 4, 3, 3})}, "output_padding has 1 entries, needs 2"},
        {ConvTranspose{.output_padding = {0, -1}}, {x, of({4, 4, 3, 3})}, "output_padding is -1, needs 0 to"},
        {ConvTranspose{.output_padding = {INT64_MAX, 0}}, {x, of({4, 4, 3, 3})}, "output_padding is 92233"},
        {ConvTranspose{.pad = {4, 0, 4, 0}}, {x, of({4, 4, 3, 3})}, "axis 2 of the output would have extent 0"},
        {ConvTranspose{.stride = {INT32_MAX, 1}},
         {of({1, 1, kHuge, 1}, DataType::I8), of({1, 1, 1, 1}, DataType::I8)},
         "axis 2 of 'a' (i8 1x1x1099511627776x1) is too large for stride 2147483647"},
        {ConvTranspose{.output_padding = {INT32_MAX, INT32_MAX}}, {x, of({4, 4, 3, 3})}, "'node' is too large: 1x4x"},
        {ConvTranspose{.groups = INT32_MAX}, {of({1, 0, 6, 6}), of({0, kHuge, 1, 1})}, "'node' is too large: 1x92233"},
        {ConvTranspose{}, {x, of({4, 4, 3, 3}, DataType::F64)}, "must have one floating type"},
        {Matmul{}, {of({4}), of({4, 5})}, "'a' (f32 4) has rank 1, needs 2 to 8"},
        {Matmul{}, {of({3, 4}), of({4})}, "'b' (f32 4) has rank 1, needs 2 to 8"},
        {Matmul{}, {of({3, 4}), of({5, 4})}, "'a' (f32 3x4) has 4 columns, 'b' (f32 5x4) has 5 rows"},
        {Matmul{}, {of({2, 3, 4}), of({3, 4, 5})}, "does not broadcast: axis 0 is 3, others have 2"},
        {Matmul{}, {of({3, 4}), of({4, 5}, DataType::I32)}, "must have one floating type"},
        {Matmul{}, {of({kHuge, 1}, DataType::F16), of({1, kHuge}, DataType::F16)}, "'node' is too large: 10995"},
    };
}

std::vector<Refusal> reductions() {
    const TensorSpec x = of({2, 4, 3}), c = of({4});
    const double nan = std::nan("");
    return {
        {Norm{}, {of({2, 4}, DataType::I32)}, "'a' (i32 2x4) must be floating"},
        {Norm{}, {of({})}, "'a' (f32 scalar) has rank 0, needs 1 to 8"},
        {Norm{.axis = 3}, {x}, "axis 3 is outside rank 3"},
        {Norm{.axis = 1}, {x, of({4})}, "'b' (f32 4) must be 4x3"},
        {Norm{.axis = 1}, {x, of({4, 3}), of({3})}, "'c' (f32 3) must be 4x3"},
        {Norm{.axis = 1}, {x, of({4, 3}, DataType::I8)}, "'b' (i8 4x3) must be floating"},
        {Norm{.epsilon = -1e-5}, {x}, "epsilon is -0.000010, needs a finite number of at least 0"},
        {Norm{.epsilon = nan}, {x}, "epsilon is nan, needs"},
        {Norm{.epsilon = kInfinity}, {x}, "epsilon is inf, needs"},
        {Norm{.kind = NormKind::Instance}, {of({4})}, "'a' (f32 4) has rank 1, needs 2 to 8"},
        {Norm{.kind = NormKind::Instance}, {x, of({3})}, "'b' (f32 3) must be 4"},
        {Norm{.kind = NormKind::Group, .groups = 3}, {x}, "4 channels do not divide into 3 groups"},
        {Norm{.kind = NormKind::Group, .groups = 0}, {x}, "4 channels do not divide into 0 groups"},
        {Norm{.kind = NormKind::Group, .groups = kHuge * 64, .save_statistics = true},
         {of({2, 0, 3})},
         "too large: 2x70"},
        {BatchNorm{}, {of({4}), c, c, c, c}, "'a' (f32 4) has rank 1, needs 2 to 8"},
        {BatchNorm{}, {x, c, c, c, of({3})}, "'e' (f32 3) must be 4"},
        {BatchNorm{}, {x, of({4}, DataType::I32), c, c, c}, "'b' (i32 4) must be floating"},
        {BatchNorm{.epsilon = nan}, {x, c, c, c, c}, "epsilon is nan"},
        {BatchNorm{.momentum = nan, .training = true}, {x, c, c, c, c}, "momentum is nan, needs 0 to 1"},
        {BatchNorm{.momentum = -0.1, .training = true}, {x, c, c, c, c}, "momentum is -0.100000, needs 0 to 1"},
        {BatchNorm{.momentum = 1.5, .training = true}, {x, c, c, c, c}, "momentum is 1.500000, needs 0 to 1"},
        {BatchNorm{.training = true},
         {of({1, 4}), c, c, c, c},
         "has 1 value per channel (N*H*W); training needs at least 2"},
        {BatchNorm{.training = true}, {x, c, c, c, c, c}, "'f' (f32 4) must be scalar"},
        {Reduce{}, {of({2}, DataType::Bool)}, "'a' (bool 2) cannot be reduced"},
        {Reduce{.axes = {3}}, {x}, "axis 3 is outside rank 3"},
        {Reduce{.axes = {1, -2}}, {x}, "axis -2 is named twice"},
        {Reduce{ReduceKind::Argmax}, {x}, "reduces 3 axes to a position, needs 1"},
        {Reduce{ReduceKind::Argmin, {1}}, {of({2, 0})}, "'a' (f32 2x0): axis 1 is empty"},
        {Softmax{}, {of({2}, DataType::I32)}, "'a' (i32 2) must be floating"},
        {Softmax{.axis = -4}, {x}, "axis -4 is outside rank 3"},
        {Softmax{}, {of({})}, "axis -1 is outside rank 0"},
        {Pool{}, {of({2, 4})}, "'a' (f32 2x4) has rank 2, needs 3 to 5"},
        {Pool{}, {of({1, 1, 4}, DataType::Bool)}, "'a' (bool 1x1x4) cannot be pooled"},
        {Pool{PoolKind::Average}, {of({1, 1, 4}, DataType::I32)}, "'a' (i32 1x1x4) must be floating"},
        {Pool{.window = {2, 2}}, {x}, "window has 2 entries, needs 1"},
        {Pool{.window = {0}}, {x}, "window is 0, needs 1 to"},
        {Pool{.window = {2}, .stride = {0}}, {x}, "stride is 0, needs 1 to"},
        {Pool{.window = {2}, .dilation = {0}}, {x}, "dilation is 0, needs 1 to"},
        {Pool{.window = {2}, .pad = {1}}, {x}, "pad has 1 entries, needs 2"},
        {Pool{.window = {4}}, {x}, "axis 2 of 'a' (f32 2x4x3) is too small for a window of 4"},
        {Pool{PoolKind::Average, {2}, {}, {}, {}, false, false, true}, {x}, "only max pooling has indices"},
        {AdaptivePool{.output = {2}}, {of({2, 4})}, "'a' (f32 2x4) has rank 2, needs 3 to 5"},
        {AdaptivePool{.output = {2}}, {of({1, 1, 4}, DataType::I8)}, "'a' (i8 1x1x4) must be floating"},
        {AdaptivePool{.output = {2, 2}}, {x}, "output has 2 entries, needs 1"},
        {AdaptivePool{.output = {0}}, {x}, "axis 2: cannot pool 3 to 0"},
        {AdaptivePool{.output = {2}}, {of({1, 1, 0})}, "axis 2: cannot pool 0 to 2"},
        {AdaptivePool{.output = {INT64_MAX}}, {x}, "'node' is too large: 2x4x92233"},
    };
}

std::vector<Refusal> movements() {
    const TensorSpec x = of({2, 4, 3}), matrix = of({2, 3});
    return {
        {Resize{.output = {2}}, {matrix}, "'a' (f32 2x3) has rank 2, needs 3 to 5"},
        {Resize{.output = {2, 2}}, {x}, "output has 2 entries, needs 1"},
        {Resize{.output = {2}, .scale = {1.0, 1.0}}, {x}, "scale has 2 entries, needs 1"},
        {Resize{.output = {0}}, {x}, "axis 2: cannot resize 3 to 0"},
        {Resize{.output = {2}, .scale = {0.0}}, {x}, "scale of axis 2 is 0.000000, needs a finite number above 0"},
        {Resize{.output = {2}, .scale = {kInfinity}}, {x}, "scale of axis 2 is inf"},
        {Resize{.output = {2}, .scale = {std::nan("")}}, {x}, "scale of axis 2 is nan"},
        {Resize{.output = {2}, .mode = ResizeMode::Linear}, {of({1, 1, 4}, DataType::I8)}, "must be floating to be"},
        {Resize{.output = {INT64_MAX, INT64_MAX}}, {of({2, 4, 3, 3})}, "'node' is too large: 2x4x92233"},
        {Reshape{{-2, 3}}, {matrix}, "extent -2 is out of range"},
        {Reshape{{-1, -1}}, {matrix}, "cannot infer -1 in -1x-1 for 'a' (f32 2x3)"},
        {Reshape{{4, -1}}, {matrix}, "cannot infer -1 in 4x-1 for 'a' (f32 2x3)"},
        {Reshape{{5}}, {matrix}, "'a' (f32 2x3) has 6 elements, 5 has 5"},
        {Reshape{{kHuge, kHuge}}, {matrix}, "the extents overflow"},
        {Reshape{Dims(9, 1)}, {of({})}, "rank 9 is above 8"},
        {Transpose{{0}}, {matrix}, "permutation has 1 entries, needs 2"},
        {Transpose{{0, 0}}, {matrix}, "permutation names axis 0 twice"},
        {Transpose{{0, 2}}, {matrix}, "permutation names axis 2"},
        {Transpose{{-1, 0}}, {matrix}, "permutation names axis -1"},
        {Expand{{4, 3}}, {matrix}, "others have 2"},
        {Expand{{3}}, {matrix}, "'a' (f32 2x3) does not expand to 3"},
        {Expand{{-1, 3}}, {matrix}, "extent -1 is out of range"},
        {Expand{Dims(9, 1)}, {of({})}, "rank 9 is above 8"},
        {Expand{{kHuge, kHuge}}, {of({})}, "'node' is too large: 10995"},
        {Slice{{0}, {1, 1}, {1, 1}}, {matrix}, "start has 1 entries, needs 2"},
        {Slice{{0, 0}, {1}, {1, 1}}, {matrix}, "length has 1 entries, needs 2"},
        {Slice{{0, 0}, {1, 1}, {1}}, {matrix}, "step has 1 entries, needs 2"},
        {Slice{{0, 0}, {1, 1}, {1, 0}}, {matrix}, "axis 1: step 0 or length 1 is out of range"},
        {Slice{{0, 0}, {1, -1}, {1, 1}}, {matrix}, "axis 1: step 1 or length -1 is out of range"},
        {Slice{{0, 1}, {1, 3}, {1, 1}}, {matrix}, "axis 1 of 'a' (f32 2x3): reads 1 to 3, has 3"},
        {Slice{{0, 3}, {1, 1}, {1, 1}}, {matrix}, "axis 1 of 'a' (f32 2x3): reads 3 to 3, has 3"},
        {Slice{{0, 1}, {1, 3}, {1, -1}}, {matrix}, "reads 1 to -1, has 3"},
        {Concat{2}, {matrix, matrix}, "axis 2 is outside rank 2"},
        {Concat{}, {matrix, x}, "'b' (f32 2x4x3) does not join 'a' (f32 2x3)"},
        {Concat{}, {matrix, of({2, 3}, DataType::F16)}, "'b' (f16 2x3) does not join 'a' (f32 2x3)"},
        {Concat{0}, {matrix, of({2, 4})}, "'b' (f32 2x4) does not join 'a' (f32 2x3) along axis 0"},
        {Pad{{1}, {0, 0}}, {matrix}, "before has 1 entries, needs 2"},
        {Pad{{1, 1}, {0}}, {matrix}, "after has 1 entries, needs 2"},
        {Pad{{INT64_MAX, 0}, {0, 0}}, {matrix}, "axis 0: padding is out of range"},
        {Pad{{0, 0}, {INT64_MIN, 0}}, {matrix}, "axis 0: padding is out of range"},
        {Pad{{-1, 0}, {-2, 0}}, {matrix}, "axis 0 of the output would have extent -1"},
        {Pad{{2, 0}, {0, 0}, PadMode::Reflect}, {matrix}, "axis 0 of 'a' (f32 2x3): reflects 2 cells, has 2"},
        {Pad{{1, 0}, {0, 0}, PadMode::Edge}, {of({0, 3})}, "axis 0 of 'a' (f32 0x3) has no edge"},
        {Gather{}, {matrix, of({2})}, "indices 'b' (f32 2) must be i32 or i64"},
        {Gather{2}, {matrix, of({2}, DataType::I32)}, "axis 2 is outside rank 2"},
        {Gather{}, {of({0, 3}), of({2}, DataType::I64)}, "axis 0 of 'a' (f32 0x3) is empty"},
        {Gather{}, {x, of(Dims(7, 1), DataType::I64)}, "the result would have rank 9"},
        {IndexAlong{2}, {matrix}, "axis 2 is outside rank 2"},
        {IndexAlong{0, DataType::Bool}, {matrix}, "an index cannot be bool"},
    };
}

std::vector<Refusal> pointwise() {
    const auto make = [](PointwiseKind kind) { return Pointwise{kind, initial_parameters(kind)}; };
    return {
        {make(PointwiseKind::Add), {of({2}), of({3})}, "'b' (f32 3) does not broadcast: axis 0 is 3, others have 2"},
        {make(PointwiseKind::Add),
         {of({2}), of({2}, DataType::I32)},
         "'a' (f32 2) and 'b' (i32 2) must both be floating"},
        {make(PointwiseKind::Add),
         {of({2}, DataType::I8), of({2}, DataType::U8)},
         "must both be floating or have one type"},
        {make(PointwiseKind::Add),
         {of({2}, DataType::Bool), of({2}, DataType::Bool)},
         "has a type that add does not take"},
        {make(PointwiseKind::Exp), {of({2}, DataType::I32)}, "'a' (i32 2) has a type that exp does not take"},
        {make(PointwiseKind::LogicalNot), {of({2})}, "'a' (f32 2) has a type that logical_not does not take"},
        {make(PointwiseKind::BitwiseNot), {of({2})}, "'a' (f32 2) has a type that bitwise_not does not take"},
        {make(PointwiseKind::IsNan), {of({2}, DataType::I8)}, "'a' (i8 2) has a type that is_nan does not take"},
        {make(PointwiseKind::Select), {of({2}), of({2}), of({2})}, "the mask 'a' (f32 2) must be bool"},
        {make(PointwiseKind::Select),
         {of({2}, DataType::Bool), of({2}), of({2}, DataType::I8)},
         "must both be floating"},
        {make(PointwiseKind::Add), {of({kHuge, 1}, DataType::F16), of({1, kHuge}, DataType::F16)}, "too large: 10995"},
    };
}

std::vector<Refusal> all_refusals() {
    std::vector<Refusal> all;
    for (const auto& rows : {contractions(), reductions(), movements(), pointwise()})
        all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

/// Refused, with the operation and the node in front.
void expect_refused(const OpSample& sample, const std::string& words) {
    const Status status = testing::graph_of(sample).validate();
    const std::string head = std::string(name_of(sample.op)) + " 'node': ";
    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph) << head << words;
    EXPECT_THAT(status.message(), ::testing::StartsWith(head));
    EXPECT_THAT(status.message(), HasSubstr(words));
}

TEST(Refusals, NameTheNodeAndTheValuesThatClash) {
    std::set<size_t> seen;
    for (const Refusal& row : all_refusals()) {
        seen.insert(row.op.index());
        expect_refused({row.op, row.inputs}, row.words);
    }
    seen.insert(Op(Cast{}).index());  // Takes everything; only the number of inputs can be wrong.
    EXPECT_EQ(seen.size(), std::variant_size_v<Op>) << "an operation has no row";
}

TEST(Refusals, CountTheInputsOfEveryOperation) {
    for (const OpSample& sample : testing::op_samples()) {
        if (std::holds_alternative<Concat>(sample.op)) continue;
        const size_t count = sample.inputs.size();
        OpSample more = sample, none{sample.op, {}};
        for (int i = 0; i < 2; ++i) more.inputs.push_back({"", {2, 3}});
        expect_refused(none, "has 0 inputs, needs ");
        // Norms may leave out scale and bias, a training batch norm its momentum.
        const size_t most = std::holds_alternative<Norm>(sample.op) ? 3 : count;
        if (count == most) expect_refused(more, "has " + std::to_string(count + 2) + " inputs, needs ");
    }
    expect_refused({Concat{}, {}}, "has 0 inputs, needs 1 to 4096");
    expect_refused({Concat{}, std::vector<TensorSpec>(4097, of({1}))}, "has 4097 inputs, needs 1 to 4096");
}

/// Any type and a few ranks at every input of every operation: either a graph that validates or a named refusal.
TEST(Refusals, NoTypeOrRankGetsPast) {
    int refused = 0;
    for (const OpSample& sample : testing::op_samples()) {
        for (size_t i = 0; i < sample.inputs.size(); ++i) {
            for (int type = 0; type <= static_cast<int>(DataType::Bool); ++type) {
                for (const Dims& dims : {sample.inputs[i].dims, Dims{}, Dims{0}, Dims(8, 1), Dims{2, 0, 3, 0}}) {
                    OpSample other = sample;
                    other.inputs[i].type = static_cast<DataType>(type);
                    other.inputs[i].dims = dims;
                    const Status status = testing::graph_of(other).validate();
                    if (status.is_ok()) continue;
                    ++refused;
                    EXPECT_EQ(status.code(), ErrorCode::InvalidGraph);
                    EXPECT_THAT(status.message(), ::testing::StartsWith(std::string(name_of(sample.op)) + " 'node': "));
                }
            }
        }
    }
    EXPECT_GT(refused, 1000);
}

TEST(Refusals, GiveAsManyTensorsAsTheOperationHasResults) {
    for (const OpSample& sample : testing::op_samples()) {
        const Graph graph = testing::graph_of(sample);
        ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
        EXPECT_EQ(result_count(sample.op), graph.data().nodes[0].outputs.size()) << name_of(sample.op);
        Graph wrong;
        for (int i = 0; i < 2; ++i) {  // The first mistake, and after it.
            const std::vector<Tensor> results = wrong.apply(sample.op, {});
            EXPECT_EQ(results, std::vector<Tensor>(result_count(sample.op), Tensor{})) << name_of(sample.op);
        }
    }
}

TEST(Refusals, AMarkOnATensorThatNoNodeGives) {
    const auto after = [](auto mark) {
        Graph g;
        const Tensor x = g.input({"x", {2}});
        const Tensor y = g.relu(x);
        g.output(y);
        mark(g, x, y);
        return g.validate().message();
    };
    EXPECT_EQ(after([](Graph& g, Tensor, Tensor y) { g.set_fusion(y, Fusion::Forbidden); }), "");
    EXPECT_EQ(after([](Graph& g, Tensor x, Tensor) { g.set_fusion(x, Fusion::Forbidden); }),
              "set_fusion: 'x' is the result of no node");
    EXPECT_EQ(after([](Graph& g, Tensor, Tensor) { g.set_fusion(Tensor{}, Fusion::Forbidden); }),
              "set_fusion: tensor -1 is the result of no node");
    EXPECT_EQ(after([](Graph& g, Tensor, Tensor) { g.set_fusion(Tensor{99}, Fusion::Forbidden); }),
              "set_fusion: tensor 99 is the result of no node");
}

TEST(Refusals, TheFirstMistakeStays) {
    Graph g;
    const Tensor wrong = g.relu(Tensor{}, {.name = "first"});
    g.set_fusion(wrong, Fusion::Forbidden);
    g.output(wrong);
    EXPECT_THAT(g.validate().message(), HasSubstr("relu 'first'"));
}

TEST(Refusals, AWishOfAResultThatCannotBe) {
    const auto after = [](As as) {
        Graph g;
        const Tensor x = g.input({"x", {2, 3}});
        g.output(g.relu(x, std::move(as)));
        return g.validate().message();
    };
    EXPECT_THAT(after({.name = "y", .type = DataType::I32}),
                HasSubstr("relu 'y': gives f32, which cannot be declared i32"));
    EXPECT_THAT(after({.name = "y", .strides = {1}}), HasSubstr("relu 'y': 'y' has 1 strides for rank 2"));
    EXPECT_THAT(after({.name = "y", .strides = {1, 1}}), HasSubstr("overlaps itself"));
    EXPECT_THAT(after({.name = "y", .strides = {-3, 1}}), HasSubstr("negative stride on axis 0"));
    EXPECT_THAT(after({.name = "y", .strides = {INT64_MAX, 1}}), HasSubstr("spans too much memory"));
}

}  // namespace
}  // namespace tenon
