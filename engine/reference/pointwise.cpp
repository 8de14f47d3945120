#include <cmath>

#include "engine/reference/reference.h"

namespace tenon::engine {
namespace {

using Function = Number (*)(Number a, Number b, Number c, const double* p);

Number sigmoid(Number a) { return 1 / (1 + std::exp(-a)); }
Number softplus(Number a, Number beta) {
    return (std::max<Number>(beta * a, 0) + std::log1p(std::exp(-std::fabs(beta * a)))) / beta;
}
/// a * factor, with the limit 0 at -infinity.
Number gated(Number a, Number factor) { return a == -INFINITY ? 0 : a * factor; }
/// 0 where a factor vanishes faster than the other grows.
Number vanishing(Number grows, Number vanishes) { return std::isinf(grows) ? 0 : grows * vanishes; }
Number clip(Number a, Number lower, Number upper) { return a < lower ? lower : a > upper ? upper : a; }
constexpr Number kHalfRoot = 0.70710678118654752440L, kDensity = 0.39894228040143267794L,
                 kGeluScale = 0.79788456080286535588L;

struct Row {
    PointwiseKind kind;
    Function function;
};
using K = PointwiseKind;

/// One line per function of floating (and boolean) values, in the order of the table of pointwise.h.
const Row kRows[] = {
    {K::Identity, [](Number a, Number, Number, const double*) { return a; }},
    {K::Negate, [](Number a, Number, Number, const double*) { return -a; }},
    {K::Abs, [](Number a, Number, Number, const double*) { return std::fabs(a); }},
    {K::Sign, [](Number a, Number, Number, const double*) -> Number { return a > 0 ? 1 : a < 0 ? -1 : a; }},
    {K::Add, [](Number a, Number b, Number, const double*) { return a + b; }},
    {K::AddSquare, [](Number a, Number b, Number, const double*) { return a + b * b; }},
    {K::Subtract, [](Number a, Number b, Number, const double*) { return a - b; }},
    {K::Multiply, [](Number a, Number b, Number, const double*) { return a * b; }},
    {K::Divide, [](Number a, Number b, Number, const double*) { return a / b; }},
    {K::Maximum, [](Number a, Number b, Number, const double*) { return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b; }},
    {K::Minimum, [](Number a, Number b, Number, const double*) { return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b; }},
    {K::Modulo, [](Number a, Number b, Number, const double*) { return std::fmod(a, b); }},
    {K::Power, [](Number a, Number b, Number, const double*) { return std::pow(a, b); }},
    {K::Square, [](Number a, Number, Number, const double*) { return a * a; }},
    {K::SquaredDifference, [](Number a, Number b, Number, const double*) { return (a - b) * (a - b); }},
    {K::Reciprocal, [](Number a, Number, Number, const double*) { return 1 / a; }},
    {K::Sqrt, [](Number a, Number, Number, const double*) { return std::sqrt(a); }},
    {K::Rsqrt, [](Number a, Number, Number, const double*) { return 1 / std::sqrt(a); }},
    {K::Ceil, [](Number a, Number, Number, const double*) { return std::ceil(a); }},
    {K::Floor, [](Number a, Number, Number, const double*) { return std::floor(a); }},
    {K::Round, [](Number a, Number, Number, const double*) { return std::nearbyint(a); }},
    {K::Truncate, [](Number a, Number, Number, const double*) { return std::trunc(a); }},
    {K::Exp, [](Number a, Number, Number, const double*) { return std::exp(a); }},
    {K::Exp2, [](Number a, Number, Number, const double*) { return std::exp2(a); }},
    {K::Expm1, [](Number a, Number, Number, const double*) { return std::expm1(a); }},
    {K::Log, [](Number a, Number, Number, const double*) { return std::log(a); }},
    {K::Log2, [](Number a, Number, Number, const double*) { return std::log2(a); }},
    {K::Log10, [](Number a, Number, Number, const double*) { return std::log10(a); }},
    {K::Log1p, [](Number a, Number, Number, const double*) { return std::log1p(a); }},
    {K::Erf, [](Number a, Number, Number, const double*) { return std::erf(a); }},
    {K::Sin, [](Number a, Number, Number, const double*) { return std::sin(a); }},
    {K::Cos, [](Number a, Number, Number, const double*) { return std::cos(a); }},
    {K::Tan, [](Number a, Number, Number, const double*) { return std::tan(a); }},
    {K::Asin, [](Number a, Number, Number, const double*) { return std::asin(a); }},
    {K::Acos, [](Number a, Number, Number, const double*) { return std::acos(a); }},
    {K::Atan, [](Number a, Number, Number, const double*) { return std::atan(a); }},
    {K::Atan2, [](Number a, Number b, Number, const double*) { return std::atan2(a, b); }},
    {K::Sinh, [](Number a, Number, Number, const double*) { return std::sinh(a); }},
    {K::Cosh, [](Number a, Number, Number, const double*) { return std::cosh(a); }},
    {K::Tanh, [](Number a, Number, Number, const double*) { return std::tanh(a); }},
    {K::Asinh, [](Number a, Number, Number, const double*) { return std::asinh(a); }},
    {K::Acosh, [](Number a, Number, Number, const double*) { return std::acosh(a); }},
    {K::Atanh, [](Number a, Number, Number, const double*) { return std::atanh(a); }},
    {K::Relu, [](Number a, Number, Number, const double* p) -> Number { return a < 0 ? (p[0] == 0 ? 0 : p[0] * a) : a; }},
    {K::Clip, [](Number a, Number, Number, const double* p) { return clip(a, p[0], p[1]); }},
    {K::Sigmoid, [](Number a, Number, Number, const double*) { return sigmoid(a); }},
    {K::Elu, [](Number a, Number, Number, const double* p) -> Number { return a < 0 ? p[0] * std::expm1(a) : a; }},
    {K::Celu, [](Number a, Number, Number, const double* p) -> Number { return a < 0 ? p[0] * std::expm1(a / p[0]) : a; }},
    {K::Selu, [](Number a, Number, Number, const double* p) -> Number { return p[1] * (a < 0 ? p[0] * std::expm1(a) : a); }},
    {K::Gelu, [](Number a, Number, Number, const double*) { return gated(a, (1 + std::erf(a * kHalfRoot)) / 2); }},
    {K::GeluTanh, [](Number a, Number, Number, const double*) { return gated(a, (1 + std::tanh(kGeluScale * (a + 0.044715L * a * a * a))) / 2); }},
    {K::Softplus, [](Number a, Number, Number, const double* p) -> Number { return std::isnan(a) ? a : softplus(a, p[0]); }},
    {K::Swish, [](Number a, Number, Number, const double* p) { return gated(a, sigmoid(p[0] * a)); }},
    {K::HardSigmoid, [](Number a, Number, Number, const double* p) { return clip(p[0] * a + p[1], 0, 1); }},
    {K::HardSwish, [](Number a, Number, Number, const double*) { return gated(a, clip(a + 3, 0, 6) / 6); }},
    {K::Mish, [](Number a, Number, Number, const double*) { return std::isnan(a) ? a : gated(a, std::tanh(softplus(a, 1))); }},
    {K::Prelu, [](Number a, Number b, Number, const double*) { return a < 0 ? b * a : a; }},
    {K::LogSigmoid, [](Number a, Number, Number, const double*) { return std::isnan(a) ? a : -softplus(-a, 1); }},
    {K::Softsign, [](Number a, Number, Number, const double*) -> Number { return std::isinf(a) ? (a > 0 ? 1 : -1) : a / (1 + std::fabs(a)); }},
    {K::Softshrink, [](Number a, Number, Number, const double* p) -> Number { return a > p[0] ? a - p[0] : a < -p[0] ? a + p[0] : std::isnan(a) ? a : 0; }},
    {K::Hardshrink, [](Number a, Number, Number, const double* p) -> Number { return std::fabs(a) <= p[0] ? 0 : a; }},
    {K::Tanhshrink, [](Number a, Number, Number, const double*) { return a - std::tanh(a); }},
    {K::Threshold, [](Number a, Number, Number, const double* p) -> Number { return a <= p[0] ? p[1] : a; }},
    {K::ReluBackward, [](Number a, Number b, Number, const double* p) -> Number { return b > 0 ? a : std::isnan(b) ? b : p[0] * a; }},
    {K::TanhBackward, [](Number a, Number b, Number, const double*) { return a * (1 - std::tanh(b) * std::tanh(b)); }},
    {K::SigmoidBackward, [](Number a, Number b, Number, const double*) { return a * sigmoid(b) * sigmoid(-b); }},
    {K::EluBackward, [](Number a, Number b, Number, const double* p) -> Number { return b < 0 ? a * p[0] * std::exp(b) : std::isnan(b) ? b : a; }},
    {K::GeluBackward, [](Number a, Number b, Number, const double*) { return a * ((1 + std::erf(b * kHalfRoot)) / 2 + vanishing(b, kDensity * std::exp(-b * b / 2))); }},
    {K::GeluTanhBackward, [](Number a, Number b, Number, const double*) {
         const Number t = std::tanh(kGeluScale * (b + 0.044715L * b * b * b));
         return a * ((1 + t) / 2 + vanishing(b / 2, (1 - t * t) * kGeluScale * (1 + 0.134145L * (std::isinf(b) ? 0 : b * b))));
     }},
    {K::SoftplusBackward, [](Number a, Number b, Number, const double* p) { return a * sigmoid(p[0] * b); }},
    {K::SwishBackward, [](Number a, Number b, Number, const double* p) {
         const Number x = p[0] * b;
         return a * (sigmoid(x) + vanishing(x, sigmoid(x) * sigmoid(-x)));
     }},
    {K::HardSigmoidBackward, [](Number a, Number b, Number, const double* p) -> Number {
         const Number line = p[0] * b + p[1];
         return std::isnan(line) ? line : line > 0 && line < 1 ? a * p[0] : 0;
     }},
    {K::HardSwishBackward, [](Number a, Number b, Number, const double*) -> Number { return b <= -3 ? 0 : b >= 3 ? a : a * (2 * b + 3) / 6; }},
    {K::MishBackward, [](Number a, Number b, Number, const double*) {
         const Number t = std::tanh(softplus(b, 1));
         return a * (t + vanishing(b, (1 - t * t) * sigmoid(b)));
     }},
    {K::Equal, [](Number a, Number b, Number, const double*) -> Number { return a == b; }},
    {K::NotEqual, [](Number a, Number b, Number, const double*) -> Number { return a != b; }},
    {K::Greater, [](Number a, Number b, Number, const double*) -> Number { return a > b; }},
    {K::GreaterEqual, [](Number a, Number b, Number, const double*) -> Number { return a >= b; }},
    {K::Less, [](Number a, Number b, Number, const double*) -> Number { return a < b; }},
    {K::LessEqual, [](Number a, Number b, Number, const double*) -> Number { return a <= b; }},
    {K::LogicalAnd, [](Number a, Number b, Number, const double*) -> Number { return a != 0 && b != 0; }},
    {K::LogicalOr, [](Number a, Number b, Number, const double*) -> Number { return a != 0 || b != 0; }},
    {K::LogicalXor, [](Number a, Number b, Number, const double*) -> Number { return (a != 0) != (b != 0); }},
    {K::LogicalNot, [](Number a, Number, Number, const double*) -> Number { return a == 0; }},
    {K::IsNan, [](Number a, Number, Number, const double*) -> Number { return std::isnan(a); }},
    {K::IsInf, [](Number a, Number, Number, const double*) -> Number { return std::isinf(a); }},
    {K::NanToNum, [](Number a, Number, Number, const double* p) -> Number { return std::isnan(a) ? p[0] : a; }},
    {K::Select, [](Number a, Number b, Number c, const double*) { return a != 0 ? b : c; }},
};

/// The functions whose integer meaning differs from the floating one.
Number integer_value(const Pointwise& function, DataType type, Number a, Number b) {
    const auto i = static_cast<int64_t>(a), j = static_cast<int64_t>(b);
    const auto u = static_cast<uint64_t>(i), v = static_cast<uint64_t>(j);
    const int64_t width = type == DataType::I64 ? 64 : 32;  // shifts of small integers happen in 32 bits, then wrap
    const bool past = j < 0 || j >= width;
    const auto signed_of = [](uint64_t bits) { return static_cast<Number>(static_cast<int64_t>(bits)); };
    switch (function.kind) {
        case K::Negate:
            return signed_of(0 - u);
        case K::Abs:
            return signed_of(i < 0 ? 0 - u : u);
        case K::Add:
            return signed_of(u + v);
        case K::Subtract:
            return signed_of(u - v);
        case K::Multiply:
            return signed_of(u * v);
        case K::AddSquare:
            return signed_of(u + v * v);
        case K::Square:
            return signed_of(u * u);
        case K::SquaredDifference:
            return signed_of((u - v) * (u - v));
        case K::Divide:
            return j == 0 ? 0 : j == -1 ? signed_of(0 - u) : static_cast<Number>(i / j);
        case K::Modulo:
            return j == 0 || j == -1 ? 0 : static_cast<Number>(i % j);
        case K::BitwiseAnd:
            return signed_of(u & v);
        case K::BitwiseOr:
            return signed_of(u | v);
        case K::BitwiseXor:
            return signed_of(u ^ v);
        case K::BitwiseNot:
            return signed_of(~u);
        case K::ShiftLeft:
            return past ? 0 : signed_of(u << j);
        case K::ShiftRight:
            return past ? (i < 0 ? -1 : 0) : static_cast<Number>(i >> j);
        default:
            break;
    }
    return kRows[static_cast<size_t>(function.kind)].function(a, b, 0, function.parameters.data());
}

}  // namespace

Number pointwise_value(const Pointwise& function, DataType type, Number a, Number b, Number c) {
    const bool integer = is_integer(type) && info(function.kind).domain != PointwiseDomain::Any &&
                         info(function.kind).result == PointwiseResult::SameType;
    if (integer) return wrapped(type, integer_value(function, type, a, b));
    return kRows[static_cast<size_t>(function.kind)].function(a, b, c, function.parameters.data());
}

}  // namespace tenon::engine
