#include <cmath>
#include <type_traits>

#include "engine/reference/pointwise.h"

namespace tenon::engine {
namespace {

using Kind = PointwiseKind;
using Parameters = std::array<double, 3>;

constexpr double kSqrtHalf = 0.70710678118654752440;    // 1 / sqrt 2
constexpr double kDensityAt0 = 0.39894228040143267794;  // 1 / sqrt(2 pi)
constexpr double kTanhScale = 0.79788456080286535588;   // sqrt(2 / pi)
constexpr double kTanhCubic = 0.044715;

double maximum(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b; }
/// `value` where neither operand is NaN, else the NaN: for rows that choose by comparing.
double unless_nan(double a, double b, double value) { return std::isnan(a) ? a : std::isnan(b) ? b : value; }
double clamped(double a, double lower, double upper) { return minimum(maximum(a, lower), upper); }
double sign(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a; }
double sigmoid(double a) { return 1.0 / (1.0 + std::exp(-a)); }
double softplus(double a) { return maximum(a, 0.0) + std::log1p(std::exp(-std::fabs(a))); }
/// a times a factor that vanishes faster than a grows: the limit 0, not infinity * 0.
double gated(double a, double factor) { return factor == 0.0 ? 0.0 : a * factor; }
double gelu_gate(double a) { return 0.5 * std::erfc(-a * kSqrtHalf); }
/// (1 + tanh u) / 2 = sigmoid(2u), which keeps its digits where tanh is near -1.
double gelu_tanh_gate(double a) { return sigmoid(2.0 * kTanhScale * (a + kTanhCubic * a * a * a)); }
double mish_gate(double a) { return std::tanh(softplus(a)); }
/// Derivative of sigmoid.
double sigmoid_slope(double a) { return sigmoid(a) * sigmoid(-a); }

double gelu_slope(double b) { return gelu_gate(b) + gated(b, kDensityAt0 * std::exp(-0.5 * b * b)); }
double gelu_tanh_slope(double b) {
    const double inner = 2.0 * kTanhScale * (b + kTanhCubic * b * b * b);
    const double steepness = sigmoid_slope(inner);
    return gelu_tanh_gate(b) + gated(2.0 * kTanhScale * (b + 3.0 * kTanhCubic * b * b * b), steepness);
}
double mish_slope(double b) {
    const double gate = mish_gate(b), squared = 1.0 / std::cosh(softplus(b));
    return gate + gated(b, squared * squared * sigmoid(b));
}

/// A kind and its function, written with the arguments it needs: a, then b, c, then the parameters.
struct Row {
    template <typename F>
    constexpr Row(Kind k, F)
        : kind(k), function([](double a, double b, double c, const Parameters& p) -> double {
              if constexpr (std::is_invocable_v<F, double>)
                  return F{}(a);
              else if constexpr (std::is_invocable_v<F, double, const Parameters&>)
                  return F{}(a, p);
              else if constexpr (std::is_invocable_v<F, double, double>)
                  return F{}(a, b);
              else if constexpr (std::is_invocable_v<F, double, double, const Parameters&>)
                  return F{}(a, b, p);
              else
                  return F{}(a, b, c);
          }) {}

    Kind kind;
    RealFunction function;
};

constexpr Row kRows[] = {
    {Kind::Identity, [](double a) { return a; }},
    {Kind::Negate, [](double a) { return -a; }},
    {Kind::Abs, [](double a) { return std::fabs(a); }},
    {Kind::Sign, [](double a) { return sign(a); }},
    {Kind::Add, [](double a, double b) { return a + b; }},
    {Kind::AddSquare, [](double a, double b) { return std::fma(b, b, a); }},
    {Kind::Subtract, [](double a, double b) { return a - b; }},
    {Kind::Multiply, [](double a, double b) { return a * b; }},
    {Kind::Divide, [](double a, double b) { return a / b; }},
    {Kind::Maximum, [](double a, double b) { return maximum(a, b); }},
    {Kind::Minimum, [](double a, double b) { return minimum(a, b); }},
    {Kind::Modulo, [](double a, double b) { return std::fmod(a, b); }},
    {Kind::Power, [](double a, double b) { return std::pow(a, b); }},  // pow(1, NaN) = pow(NaN, 0) = 1, as IEEE has it
    {Kind::Square, [](double a) { return a * a; }},
    {Kind::SquaredDifference, [](double a, double b) { return (a - b) * (a - b); }},
    {Kind::Reciprocal, [](double a) { return 1.0 / a; }},
    {Kind::Sqrt, [](double a) { return std::sqrt(a); }},
    {Kind::Rsqrt, [](double a) { return 1.0 / std::sqrt(a); }},
    {Kind::Ceil, [](double a) { return std::ceil(a); }},
    {Kind::Floor, [](double a) { return std::floor(a); }},
    {Kind::Round, [](double a) { return std::nearbyint(a); }},
    {Kind::Truncate, [](double a) { return std::trunc(a); }},
    {Kind::Exp, [](double a) { return std::exp(a); }},
    {Kind::Exp2, [](double a) { return std::exp2(a); }},
    {Kind::Expm1, [](double a) { return std::expm1(a); }},
    {Kind::Log, [](double a) { return std::log(a); }},
    {Kind::Log2, [](double a) { return std::log2(a); }},
    {Kind::Log10, [](double a) { return std::log10(a); }},
    {Kind::Log1p, [](double a) { return std::log1p(a); }},
    {Kind::Erf, [](double a) { return std::erf(a); }},
    {Kind::Sin, [](double a) { return std::sin(a); }},
    {Kind::Cos, [](double a) { return std::cos(a); }},
    {Kind::Tan, [](double a) { return std::tan(a); }},
    {Kind::Asin, [](double a) { return std::asin(a); }},
    {Kind::Acos, [](double a) { return std::acos(a); }},
    {Kind::Atan, [](double a) { return std::atan(a); }},
    {Kind::Atan2, [](double a, double b) { return std::atan2(a, b); }},
    {Kind::Sinh, [](double a) { return std::sinh(a); }},
    {Kind::Cosh, [](double a) { return std::cosh(a); }},
    {Kind::Tanh, [](double a) { return std::tanh(a); }},
    {Kind::Asinh, [](double a) { return std::asinh(a); }},
    {Kind::Acosh, [](double a) { return std::acosh(a); }},
    {Kind::Atanh, [](double a) { return std::atanh(a); }},
    // A slope of 0 gives 0 for every negative number, -infinity too.
    {Kind::Relu, [](double a, const Parameters& p) { return a < 0.0 ? gated(a, p[0]) : a; }},
    {Kind::Clip, [](double a, const Parameters& p) { return clamped(a, p[0], p[1]); }},
    {Kind::Sigmoid, [](double a) { return sigmoid(a); }},
    {Kind::Elu, [](double a, const Parameters& p) { return a < 0.0 ? p[0] * std::expm1(a) : a; }},
    {Kind::Celu, [](double a, const Parameters& p) { return a < 0.0 ? p[0] * std::expm1(a / p[0]) : a; }},
    {Kind::Selu, [](double a, const Parameters& p) { return p[1] * (a < 0.0 ? p[0] * std::expm1(a) : a); }},
    {Kind::Gelu, [](double a) { return gated(a, gelu_gate(a)); }},
    {Kind::GeluTanh, [](double a) { return gated(a, gelu_tanh_gate(a)); }},
    {Kind::Softplus, [](double a, const Parameters& p) { return softplus(p[0] * a) / p[0]; }},
    {Kind::Swish, [](double a, const Parameters& p) { return gated(a, sigmoid(p[0] * a)); }},
    {Kind::HardSigmoid, [](double a, const Parameters& p) { return clamped(p[0] * a + p[1], 0.0, 1.0); }},
    {Kind::HardSwish, [](double a) { return gated(a, clamped(a + 3.0, 0.0, 6.0) / 6.0); }},
    {Kind::Mish, [](double a) { return gated(a, mish_gate(a)); }},
    {Kind::Prelu, [](double a, double b) { return a < 0.0 ? b * a : a; }},
    {Kind::LogSigmoid, [](double a) { return -softplus(-a); }},
    {Kind::Softsign, [](double a) { return std::isinf(a) ? sign(a) : a / (1.0 + std::fabs(a)); }},
    {Kind::Softshrink,
     [](double a, const Parameters& p) { return a > p[0]    ? a - p[0]
                                                : a < -p[0] ? a + p[0]
                                                            : unless_nan(a, a, 0.0); }},
    {Kind::Hardshrink, [](double a, const Parameters& p) { return std::fabs(a) <= p[0] ? 0.0 : a; }},
    {Kind::Tanhshrink, [](double a) { return a - std::tanh(a); }},
    {Kind::Threshold, [](double a, const Parameters& p) { return a > p[0] ? a : unless_nan(a, a, p[1]); }},
    {Kind::ReluBackward,
     [](double a, double b, const Parameters& p) { return unless_nan(a, b, b > 0.0 ? a : a * p[0]); }},
    {Kind::TanhBackward, [](double a, double b) { return a * (4.0 * sigmoid_slope(2.0 * b)); }},  // 1 - tanh^2
    {Kind::SigmoidBackward, [](double a, double b) { return a * sigmoid_slope(b); }},
    {Kind::EluBackward,
     [](double a, double b, const Parameters& p) { return unless_nan(a, b, b < 0.0 ? a * p[0] * std::exp(b) : a); }},
    {Kind::GeluBackward, [](double a, double b) { return a * gelu_slope(b); }},
    {Kind::GeluTanhBackward, [](double a, double b) { return a * gelu_tanh_slope(b); }},
    {Kind::SoftplusBackward, [](double a, double b, const Parameters& p) { return a * sigmoid(p[0] * b); }},
    {Kind::SwishBackward,
     [](double a, double b,
        const Parameters& p) { return a * (sigmoid(p[0] * b) + gated(p[0] * b, sigmoid_slope(p[0] * b))); }},
    {Kind::HardSigmoidBackward,
     [](double a, double b,
        const Parameters&
            p) { return unless_nan(a, b, p[0] * b + p[1] > 0.0 && p[0] * b + p[1] < 1.0 ? a * p[0] : 0.0); }},
    {Kind::HardSwishBackward,
     [](double a, double b) { return unless_nan(a, b,
                                                b <= -3.0  ? 0.0
                                                : b >= 3.0 ? a
                                                           : a * ((2.0 * b + 3.0) / 6.0)); }},
    {Kind::MishBackward, [](double a, double b) { return a * mish_slope(b); }},
    {Kind::Equal, [](double a, double b) { return a == b; }},
    {Kind::NotEqual, [](double a, double b) { return a != b; }},
    {Kind::Greater, [](double a, double b) { return a > b; }},
    {Kind::GreaterEqual, [](double a, double b) { return a >= b; }},
    {Kind::Less, [](double a, double b) { return a < b; }},
    {Kind::LessEqual, [](double a, double b) { return a <= b; }},
    {Kind::IsNan, [](double a) { return std::isnan(a); }},
    {Kind::IsInf, [](double a) { return std::isinf(a); }},
    {Kind::NanToNum, [](double a, const Parameters& p) { return std::isnan(a) ? p[0] : a; }},
    {Kind::Select, [](double a, double b, double c) { return a != 0.0 ? b : c; }},
};

constexpr const Row* find(Kind kind) {
    for (const Row& row : kRows) {
        if (row.kind == kind) return &row;
    }
    return nullptr;
}

constexpr bool is_complete() {
    for (const PointwiseInfo& row : kPointwise) {
        const bool floats = row.domain != PointwiseDomain::Integer && row.domain != PointwiseDomain::Boolean;
        if (floats != (find(row.kind) != nullptr)) return false;
    }
    return true;
}
static_assert(is_complete(), "every function that takes floating types has one row here, and no other has");

}  // namespace

RealFunction real_function(PointwiseKind kind) {
    const Row* row = find(kind);
    return row == nullptr ? nullptr : row->function;
}

}  // namespace tenon::engine
