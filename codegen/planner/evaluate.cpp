#include "codegen/planner/evaluate.h"

#include <cmath>

namespace tenon::codegen {
namespace {

/// NaN wins over numbers.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

}  // namespace

std::function<double(double, double, double)> constant_function(const Pointwise& op) {
    const double p = op.parameters[0], q = op.parameters[1];
    switch (op.kind) {
        case PointwiseKind::Identity:
            return [](double a, double, double) { return a; };
        case PointwiseKind::Negate:
            return [](double a, double, double) { return -a; };
        case PointwiseKind::Abs:
            return [](double a, double, double) { return std::fabs(a); };
        case PointwiseKind::Add:
            return [](double a, double b, double) { return a + b; };
        case PointwiseKind::Subtract:
            return [](double a, double b, double) { return a - b; };
        case PointwiseKind::Multiply:
            return [](double a, double b, double) { return a * b; };
        case PointwiseKind::Divide:
            return [](double a, double b, double) { return a / b; };
        case PointwiseKind::Maximum:
            return [](double a, double b, double) { return larger(a, b); };
        case PointwiseKind::Minimum:
            return [](double a, double b, double) { return smaller(a, b); };
        case PointwiseKind::Square:
            return [](double a, double, double) { return a * a; };
        case PointwiseKind::Reciprocal:
            return [](double a, double, double) { return 1.0 / a; };
        case PointwiseKind::Sqrt:
            return [](double a, double, double) { return std::sqrt(a); };
        case PointwiseKind::Rsqrt:
            return [](double a, double, double) { return 1.0 / std::sqrt(a); };
        case PointwiseKind::Exp:
            return [](double a, double, double) { return std::exp(a); };
        case PointwiseKind::Log:
            return [](double a, double, double) { return std::log(a); };
        case PointwiseKind::Tanh:
            return [](double a, double, double) { return std::tanh(a); };
        case PointwiseKind::Sigmoid:
            return [](double a, double, double) { return 1.0 / (1.0 + std::exp(-a)); };
        case PointwiseKind::Relu:
            return [p](double a, double, double) { return a < 0.0 ? p * a : a; };
        case PointwiseKind::Clip:
            return [p, q](double a, double, double) { return a < p ? p : a > q ? q : a; };
        case PointwiseKind::Power:
            return [](double a, double b, double) { return std::pow(a, b); };
        default:
            return {};
    }
}

}  // namespace tenon::codegen
