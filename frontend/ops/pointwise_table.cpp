#include <tenon/pointwise.h>

namespace tenon {
namespace {

constexpr bool rows_stand_at_their_kind() {
    for (size_t i = 0; i < kPointwise.size(); ++i) {
        if (static_cast<size_t>(kPointwise[i].kind) != i) return false;
    }
    return true;
}
static_assert(rows_stand_at_their_kind(), "kPointwise must list the kinds in the order of the enumeration");

}  // namespace

const PointwiseInfo& info(PointwiseKind kind) { return kPointwise[static_cast<size_t>(kind)]; }

const PointwiseInfo* find_pointwise(std::string_view name) {
    for (const PointwiseInfo& row : kPointwise) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

std::array<double, 3> initial_parameters(PointwiseKind kind) {
    std::array<double, 3> parameters{};
    for (size_t i = 0; i < parameters.size(); ++i) parameters[i] = info(kind).parameters[i].initial;
    return parameters;
}

}  // namespace tenon
