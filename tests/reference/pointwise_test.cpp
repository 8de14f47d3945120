#include <cmath>
#include <cstring>
#include <limits>

#include "engine/reference/pointwise.h"
#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();
using Kind = PointwiseKind;

double value(Kind kind, double a, double b = 0.0, double c = 0.0) {
    return engine::real_function(kind)(a, b, c, initial_parameters(kind));
}

int64_t whole(Kind kind, int64_t a, int64_t b = 0, int width = 64) {
    return engine::whole_function(kind)(a, b, 0, {{}, width});
}

/// Rows that look for NaN themselves, and IEEE pow, for which NaN to the power of 0 is 1.
bool tests_for_nan(const PointwiseInfo& row) {
    return row.result == PointwiseResult::Bool || row.kind == Kind::NanToNum || row.kind == Kind::Select ||
           row.kind == Kind::Power;
}

TEST(ReferencePointwise, NanInEitherOperandGivesNan) {
    for (const PointwiseInfo& row : kPointwise) {
        if (engine::real_function(row.kind) == nullptr || tests_for_nan(row)) continue;
        for (const double other : {-kInfinite, -4.0, -0.5, 0.0, 0.5, 4.0, kInfinite}) {
            EXPECT_TRUE(std::isnan(value(row.kind, kNan, other))) << row.name << "(NaN, " << other << ")";
            // The slope of prelu is not read where a is not negative.
            if (row.inputs < 2 || (row.kind == Kind::Prelu && !(other < 0.0))) continue;
            EXPECT_TRUE(std::isnan(value(row.kind, other, kNan))) << row.name << "(" << other << ", NaN)";
        }
    }
}

/// value, and what it tends to at -infinity and +infinity.
struct Activation {
    Kind kind;
    double at_minus_2, at_1, at_lowest, at_highest;
};

TEST(ReferencePointwise, ActivationsHaveTheirValuesAndLimits) {
    const Activation rows[] = {
        {Kind::Relu, 0.0, 1.0, 0.0, kInfinite},
        {Kind::Sigmoid, 0.11920292202211755, 0.7310585786300049, 0.0, 1.0},
        {Kind::Swish, -0.2384058440442351, 0.7310585786300049, 0.0, kInfinite},
        {Kind::Gelu, -0.04550026389635842, 0.8413447460685429, 0.0, kInfinite},
        {Kind::GeluTanh, -0.04540230591222494, 0.8411919906082768, 0.0, kInfinite},
        {Kind::Softplus, 0.1269280110429726, 1.3132616875182228, 0.0, kInfinite},
        {Kind::Mish, -0.2525014827, 0.8650983882673103, 0.0, kInfinite},
        {Kind::HardSigmoid, 1.0 / 6.0, 2.0 / 3.0, 0.0, 1.0},
        {Kind::HardSwish, -1.0 / 3.0, 2.0 / 3.0, 0.0, kInfinite},
        {Kind::LogSigmoid, -2.1269280110429727, -0.31326168751822286, -kInfinite, 0.0},
        {Kind::Elu, -0.8646647167633873, 1.0, -1.0, kInfinite},
        {Kind::Celu, -0.8646647167633873, 1.0, -1.0, kInfinite},
        {Kind::Selu, -1.5201664685956948, 1.0507009873554805, -1.7580993408473766, kInfinite},
        {Kind::Softsign, -2.0 / 3.0, 0.5, -1.0, 1.0},
        {Kind::Softshrink, -1.5, 0.5, -kInfinite, kInfinite},
        {Kind::Hardshrink, -2.0, 1.0, -kInfinite, kInfinite},
        {Kind::Tanhshrink, -1.0359724199241832, 0.23840584404423515, -kInfinite, kInfinite},
        {Kind::Tanh, -0.9640275800758169, 0.7615941559557649, -1.0, 1.0},
    };
    for (const Activation& row : rows) {
        const std::string_view name = info(row.kind).name;
        EXPECT_NEAR(value(row.kind, -2.0), row.at_minus_2, 1e-7) << name;
        EXPECT_NEAR(value(row.kind, 1.0), row.at_1, 1e-7) << name;
        const auto expect_limit = [&](double at, double limit) {
            const double found = value(row.kind, at);
            EXPECT_TRUE(std::isinf(limit) ? found == limit : std::fabs(found - limit) < 1e-7)
                << name << "(" << at << ") is " << found;
        };
        expect_limit(-kInfinite, row.at_lowest);
        expect_limit(kInfinite, row.at_highest);
        EXPECT_TRUE(std::isfinite(value(row.kind, -65504.0)) && std::isfinite(value(row.kind, 65504.0))) << name;
    }
}

TEST(ReferencePointwise, GradientsAreTheSlopesOfTheirFunctions) {
    const std::pair<Kind, Kind> rows[] = {
        {Kind::ReluBackward, Kind::Relu},
        {Kind::TanhBackward, Kind::Tanh},
        {Kind::SigmoidBackward, Kind::Sigmoid},
        {Kind::EluBackward, Kind::Elu},
        {Kind::GeluBackward, Kind::Gelu},
        {Kind::GeluTanhBackward, Kind::GeluTanh},
        {Kind::SoftplusBackward, Kind::Softplus},
        {Kind::SwishBackward, Kind::Swish},
        {Kind::HardSigmoidBackward, Kind::HardSigmoid},
        {Kind::HardSwishBackward, Kind::HardSwish},
        {Kind::MishBackward, Kind::Mish},
    };
    for (const auto& [gradient, function] : rows) {
        for (double x = -5.25; x < 5.5; x += 0.5) {
            const double slope = (value(function, x + 1e-5) - value(function, x - 1e-5)) / 2e-5;
            EXPECT_NEAR(value(gradient, 2.0, x), 2.0 * slope, 1e-8) << info(gradient).name << " at " << x;
        }
        for (const double x : {-kInfinite, kInfinite})
            EXPECT_TRUE(std::isfinite(value(gradient, 2.0, x))) << info(gradient).name << " at " << x;
    }
}

TEST(ReferencePointwise, AFlatTanhStopsEvenTheLargestGradient) {
    EXPECT_EQ(value(Kind::TanhBackward, std::numeric_limits<double>::max(), kInfinite), 0.0);
}

TEST(ReferencePointwise, IntegersTruncateWrapAndDivideByZeroToZero) {
    EXPECT_EQ(whole(Kind::Divide, -7, 2), -3);
    EXPECT_EQ(whole(Kind::Divide, 7, 0), 0);
    EXPECT_EQ(whole(Kind::Divide, INT64_MIN, -1), INT64_MIN);
    EXPECT_EQ(whole(Kind::Modulo, -7, 3), -1);
    EXPECT_EQ(whole(Kind::Modulo, 7, 0), 0);
    EXPECT_EQ(whole(Kind::Modulo, INT64_MIN, -1), 0);
    EXPECT_EQ(whole(Kind::Add, INT64_MAX, 1), INT64_MIN);
    EXPECT_EQ(whole(Kind::Abs, INT64_MIN), INT64_MIN);
    EXPECT_EQ(whole(Kind::ShiftLeft, 1, 64), 0);
    EXPECT_EQ(whole(Kind::ShiftRight, -8, 1), -4);
    EXPECT_EQ(whole(Kind::ShiftRight, -8, 70), -1);
    EXPECT_EQ(whole(Kind::ShiftRight, -8, -1, 32), -1);
}

TEST(ReferencePointwise, NarrowIntegersWrapToTheirType) {
    expect_op(Pointwise{Kind::Add, {}}, {{"", {3}, DataType::I8}, {"", {3}, DataType::I8}},
              {{127, -128, 100}, {1, -1, 100}}, {{-128, 127, -56}});
    expect_op(Pointwise{Kind::Multiply, {}}, {{"", {2}, DataType::U8}, {"", {2}, DataType::U8}}, {{16, 255}, {16, 255}},
              {{0, 1}});
    expect_op(Pointwise{Kind::Negate, {}}, {{"", {2}, DataType::I8}}, {{-128, 5}}, {{-128, -5}});
}

TEST(ReferencePointwise, LongIntegersStayExactPastTheDigitsOfDouble) {
    Graph graph;
    const int64_t numbers[2] = {(int64_t{1} << 53) + 1, INT64_MIN + 3};
    const Tensor x = graph.constant({"x", {2}, DataType::I64}, numbers, sizeof numbers);
    const Tensor one = graph.scalar(1.0, DataType::I64);
    const Tensor copied = graph.cast(
        graph.apply(Gather{0}, {graph.add(x, one), graph.input({"index", {2}, DataType::I32})}).front(), DataType::I64);
    const Tensor even = graph.pointwise(Kind::Modulo, {copied, graph.scalar(2.0, DataType::I64)});
    graph.output(even, {.name = "odd"});
    graph.output(graph.reduce(copied, {ReduceKind::Max, {0}}), {.name = "max"});
    const auto outputs = run_on_reference(graph, NamedValues{{"index", {0, 1}}});
    ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
    EXPECT_EQ(outputs->at("odd").values(), (Values{0, 0}));
    int64_t largest = 0;
    std::memcpy(&largest, outputs->at("max").bytes().data(), sizeof largest);
    EXPECT_EQ(largest, (int64_t{1} << 53) + 2);
}

TEST(ReferencePointwise, BroadcastsAxesAlignedAtTheEnd) {
    expect_op(Pointwise{Kind::Subtract, {}}, {{"", {2, 1}}, {"", {3}}}, {{10, 20}, {1, 2, 3}}, {{9, 8, 7, 19, 18, 17}});
    expect_op(Pointwise{Kind::Select, {}}, {{"", {2}, DataType::Bool}, {"", {2, 2}}, {"", {}}},
              {{1, 0}, {1, 2, 3, 4}, {9}}, {{1, 9, 3, 9}});
}

TEST(ReferencePointwise, ParametersAreNumbersOfTheComputedType) {
    // 0.1f is a little more than 0.1; as a threshold for f32 it is 0.1f itself.
    expect_op(Pointwise{Kind::Threshold, {0.1, -1.0}}, {{"", {1}}}, {{0.1}}, {{-1}});
    expect_op(Pointwise{Kind::Threshold, {0.1, -1.0}}, {{"", {1}, DataType::F64}}, {{std::nextafter(0.1, 1.0)}},
              {{std::nextafter(0.1, 1.0)}});
}

TEST(ReferencePointwise, ComparisonsOfNanAreFalseButForNotEqual) {
    for (const Kind kind : {Kind::Equal, Kind::Greater, Kind::GreaterEqual, Kind::Less, Kind::LessEqual})
        EXPECT_EQ(value(kind, kNan, kNan), 0.0);
    EXPECT_EQ(value(Kind::NotEqual, kNan, kNan), 1.0);
    EXPECT_EQ(value(Kind::NanToNum, kInfinite), kInfinite);
}

}  // namespace
}  // namespace tenon::testing
