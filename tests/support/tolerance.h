#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/host_tensor.h"

namespace tenon::testing {

/// How far a result may be from the expected one. An element is right if |found - expected| <= absolute + ulps *
/// (distance of neighbouring numbers of the type at `expected`); a NaN is right only where a NaN is expected, an
/// infinity only where that infinity is. Besides, norm(found - expected) <= normwise * norm(expected) over the finite
/// elements.
struct Tolerance {
    double ulps = 0.0;
    double absolute = 0.0;
    double normwise = 1e300;
};

/// Equal values; the sign of zero is not compared.
inline constexpr Tolerance kExact{};

/// One rounding of a function computed in f32 (f64 for f64): 1 ulp, 4 for f32, plus 1e-6 (f64: 1e-12).
Tolerance pointwise_tolerance(DataType type);
/// A sum of `terms` products of about `magnitude` each, accumulated in f32 (f64 for f64) in any order, then rounded
/// once. The rounding errors of the sum grow like its square root; cancellation makes them absolute, not relative.
Tolerance sum_tolerance(DataType type, int64_t terms, double magnitude = 1.0);

/// Distance from |value| to the next larger number of the type; 1 for integers and Bool.
double ulp_of(DataType type, double value);

/// Success, or the first wrong element with coordinates, found and expected, and how many are wrong.
::testing::AssertionResult is_close(const HostTensor& found, const std::vector<double>& expected,
                                    const Tolerance& tolerance);

}  // namespace tenon::testing
