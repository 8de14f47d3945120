#include "codegen/kernels/rows/arrangement.h"

namespace tenon::codegen {

Dims GatheredAxes::split_dims() const {
    Dims result = dims;
    if (split_axis < 0) return result;
    int64_t& outer = result[static_cast<size_t>(split_axis)];
    result.insert(result.begin() + split_axis + 1, outer / parts);
    result[static_cast<size_t>(split_axis)] = parts;
    return result;
}

Dims GatheredAxes::split_strides(const Dims& strides) const {
    Dims result = strides;
    if (split_axis < 0) return result;
    const size_t axis = static_cast<size_t>(split_axis);
    const int64_t stride = strides[axis];
    result.insert(result.begin() + split_axis + 1, stride);
    result[axis] = stride * (dims[axis] / parts);
    return result;
}

Arrangement arrange_statistics(const GatheredAxes& axes, const Dims& strides) {
    const Dims dims = axes.split_dims();
    Arrangement arrangement;
    std::vector<int> kept, gathered;
    for (const int axis : memory_order(dims, strides)) {
        const size_t at = static_cast<size_t>(axis);
        (axes.gathered[at] ? gathered : kept).push_back(axis);
        if (dims[at] > 1) arrangement.by_columns = !axes.gathered[at];  // the innermost axis decides
    }
    arrangement.order = arrangement.by_columns ? AxisOrder{gathered, kept} : AxisOrder{kept, gathered};
    return arrangement;
}

Dims leading_strides(const std::vector<Access>& accesses, const Dims& dims) {
    Dims leading(dims.size(), 0);
    int64_t most = 0;
    for (const Access& access : accesses) {
        if (access.operand < 0) continue;
        int64_t elements = 1;
        for (size_t axis = 0; axis < dims.size(); ++axis) elements *= access.strides[axis] != 0 ? dims[axis] : 1;
        if (elements <= most) continue;
        most = elements;
        leading = access.strides;
    }
    return leading;
}

Domain with_accesses(const Domain& domain, size_t first, size_t count) {
    Domain result{.rows = domain.rows, .columns = domain.columns, .strides = {}};
    const auto begin = domain.strides.begin() + static_cast<std::ptrdiff_t>(first);
    result.strides.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return result;
}

DataType held_type(const Body& input, bool relaxed) {
    const Term& element = input.terms.back();
    const bool narrow = element.type == DataType::F16 || element.type == DataType::BF16;
    return narrow && relaxed && element.kind != Term::Kind::Load ? DataType::F32 : element.type;
}

int lanes_of_type(const Domain& domain, const std::vector<Access>& accesses, DataType type) {
    Domain memory{.rows = domain.rows, .columns = domain.columns, .strides = {}};
    std::vector<int64_t> offsets;
    for (size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].operand < 0) continue;
        memory.strides.push_back(domain.strides[i]);
        offsets.push_back(accesses[i].offset);
    }
    return widest_lanes(memory, {type}, offsets);
}

}  // namespace tenon::codegen
