// What follows from the inputs without being said: the layout of results, and the elements of scalars.

#include <gtest/gtest.h>

#include <cmath>

#include "frontend/graph/elements.h"
#include "frontend/graph/graph_data.h"

namespace tenon {
namespace {

const Dims kImage{2, 8, 5, 6};

/// The layout of add(inputs…).
Layout layout_of_sum(const std::vector<TensorSpec>& inputs) {
    Graph g;
    Tensor sum;
    for (const TensorSpec& spec : inputs) {
        const Tensor input = g.input(spec);
        sum = sum.id < 0 ? input : g.add(sum, input);
    }
    g.output(sum);
    EXPECT_TRUE(g.validate().is_ok()) << g.validate().message();
    const TensorSpec spec = g.spec(sum);
    EXPECT_TRUE(spec.strides == packed_strides(spec.dims, Layout::NHWC) ||
                spec.strides == packed_strides(spec.dims, Layout::NCHW));
    return spec.strides == packed_strides(spec.dims, Layout::NHWC) ? Layout::NHWC : Layout::NCHW;
}

TEST(LayoutOfResults, FollowsTheFirstInputThatShowsOne) {
    const TensorSpec rows{"rows", kImage}, last{"last", kImage, DataType::F32, Layout::NHWC};
    const TensorSpec channel{"channel", {1, 8, 1, 1}}, plane{"plane", {2, 1, 5, 6}}, vector{"vector", {6}};
    const TensorSpec spread{"spread", kImage, DataType::F32, Layout::NCHW, {0, 1, 0, 0}};
    EXPECT_EQ(layout_of_sum({rows, last}), Layout::NCHW);
    EXPECT_EQ(layout_of_sum({last, rows}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({channel, last}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({plane, last}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({spread, last}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({vector, last}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({channel, rows}), Layout::NCHW);
    EXPECT_EQ(layout_of_sum({channel, {"other", {1, 8, 1, 1}}}), Layout::NCHW);
}

TEST(LayoutOfResults, SeesThroughGaps) {
    const TensorSpec pitched{"pitched", kImage, DataType::F32, Layout::NCHW, {2000, 1, 100, 16}};
    const TensorSpec pitched_rows{"pitched_rows", kImage, DataType::F32, Layout::NCHW, {2000, 100, 10, 1}};
    const TensorSpec neither{"neither", kImage, DataType::F32, Layout::NCHW, {1, 2, 16, 80}};
    const TensorSpec last{"last", kImage, DataType::F32, Layout::NHWC};
    EXPECT_EQ(layout_of_sum({pitched, {"other", kImage}}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({pitched_rows, last}), Layout::NCHW);
    EXPECT_EQ(layout_of_sum({neither, last}), Layout::NHWC);
    EXPECT_EQ(layout_of_sum({neither, {"other", kImage}}), Layout::NCHW);
}

TEST(LayoutOfResults, OfAConvolutionOfOneChannelFollowsTheFilter) {
    Graph g;
    const Tensor x = g.input({"x", {1, 1, 6, 6}});
    const Tensor w = g.input({"w", {4, 1, 3, 3}});
    const Tensor w_last = g.input({"w_last", {4, 2, 3, 3}, DataType::F32, Layout::NHWC});
    const Tensor narrow = g.input({"narrow", {1, 2, 1, 1}});
    EXPECT_EQ(g.spec(g.conv(x, w)).strides, packed_strides({1, 4, 4, 4}, Layout::NCHW));
    EXPECT_EQ(g.spec(g.conv(narrow, w_last, {.pad = {2, 2, 2, 2}})).strides,
              packed_strides({1, 4, 3, 3}, Layout::NHWC));
}

TEST(EmptyResults, OverlapNothing) {
    Graph g;
    const Tensor x = g.input({"x", {2, 0, 3}});
    g.output(g.relu(x, {.name = "y"}));
    g.output(g.reduce(x, {ReduceKind::Max, {1}}, {.name = "z"}));
    EXPECT_TRUE(g.validate().is_ok()) << g.validate().message();
}

TEST(Scalars, AreConstantsOfTheirTypeRoundedOnce) {
    Graph g;
    const auto expect = [&](double number, DataType type, double stored) {
        const Tensor scalar = g.scalar(number, type);
        ASSERT_GE(scalar.id, 0) << g.validate().message();
        const Value& value = g.data().value(scalar.id);
        EXPECT_EQ(value.kind, ValueKind::Constant);
        EXPECT_EQ(value.type, type);
        EXPECT_EQ(load_element(value.data->data(), type, 0), stored) << number << " as " << to_string(type);
    };
    expect(0.1, DataType::F16, 0.0999755859375);
    expect(0.1, DataType::BF16, 0.10009765625);
    expect(1.00048828125 + 1e-9, DataType::F16, 1.0009765625);  // By way of f32 this would be a tie and become 1.
    expect(1e9, DataType::F16, INFINITY);
    expect(0.1, DataType::F64, 0.1);
    expect(2.5, DataType::I32, 2.0);
    expect(3e9, DataType::I32, INT32_MAX);
    expect(-1.0, DataType::U8, 0.0);
    expect(std::nan(""), DataType::I8, 0.0);
    expect(-0.5, DataType::Bool, 1.0);
    EXPECT_TRUE(g.data().nodes.empty());
}

}  // namespace
}  // namespace tenon
