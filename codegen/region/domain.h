#pragma once

#include <cstdint>
#include <vector>

#include "codegen/region/region.h"

namespace tenon::codegen {

/// How one operand moves over a Domain, in elements; one entry per row axis and per column axis.
struct DomainStrides {
    Dims row;
    Dims column;

    friend bool operator==(const DomainStrides&, const DomainStrides&) = default;
};

/// Points of a body in kernel order: rows times columns, both row-major over a few axes, as few as all operands allow.
/// Neighbouring lanes of a thread lie along the last column axis.
struct Domain {
    Dims rows;                           ///< Extents; empty means one row.
    Dims columns;                        ///< Extents; never empty.
    std::vector<DomainStrides> strides;  ///< In the order of the operands given to `arrange`.

    int64_t row_count() const;
    int64_t column_count() const;
    /// Strides of a tensor that is packed in domain order.
    DomainStrides packed() const;
};

/// Which axes of a body become rows and which columns, outermost first.
struct AxisOrder {
    std::vector<int> rows;
    std::vector<int> columns;
};

/// Collapses the axes of `dims` in the given order: extent-1 axes go, neighbours of one group merge where every operand
/// allows.
Domain arrange(const Dims& dims, const AxisOrder& order, const std::vector<Dims>& operand_strides);

/// Axes from the largest to the smallest stride (ties by axis number); extent-1 axes keep their place.
std::vector<int> memory_order(const Dims& dims, const Dims& strides);
/// All axes in the memory order of `strides`; after collapsing the last one is the only column.
Domain arrange_elementwise(const Dims& dims, const Dims& strides, const std::vector<Dims>& operand_strides);
/// Channels (axis 1) as columns if `strides` has them innermost, else the last axis.
AxisOrder image_order(const Dims& dims, const Dims& strides);

/// Largest lane count up to 16 bytes of the widest `types` with which every operand that is contiguous along the last
/// column axis can be accessed as whole aligned vectors. `offsets` are the operands' element offsets.
int widest_lanes(const Domain& domain, const std::vector<DataType>& types, const std::vector<int64_t>& offsets);

}  // namespace tenon::codegen
