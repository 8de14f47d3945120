#pragma once

#include <array>
#include <cstdint>

#include <tenon/pointwise.h>

namespace tenon::engine {

/// Value of a function of pointwise.h on real numbers; true is 1. Inputs a function lacks are 0.
using RealFunction = double (*)(double a, double b, double c, const std::array<double, 3>& parameters);

struct WholeParameters {
    std::array<int64_t, 3> of;
    int width;  ///< Bits of the element type.
};

/// Value on integers and booleans, exact modulo 2^64; the caller wraps it to the type.
using WholeFunction = int64_t (*)(int64_t a, int64_t b, int64_t c, const WholeParameters& parameters);

/// nullptr where the function takes no floating type.
RealFunction real_function(PointwiseKind kind);
/// nullptr where the function takes floating types only.
WholeFunction whole_function(PointwiseKind kind);

}  // namespace tenon::engine
