#include "tests/support/tolerance.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tenon::testing {
namespace {

/// Bits behind the leading one, and the exponent of the smallest normal number.
struct Precision {
    int mantissa_bits;
    int least_exponent;
};

Precision precision_of(DataType type) {
    switch (type) {
        case DataType::F16:
            return {10, -14};
        case DataType::BF16:
            return {7, -126};
        case DataType::F64:
            return {52, -1022};
        default:
            return {23, -126};
    }
}

bool is_right(DataType type, double found, double expected, const Tolerance& tolerance) {
    if (std::isnan(expected)) return std::isnan(found);
    if (std::isinf(expected)) return found == expected;
    return std::fabs(found - expected) <= tolerance.absolute + tolerance.ulps * ulp_of(type, expected);
}

}  // namespace

double ulp_of(DataType type, double value) {
    if (!is_floating(type)) return 1.0;
    const Precision precision = precision_of(type);
    const int exponent =
        value == 0.0 ? precision.least_exponent : std::max(std::ilogb(value), precision.least_exponent);
    return std::ldexp(1.0, exponent - precision.mantissa_bits);
}

Tolerance pointwise_tolerance(DataType type) {
    if (!is_floating(type)) return kExact;
    if (type == DataType::F64) return {.ulps = 4.0, .absolute = 1e-12};
    return {.ulps = type == DataType::F32 ? 4.0 : 1.0, .absolute = 1e-6};
}

Tolerance sum_tolerance(DataType type, int64_t terms, double magnitude) {
    if (!is_floating(type)) return kExact;
    const double epsilon = type == DataType::F64 ? 0x1p-52 : 0x1p-23;
    const double root = std::sqrt(static_cast<double>(std::max<int64_t>(terms, 1)));
    // A running sum is about root * magnitude and is rounded `terms` times; the errors add up like its square root.
    return {.ulps = 1.0,
            .absolute = 4.0 * epsilon * magnitude * root * root,
            .normwise = ulp_of(type, 1.0) + 4.0 * epsilon * root};
}

::testing::AssertionResult is_close(const HostTensor& found, const std::vector<double>& expected,
                                    const Tolerance& tolerance) {
    const TensorSpec& spec = found.spec();
    const std::vector<double> values = found.values();
    std::ostringstream text;
    text.precision(17);
    text << "'" << spec.name << "' (" << to_string(spec.type) << " " << to_text(spec.dims) << "): ";
    if (values.size() != expected.size()) {
        return ::testing::AssertionFailure()
               << text.str() << values.size() << " elements, expected " << expected.size();
    }
    int64_t wrong = 0, first = 0;
    double error = 0.0, norm = 0.0;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!is_right(spec.type, values[i], expected[i], tolerance) && wrong++ == 0) first = static_cast<int64_t>(i);
        if (!std::isfinite(values[i]) || !std::isfinite(expected[i])) continue;
        error += (values[i] - expected[i]) * (values[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    if (wrong > 0) {
        const size_t at = static_cast<size_t>(first);
        text << wrong << " of " << values.size() << " elements are wrong; first at "
             << coordinates_text(spec.dims, first) << ": found " << values[at] << ", expected " << expected[at]
             << ", allowed error "
             << tolerance.absolute +
                    tolerance.ulps * (std::isfinite(expected[at]) ? ulp_of(spec.type, expected[at]) : 0.0);
        return ::testing::AssertionFailure() << text.str();
    }
    if (std::sqrt(error) <= tolerance.normwise * std::sqrt(norm)) return ::testing::AssertionSuccess();
    text << "norm of the error " << std::sqrt(error) << " exceeds " << tolerance.normwise << " of the norm "
         << std::sqrt(norm);
    return ::testing::AssertionFailure() << text.str();
}

}  // namespace tenon::testing
