#include "codegen/region/domain.h"

#include <algorithm>
#include <numeric>

namespace tenon::codegen {
namespace {

/// Collapsed axes of one group (rows or columns).
struct Group {
    Dims extents;
    std::vector<Dims> strides;  // per operand
};

Group collapse(const Dims& dims, const std::vector<int>& axes, const std::vector<Dims>& operand_strides) {
    Group group;
    group.strides.resize(operand_strides.size());
    for (const int axis : axes) {
        const size_t at = static_cast<size_t>(axis);
        const int64_t extent = dims[at];
        if (extent == 1) continue;
        const bool merges =
            !group.extents.empty() &&
            std::equal(operand_strides.begin(), operand_strides.end(), group.strides.begin(),
                       [&](const Dims& inner, const Dims& outer) { return outer.back() == inner[at] * extent; });
        if (merges) group.extents.back() *= extent;
        if (!merges) group.extents.push_back(extent);
        for (size_t i = 0; i < operand_strides.size(); ++i) {
            if (merges) group.strides[i].back() = operand_strides[i][at];
            if (!merges) group.strides[i].push_back(operand_strides[i][at]);
        }
    }
    return group;
}

int64_t product(const Dims& extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

int64_t Domain::row_count() const { return product(rows); }
int64_t Domain::column_count() const { return product(columns); }

DomainStrides Domain::packed() const {
    DomainStrides strides;
    int64_t stride = 1;
    const auto fill = [&](const Dims& extents, Dims& out) {
        out.resize(extents.size());
        for (size_t i = extents.size(); i-- > 0; stride *= extents[i]) out[i] = extents[i] == 1 ? 0 : stride;
    };
    fill(columns, strides.column);
    fill(rows, strides.row);
    return strides;
}

Domain arrange(const Dims& dims, const AxisOrder& order, const std::vector<Dims>& operand_strides) {
    Group rows = collapse(dims, order.rows, operand_strides);
    Group columns = collapse(dims, order.columns, operand_strides);
    if (columns.extents.empty()) {
        columns.extents.push_back(1);
        for (Dims& strides : columns.strides) strides.push_back(0);
    }
    Domain domain{.rows = rows.extents, .columns = columns.extents, .strides = {}};
    for (size_t i = 0; i < operand_strides.size(); ++i) domain.strides.push_back({rows.strides[i], columns.strides[i]});
    return domain;
}

std::vector<int> memory_order(const Dims& dims, const Dims& strides) {
    std::vector<int> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
        if (dims[i] == 1 || dims[j] == 1) return false;
        return strides[i] > strides[j];
    });
    return order;
}

Domain arrange_elementwise(const Dims& dims, const Dims& strides, const std::vector<Dims>& operand_strides) {
    Domain domain = arrange(dims, {.rows = memory_order(dims, strides), .columns = {}}, operand_strides);
    if (domain.rows.empty()) return domain;
    domain.columns = {domain.rows.back()};
    domain.rows.pop_back();
    for (DomainStrides& operand : domain.strides) {
        operand.column = {operand.row.back()};
        operand.row.pop_back();
    }
    return domain;
}

AxisOrder image_order(const Dims& dims, const Dims& strides) {
    AxisOrder order;
    const int rank = static_cast<int>(dims.size());
    int column = rank - 1;
    if (rank >= 3 && dims[1] > 1) {
        const bool channels_innermost =
            std::all_of(strides.begin() + 2, strides.end(), [&, axis = size_t{1}](int64_t s) mutable {
                ++axis;
                return dims[axis] == 1 || s > strides[1];
            });
        if (channels_innermost) column = 1;
    }
    for (int axis = 0; axis < rank; ++axis) {
        if (axis != column) order.rows.push_back(axis);
    }
    order.columns.push_back(column);
    return order;
}

int widest_lanes(const Domain& domain, const std::vector<DataType>& types, const std::vector<int64_t>& offsets) {
    int64_t widest_type = 1;
    for (const DataType type : types) widest_type = std::max(widest_type, bytes_of(type));
    const int64_t last = domain.columns.back();
    for (int lanes = static_cast<int>(16 / widest_type); lanes > 1; lanes /= 2) {
        if (last % lanes != 0) continue;
        const auto whole = [&](size_t i) {
            const DomainStrides& strides = domain.strides[i];
            if (strides.column.back() != 1) return true;
            const auto divides = [&](int64_t stride) { return stride % lanes == 0; };
            return divides(offsets[i]) && std::all_of(strides.row.begin(), strides.row.end(), divides) &&
                   std::all_of(strides.column.begin(), strides.column.end() - 1, divides);
        };
        std::vector<size_t> all(domain.strides.size());
        std::iota(all.begin(), all.end(), size_t{0});
        if (std::all_of(all.begin(), all.end(), whole)) return lanes;
    }
    return 1;
}

}  // namespace tenon::codegen
