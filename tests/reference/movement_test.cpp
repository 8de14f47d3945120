// Pools, resizes and operations that move elements.
#include <limits>

#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ReferencePool, IndicesCountTheUnpaddedImageAndTheFirstWins) {
    expect_op(
        Pool{.kind = PoolKind::Max, .window = {2, 2}, .stride = {2, 2}, .pad = {1, 1, 1, 1}, .with_indices = true},
        {{"", {1, 2, 2, 2}}}, {{1, 2, 3, 4, 5, kNan, 5, 5}}, {{1, 2, 3, 4, 5, kNan, 5, 5}, {0, 1, 2, 3, 0, 1, 2, 3}});
    expect_op(Pool{.kind = PoolKind::Max, .with_indices = true}, {{"", {1, 1, 4}}}, {{7, 9, 9, 8}}, {{9}, {1}});
}

TEST(ReferencePool, PaddingNeverWinsAgainstNegativeNumbers) {
    expect_op(Pool{.kind = PoolKind::Max, .window = {2}, .pad = {1, 1}}, {{"", {1, 1, 2}, DataType::I8}}, {{-5, -6}},
              {{-5, -5, -6}});
    expect_op(Pool{.kind = PoolKind::Max, .window = {1}, .pad = {1, 0}}, {{"", {1, 1, 1}}}, {{3}}, {{-kInfinite, 3}});
}

TEST(ReferencePool, DilationSpreadsTheWindow) {
    expect_op(Pool{.kind = PoolKind::Average, .window = {2}, .dilation = {2}}, {{"", {1, 1, 4}}}, {{1, 2, 3, 4}},
              {{2, 3}});
}

TEST(ReferenceAdaptivePool, CellsOverlapWhereTheExtentsDoNotDivide) {
    expect_op(AdaptivePool{PoolKind::Average, {3}}, {{"", {1, 1, 5}}}, {{1, 2, 3, 4, 5}}, {{1.5, 3, 4.5}});
    expect_op(AdaptivePool{PoolKind::Max, {2}}, {{"", {1, 1, 3}}}, {{1, 3, 2}}, {{3, 3}});
}

TEST(ReferenceResize, NearestRoundsAsAsked) {
    const auto nearest = [](ResizeRounding rounding, Values expected) {
        expect_op(Resize{{4}, {}, ResizeMode::Nearest, ResizeCoordinates::Asymmetric, rounding}, {{"", {1, 1, 2}}},
                  {{1, 2}}, {std::move(expected)});
    };
    nearest(ResizeRounding::PreferFloor, {1, 1, 2, 2});
    nearest(ResizeRounding::PreferCeil, {1, 2, 2, 2});
    nearest(ResizeRounding::Floor, {1, 1, 2, 2});
    nearest(ResizeRounding::Ceil, {1, 2, 2, 2});
}

TEST(ReferenceResize, LinearFollowsTheCoordinates) {
    const auto linear = [](ResizeCoordinates coordinates, Values expected) {
        expect_op(Resize{{4}, {}, ResizeMode::Linear, coordinates}, {{"", {1, 1, 2}}}, {{0, 12}}, {std::move(expected)},
                  {.ulps = 1.0});
    };
    linear(ResizeCoordinates::HalfPixel, {0, 3, 9, 12});
    linear(ResizeCoordinates::AlignCorners, {0, 4, 8, 12});
    linear(ResizeCoordinates::Asymmetric, {0, 6, 12, 12});
}

TEST(ReferenceResize, LinearIsBilinearInTwoAxesAndReadsNoNeighbourWithoutWeight) {
    expect_op(Resize{{3, 3}, {}, ResizeMode::Linear, ResizeCoordinates::AlignCorners}, {{"", {1, 1, 2, 2}}},
              {{0, 2, 4, 6}}, {{0, 1, 2, 2, 3, 4, 4, 5, 6}});
    expect_op(Resize{{2}, {}, ResizeMode::Linear}, {{"", {1, 1, 2}}}, {{1, kInfinite}}, {{1, kInfinite}});
}

TEST(ReferenceShape, ReshapeCountsLogicalElementsWhateverTheLayout) {
    expect_op(Reshape{{-1}}, {{"", {1, 2, 1, 2}, DataType::F32, Layout::NHWC}}, {{1, 2, 3, 4}}, {{1, 2, 3, 4}});
}

TEST(ReferenceShape, TransposeExpandSliceConcat) {
    expect_op(Transpose{{1, 0}}, {{"", {2, 3}}}, {counting(6)}, {{0, 3, 1, 4, 2, 5}});
    expect_op(Expand{{2, 2, 2}}, {{"", {2, 1}}}, {{1, 2}}, {{1, 1, 2, 2, 1, 1, 2, 2}});
    expect_op(Slice{{1, 3}, {1, 2}, {1, -2}}, {{"", {2, 4}}}, {counting(8)}, {{7, 5}});
    expect_op(Concat{-1}, {{"", {2, 1}}, {"", {2, 0}}, {"", {2, 2}}}, {{1, 2}, {}, {3, 4, 5, 6}}, {{1, 3, 4, 2, 5, 6}});
}

TEST(ReferenceShape, PadsByModeAndCropsWhereNegative) {
    expect_op(Pad{{2}, {1}, PadMode::Constant, 9}, {{"", {2}, DataType::I32}}, {{1, 2}}, {{9, 9, 1, 2, 9}});
    expect_op(Pad{{2}, {1}, PadMode::Reflect}, {{"", {3}}}, {{1, 2, 3}}, {{3, 2, 1, 2, 3, 2}});
    expect_op(Pad{{1}, {2}, PadMode::Edge}, {{"", {2}}}, {{1, 2}}, {{1, 1, 2, 2, 2}});
    expect_op(Pad{{-1}, {1}, PadMode::Constant}, {{"", {3}}}, {{1, 2, 3}}, {{2, 3, 0}});
}

TEST(ReferenceShape, GatherCountsFromTheEndAndClamps) {
    expect_op(Gather{1}, {{"", {2, 3}}, {"", {2, 2}, DataType::I64}}, {counting(6), {0, -1, -9, 9}},
              {{0, 2, 0, 2, 3, 5, 3, 5}});
}

TEST(ReferenceShape, IndexAlongCountsOneAxis) {
    expect_op(IndexAlong{0, DataType::I64}, {{"", {2, 2}}}, {Values(4, 0.0)}, {{0, 0, 1, 1}});
}

TEST(ReferenceShape, CastsIntegersByWrappingAndFloatsBySaturating) {
    expect_op(Cast{DataType::I8}, {{"", {3}, DataType::I32}}, {{200, -129, 5}}, {{-56, 127, 5}});
    expect_op(Cast{DataType::I8}, {{"", {3}}}, {{200, -129, 0.5}}, {{127, -128, 0}});
}

}  // namespace
}  // namespace tenon::testing
