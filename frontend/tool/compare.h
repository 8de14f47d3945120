#pragma once

#include <string>
#include <vector>

#include <tenon/types.h>

namespace tenon::tool {

/// How far numbers may lie from the reference, as a part of the largest expected one: a few hundred units in the last
/// place of f32 and f64, sixteen of f16 and bf16; whole numbers must be equal.
double tolerance_of(DataType type);

struct Difference {
    double largest = 0.0;   ///< Of |found - expected| over the largest finite |expected|, or infinite.
    int64_t worst_at = -1;  ///< Row-major number of that element.
    bool is_within = true;
};

/// NaN agrees with NaN and an infinity with itself only.
Difference difference_of(const std::vector<double>& found, const std::vector<double>& expected, double tolerance);

}  // namespace tenon::tool
