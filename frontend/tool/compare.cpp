#include "frontend/tool/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::tool {

double tolerance_of(DataType type) {
    switch (type) {
        case DataType::F64:
            return 0x1p-44;
        case DataType::F32:
            return 0x1p-15;
        case DataType::F16:
            return 0x1p-7;
        case DataType::BF16:
            return 0x1p-4;
        default:
            return 0.0;
    }
}

Difference difference_of(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
    double scale = 0.0;
    for (const double value : expected) {
        if (std::isfinite(value)) scale = std::max(scale, std::fabs(value));
    }
    Difference difference;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double a = found[i], b = expected[i];
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        const double distance = std::fabs(a - b) / std::max(scale, std::numeric_limits<double>::min());
        const double part = std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
        if (part > difference.largest || difference.worst_at < 0) difference.worst_at = static_cast<int64_t>(i);
        difference.largest = std::max(difference.largest, part);
    }
    difference.is_within = difference.worst_at < 0 || difference.largest <= tolerance;
    return difference;
}

}  // namespace tenon::tool
