#include "codegen/kernels/hopper/epilogue.h"

#include <algorithm>

namespace tenon::codegen {
namespace {

bool is_packed(const ProductEpilogue& epilogue, size_t access) {
    return epilogue.domain.strides[access] == epilogue.domain.packed();
}

/// Lanes of which every operand is made of whole groups, up to 8; wide types then take several accesses.
int widest_whole_lanes(const ProductEpilogue& epilogue) {
    for (int lanes = 8; lanes > 1; lanes /= 2) {
        const auto divides = [&](int64_t value) { return value % lanes == 0; };
        bool whole = divides(epilogue.domain.columns.back());
        for (size_t i = 0; i < epilogue.list.size() && whole; ++i) {
            const DomainStrides& strides = epilogue.domain.strides[i];
            if (epilogue.list[i].operand < 0 || strides.column.back() != 1) continue;
            whole = divides(epilogue.list[i].offset) && std::all_of(strides.row.begin(), strides.row.end(), divides);
        }
        if (whole) return lanes;
    }
    return 1;
}

}  // namespace

ProductEpilogue read_epilogue(const Region& region) {
    ProductEpilogue epilogue;
    epilogue.list = accesses(region, region.epilogue, region.stores);
    const Dims& dims = region.epilogue.dims;
    const Dims& order = region.operands[static_cast<size_t>(region.stores.front().operand)].strides;
    AxisOrder axes = image_order(dims, order);
    if (dims.size() != 4) {
        axes = {};
        for (int axis = 0; axis + 1 < static_cast<int>(dims.size()); ++axis) axes.rows.push_back(axis);
        axes.columns = {static_cast<int>(dims.size()) - 1};
    }
    epilogue.domain = arrange(dims, axes, strides_of(epilogue.list));
    epilogue.lanes = widest_whole_lanes(epilogue);
    const size_t first_store = epilogue.list.size() - region.stores.size();
    const Operand& y = region.operands[static_cast<size_t>(region.stores.front().operand)];
    const int64_t pitch = epilogue.domain.column_count() * bytes_of(y.type);
    const auto is_grain = [](const Operand& operand) { return operand.offset * bytes_of(operand.type) % 16 == 0; };
    if (!is_packed(epilogue, first_store) || pitch % 16 != 0 || !is_grain(y) || bytes_of(y.type) < 2 ||
        bytes_of(y.type) > 4)
        return epilogue;
    epilogue.result = region.stores.front().operand;
    if (region.stores.size() > 1) return epilogue;
    epilogue.is_only_result = true;
    for (size_t i = 0; i < first_store && epilogue.operand < 0; ++i) {
        if (epilogue.list[i].operand < 0 || !is_packed(epilogue, i)) continue;
        const Operand& operand = region.operands[static_cast<size_t>(epilogue.list[i].operand)];
        const auto loads = std::count_if(epilogue.list.begin(), epilogue.list.end(),
                                         [&](const Access& a) { return a.operand == epilogue.list[i].operand; });
        if (operand.type == y.type && is_grain(operand) && loads == 1) epilogue.operand = epilogue.list[i].operand;
    }
    return epilogue;
}

bool moves(const Dims& strides) {
    return std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 0; });
}

void part_factors(Region& region) {
    for (Term& term : region.epilogue.terms) {
        if (term.kind != Term::Kind::Load) continue;
        const bool is_factor = std::any_of(region.inputs.begin(), region.inputs.end(),
                                           [&](const Body& body) { return body.terms.back().operand == term.operand; });
        if (!is_factor) continue;
        region.operands.push_back(region.operands[static_cast<size_t>(term.operand)]);
        term.operand = static_cast<int>(region.operands.size()) - 1;
    }
}

TensorMapShape panel_map(const Operand& operand, int64_t rows, int64_t columns, int64_t tile_columns) {
    const int64_t element = bytes_of(operand.type);
    const int64_t panel_bytes = tile_columns * element % 128 == 0 ? 128 : 64;
    return {.dims = {static_cast<uint64_t>(columns), static_cast<uint64_t>(rows)},
            .strides = {static_cast<uint64_t>(columns * element)},
            .box = {static_cast<uint32_t>(panel_bytes / element), 64},
            .steps = {1, 1},
            .swizzle_bytes = static_cast<int>(panel_bytes)};
}

void align_epilogue(KernelSource& kernel, const ProductEpilogue& epilogue, int lanes) {
    for (size_t i = 0; i < epilogue.list.size(); ++i) {
        if (epilogue.list[i].operand < 0 || epilogue.domain.strides[i].column.back() != 1) continue;
        KernelArgument& argument = kernel.arguments[static_cast<size_t>(epilogue.list[i].operand)];
        argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * lanes));
    }
}

}  // namespace tenon::codegen
