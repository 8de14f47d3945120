// Norms, softmax, reductions.
#include <cmath>
#include <limits>

#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Tolerance kClose{.ulps = 2.0, .absolute = 1e-6};

TEST(ReferenceNorm, LayerScalesAndShiftsEachRowAndSavesStatistics) {
    const double inverse = 1.0 / std::sqrt(1.25);
    expect_op(Norm{NormKind::Layer, -1, 1, 0.0, true}, {{"", {1, 4}}, {"", {4}}, {"", {4}}},
              {{1, 2, 3, 4}, {1, 1, 2, 2}, {0, 0, 0, 10}},
              {{-1.5 * inverse, -0.5 * inverse, inverse, 10.0 + 3.0 * inverse}, {2.5}, {inverse}}, kClose);
}

TEST(ReferenceNorm, RmsKeepsTheMean) {
    expect_op(
        Norm{NormKind::Rms, 1, 1, 0.0, true}, {{"", {2, 2}}}, {{3, 4, 0, 2}},
        {{3 / std::sqrt(12.5), 4 / std::sqrt(12.5), 0, std::sqrt(2.0)}, {1 / std::sqrt(12.5), 1 / std::sqrt(2.0)}},
        kClose);
}

TEST(ReferenceNorm, GroupsShareStatisticsButNotTheirChannelsScale) {
    // Two groups of two channels with one cell each: values -1 and +1 after the norm.
    expect_op(Norm{NormKind::Group, 0, 2, 0.0}, {{"", {1, 4, 1}}, {"", {4}}, {"", {4}}},
              {{1, 3, 10, 30}, {1, 2, 3, 4}, {0, 0, 0, 5}}, {{-1, 2, -3, 9}}, kClose);
}

TEST(ReferenceNorm, InstanceNormalisesEachChannelOfEachImage) {
    expect_op(Norm{NormKind::Instance, 0, 1, 0.0}, {{"", {2, 2, 2}}, {"", {2}}}, {{0, 2, 0, 20, 5, 7, 6, 4}, {1, 10}},
              {{-1, 1, -10, 10, -1, 1, 10, -10}}, kClose);
}

TEST(ReferenceBatchNorm, TrainingBlendsTheUnbiasedVariance) {
    // One channel of [1, 3]: mean 2, biased variance 1, unbiased 2.
    expect_op(BatchNorm{0.0, 0.5, true}, {{"", {2, 1, 1}}, {"", {1}}, {"", {1}}, {"", {1}}, {"", {1}}},
              {{1, 3}, {10}, {1}, {4}, {6}}, {{-9, 11}, {3}, {4}, {2}, {1}}, kClose);
}

TEST(ReferenceSoftmax, IsStableAndTakesAnyAxis) {
    expect_op(Softmax{0}, {{"", {2, 2}}}, {{1000, 0, 1000, -kInfinite}}, {{0.5, 1, 0.5, 0}});
    expect_op(Softmax{-1, true}, {{"", {2}}}, {{-1e30, 0}}, {{-1e30, 0}}, kClose);
    expect_op(Softmax{-1}, {{"", {2, 2}}}, {{kNan, 0, -kInfinite, -kInfinite}}, {{kNan, kNan, kNan, kNan}});
}

TEST(ReferenceReduce, NamesItsKinds) {
    const auto over_rows = [](ReduceKind kind, Values expected) {
        expect_op(Reduce{kind, {1}, false}, {{"", {2, 3}}}, {{1, -4, 2, 3, 0, -1}}, {std::move(expected)}, kClose);
    };
    over_rows(ReduceKind::Sum, {-1, 2});
    over_rows(ReduceKind::Mean, {-1.0 / 3.0, 2.0 / 3.0});
    over_rows(ReduceKind::Max, {2, 3});
    over_rows(ReduceKind::Min, {-4, -1});
    over_rows(ReduceKind::Prod, {-8, 0});
    over_rows(ReduceKind::Amax, {4, 3});
    over_rows(ReduceKind::Norm1, {7, 4});
    over_rows(ReduceKind::Norm2, {std::sqrt(21.0), std::sqrt(10.0)});
    over_rows(ReduceKind::Argmax, {2, 0});
    over_rows(ReduceKind::Argmin, {1, 2});
}

TEST(ReferenceReduce, FirstOfEqualsWinsAndNanBeatsAll) {
    expect_op(Reduce{ReduceKind::Argmax, {0}}, {{"", {4}}}, {{1, 5, 5, 2}}, {{1}});
    expect_op(Reduce{ReduceKind::Argmin, {0}}, {{"", {4}}}, {{1, kNan, 0, kNan}}, {{1}});
    for (const ReduceKind kind : {ReduceKind::Max, ReduceKind::Min, ReduceKind::Amax}) {
        for (size_t place = 0; place < 3; ++place) {
            Values x{1, 2, 3};
            x[place] = kNan;
            expect_op(Reduce{kind, {}}, {{"", {3}}}, {x}, {{kNan}});
        }
    }
}

TEST(ReferenceReduce, OfNothingGivesTheNeutralElement) {
    const auto of_nothing = [](ReduceKind kind, DataType type, double expected) {
        expect_op(Reduce{kind, {1}}, {{"", {1, 0}, type}}, {{}}, {{expected}});
    };
    of_nothing(ReduceKind::Sum, DataType::F32, 0);
    of_nothing(ReduceKind::Prod, DataType::F32, 1);
    of_nothing(ReduceKind::Mean, DataType::F32, kNan);
    of_nothing(ReduceKind::Max, DataType::F32, -kInfinite);
    of_nothing(ReduceKind::Min, DataType::F32, kInfinite);
    of_nothing(ReduceKind::Max, DataType::I8, -128);
    of_nothing(ReduceKind::Min, DataType::I32, 2147483647);
}

}  // namespace
}  // namespace tenon::testing
