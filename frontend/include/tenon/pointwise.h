#pragma once

#include <array>
#include <string_view>

namespace tenon {

/// Functions applied element by element. a, b, c are the inputs; p, q, r the parameters of the table below.
enum class PointwiseKind {
    // arithmetic
    Identity,
    Negate,
    Abs,
    Sign,
    Add,
    AddSquare,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
    Modulo,
    Power,
    Square,
    SquaredDifference,
    Reciprocal,
    Sqrt,
    Rsqrt,
    // rounding
    Ceil,
    Floor,
    Round,
    Truncate,
    // exponentials, logarithms, trigonometry
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Erf,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    // activations
    Relu,
    Clip,
    Sigmoid,
    Elu,
    Celu,
    Selu,
    Gelu,
    GeluTanh,
    Softplus,
    Swish,
    HardSigmoid,
    HardSwish,
    Mish,
    Prelu,
    LogSigmoid,
    Softsign,
    Softshrink,
    Hardshrink,
    Tanhshrink,
    Threshold,
    // gradients of activations: a is the gradient of the output, b the forward input
    ReluBackward,
    TanhBackward,
    SigmoidBackward,
    EluBackward,
    GeluBackward,
    GeluTanhBackward,
    SoftplusBackward,
    SwishBackward,
    HardSigmoidBackward,
    HardSwishBackward,
    MishBackward,
    // comparisons and logic
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    LogicalNot,
    IsNan,
    IsInf,
    NanToNum,
    Select,
    // bits of integers
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    BitwiseNot,
    ShiftLeft,
    ShiftRight,
};

/// Which element types a function takes.
enum class PointwiseDomain { Numeric, Floating, Integer, Boolean, Any };
/// What comes out: the type of the data inputs, or Bool.
enum class PointwiseResult { SameType, Bool };

/// A named constant of a function, such as the slope of a leaky relu.
struct PointwiseParameter {
    std::string_view name;
    double initial = 0.0;
};

/// One row of the table: everything the graph needs to know about a function. Its value is defined twice more, on
/// purpose: `codegen/device/tenon/pointwise.cuh` (a device function of the same name) and
/// `engine/reference/pointwise.cpp` (double precision).
struct PointwiseInfo {
    PointwiseKind kind;
    std::string_view name;
    int inputs;
    PointwiseDomain domain = PointwiseDomain::Floating;
    PointwiseResult result = PointwiseResult::SameType;
    std::array<PointwiseParameter, 3> parameters{};  ///< Unused ones have an empty name.
};

/// The row of `kind`.
const PointwiseInfo& info(PointwiseKind kind);
/// The row with this name, or nullptr.
const PointwiseInfo* find_pointwise(std::string_view name);
/// The parameters of the row.
std::array<double, 3> initial_parameters(PointwiseKind kind);

inline constexpr double kInfinity = __builtin_huge_val();

/// NaN in either input gives NaN out, so a fused graph and an unfused one agree. The exceptions: rows that test for it
/// (comparisons, is_nan, is_inf, nan_to_num); select, which does not look at the operand it leaves out; prelu, whose
/// slope counts only where a is negative; and power, which is IEEE pow: pow(NaN, 0) = pow(1, NaN) = 1.
inline constexpr std::array kPointwise = {
    PointwiseInfo{PointwiseKind::Identity, "identity", 1, PointwiseDomain::Any},
    PointwiseInfo{PointwiseKind::Negate, "negate", 1, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Abs, "abs", 1, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Sign, "sign", 1, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Add, "add", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::AddSquare, "add_square", 2, PointwiseDomain::Numeric},  // a + b * b
    PointwiseInfo{PointwiseKind::Subtract, "subtract", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Multiply, "multiply", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Divide, "divide", 2, PointwiseDomain::Numeric},  // integers truncate; x / 0 = 0
    PointwiseInfo{PointwiseKind::Maximum, "maximum", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Minimum, "minimum", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Modulo, "modulo", 2, PointwiseDomain::Numeric},  // sign of a, like C fmod and %
    PointwiseInfo{PointwiseKind::Power, "power", 2},
    PointwiseInfo{PointwiseKind::Square, "square", 1, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::SquaredDifference, "squared_difference", 2, PointwiseDomain::Numeric},
    PointwiseInfo{PointwiseKind::Reciprocal, "reciprocal", 1},
    PointwiseInfo{PointwiseKind::Sqrt, "sqrt", 1},
    PointwiseInfo{PointwiseKind::Rsqrt, "rsqrt", 1},
    PointwiseInfo{PointwiseKind::Ceil, "ceil", 1},
    PointwiseInfo{PointwiseKind::Floor, "floor", 1},
    PointwiseInfo{PointwiseKind::Round, "round", 1},  // halves to even
    PointwiseInfo{PointwiseKind::Truncate, "truncate", 1},
    PointwiseInfo{PointwiseKind::Exp, "exp", 1},
    PointwiseInfo{PointwiseKind::Exp2, "exp2", 1},
    PointwiseInfo{PointwiseKind::Expm1, "expm1", 1},
    PointwiseInfo{PointwiseKind::Log, "log", 1},
    PointwiseInfo{PointwiseKind::Log2, "log2", 1},
    PointwiseInfo{PointwiseKind::Log10, "log10", 1},
    PointwiseInfo{PointwiseKind::Log1p, "log1p", 1},
    PointwiseInfo{PointwiseKind::Erf, "erf", 1},
    PointwiseInfo{PointwiseKind::Sin, "sin", 1},
    PointwiseInfo{PointwiseKind::Cos, "cos", 1},
    PointwiseInfo{PointwiseKind::Tan, "tan", 1},
    PointwiseInfo{PointwiseKind::Asin, "asin", 1},
    PointwiseInfo{PointwiseKind::Acos, "acos", 1},
    PointwiseInfo{PointwiseKind::Atan, "atan", 1},
    PointwiseInfo{PointwiseKind::Atan2, "atan2", 2},
    PointwiseInfo{PointwiseKind::Sinh, "sinh", 1},
    PointwiseInfo{PointwiseKind::Cosh, "cosh", 1},
    PointwiseInfo{PointwiseKind::Tanh, "tanh", 1},
    PointwiseInfo{PointwiseKind::Asinh, "asinh", 1},
    PointwiseInfo{PointwiseKind::Acosh, "acosh", 1},
    PointwiseInfo{PointwiseKind::Atanh, "atanh", 1},
    PointwiseInfo{PointwiseKind::Relu,
                  "relu",
                  1,
                  PointwiseDomain::Numeric,
                  PointwiseResult::SameType,
                  {{{"slope", 0.0}}}},  // a < 0 ? slope * a : a
    PointwiseInfo{PointwiseKind::Clip,
                  "clip",
                  1,
                  PointwiseDomain::Numeric,
                  PointwiseResult::SameType,
                  {{{"lower", -kInfinity}, {"upper", kInfinity}}}},
    PointwiseInfo{PointwiseKind::Sigmoid, "sigmoid", 1},
    PointwiseInfo{
        PointwiseKind::Elu, "elu", 1, PointwiseDomain::Floating, PointwiseResult::SameType, {{{"alpha", 1.0}}}},
    PointwiseInfo{
        PointwiseKind::Celu, "celu", 1, PointwiseDomain::Floating, PointwiseResult::SameType, {{{"alpha", 1.0}}}},
    PointwiseInfo{PointwiseKind::Selu,
                  "selu",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}}}},
    PointwiseInfo{PointwiseKind::Gelu, "gelu", 1},           // a / 2 * (1 + erf(a / sqrt 2))
    PointwiseInfo{PointwiseKind::GeluTanh, "gelu_tanh", 1},  // the tanh approximation
    PointwiseInfo{PointwiseKind::Softplus,
                  "softplus",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"beta", 1.0}}}},  // log(1 + exp(beta a)) / beta
    PointwiseInfo{PointwiseKind::Swish,
                  "swish",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"beta", 1.0}}}},  // a * sigmoid(beta a); -inf gives 0
    PointwiseInfo{PointwiseKind::HardSigmoid,
                  "hard_sigmoid",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"alpha", 1.0 / 6.0}, {"beta", 0.5}}}},    // clip(alpha a + beta, 0, 1)
    PointwiseInfo{PointwiseKind::HardSwish, "hard_swish", 1},  // a * clip(a + 3, 0, 6) / 6; -inf gives 0
    PointwiseInfo{PointwiseKind::Mish, "mish", 1},
    PointwiseInfo{PointwiseKind::Prelu, "prelu", 2},  // a < 0 ? b * a : a
    PointwiseInfo{PointwiseKind::LogSigmoid, "log_sigmoid", 1},
    PointwiseInfo{PointwiseKind::Softsign, "softsign", 1},
    PointwiseInfo{PointwiseKind::Softshrink,
                  "softshrink",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"lambda", 0.5}}}},
    PointwiseInfo{PointwiseKind::Hardshrink,
                  "hardshrink",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"lambda", 0.5}}}},
    PointwiseInfo{PointwiseKind::Tanhshrink, "tanhshrink", 1},
    PointwiseInfo{PointwiseKind::Threshold,
                  "threshold",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"threshold", 1.0}, {"value", 0.0}}}},  // a > threshold ? a : value
    PointwiseInfo{PointwiseKind::ReluBackward,
                  "relu_backward",
                  2,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"slope", 0.0}}}},
    PointwiseInfo{PointwiseKind::TanhBackward, "tanh_backward", 2},
    PointwiseInfo{PointwiseKind::SigmoidBackward, "sigmoid_backward", 2},
    PointwiseInfo{PointwiseKind::EluBackward,
                  "elu_backward",
                  2,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"alpha", 1.0}}}},
    PointwiseInfo{PointwiseKind::GeluBackward, "gelu_backward", 2},
    PointwiseInfo{PointwiseKind::GeluTanhBackward, "gelu_tanh_backward", 2},
    PointwiseInfo{PointwiseKind::SoftplusBackward,
                  "softplus_backward",
                  2,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"beta", 1.0}}}},
    PointwiseInfo{PointwiseKind::SwishBackward,
                  "swish_backward",
                  2,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"beta", 1.0}}}},
    PointwiseInfo{PointwiseKind::HardSigmoidBackward,
                  "hard_sigmoid_backward",
                  2,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"alpha", 1.0 / 6.0}, {"beta", 0.5}}}},
    PointwiseInfo{PointwiseKind::HardSwishBackward, "hard_swish_backward", 2},
    PointwiseInfo{PointwiseKind::MishBackward, "mish_backward", 2},
    PointwiseInfo{PointwiseKind::Equal, "equal", 2, PointwiseDomain::Any, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::NotEqual, "not_equal", 2, PointwiseDomain::Any, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::Greater, "greater", 2, PointwiseDomain::Numeric, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::GreaterEqual, "greater_equal", 2, PointwiseDomain::Numeric, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::Less, "less", 2, PointwiseDomain::Numeric, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::LessEqual, "less_equal", 2, PointwiseDomain::Numeric, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::LogicalAnd, "logical_and", 2, PointwiseDomain::Boolean},
    PointwiseInfo{PointwiseKind::LogicalOr, "logical_or", 2, PointwiseDomain::Boolean},
    PointwiseInfo{PointwiseKind::LogicalXor, "logical_xor", 2, PointwiseDomain::Boolean},
    PointwiseInfo{PointwiseKind::LogicalNot, "logical_not", 1, PointwiseDomain::Boolean},
    PointwiseInfo{PointwiseKind::IsNan, "is_nan", 1, PointwiseDomain::Floating, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::IsInf, "is_inf", 1, PointwiseDomain::Floating, PointwiseResult::Bool},
    PointwiseInfo{PointwiseKind::NanToNum,
                  "nan_to_num",
                  1,
                  PointwiseDomain::Floating,
                  PointwiseResult::SameType,
                  {{{"value", 0.0}}}},                                        // NaN -> value; infinities stay
    PointwiseInfo{PointwiseKind::Select, "select", 3, PointwiseDomain::Any},  // a (Bool) ? b : c
    PointwiseInfo{PointwiseKind::BitwiseAnd, "bitwise_and", 2, PointwiseDomain::Integer},
    PointwiseInfo{PointwiseKind::BitwiseOr, "bitwise_or", 2, PointwiseDomain::Integer},
    PointwiseInfo{PointwiseKind::BitwiseXor, "bitwise_xor", 2, PointwiseDomain::Integer},
    PointwiseInfo{PointwiseKind::BitwiseNot, "bitwise_not", 1, PointwiseDomain::Integer},
    PointwiseInfo{PointwiseKind::ShiftLeft, "shift_left", 2, PointwiseDomain::Integer},    // 0 past the width
    PointwiseInfo{PointwiseKind::ShiftRight, "shift_right", 2, PointwiseDomain::Integer},  // sign fill past the width
};

}  // namespace tenon
