#pragma once

#include <vector>

#include "codegen/region/domain.h"
#include "codegen/source/body_text.h"

namespace tenon::codegen {

/// The axes over which an anchor gathers statistics. `dims` is what bodies see; one axis may be seen as two.
struct GatheredAxes {
    Dims dims;
    std::vector<bool> gathered;  ///< One per axis of `split_dims`.
    int split_axis = -1;         ///< Axis of `dims` seen as [parts, extent / parts]; -1: none.
    int64_t parts = 1;

    Dims split_dims() const;
    /// Strides over `dims` as strides over `split_dims`.
    Dims split_strides(const Dims& strides) const;
};

/// How the elements behind one statistic lie: along the columns of the domain (one statistic per row), or, where
/// neighbours in memory belong to different statistics, along its rows (one statistic per column).
struct Arrangement {
    bool by_columns = false;  ///< One statistic per column.
    AxisOrder order;          ///< Of `split_dims`.

    int64_t statistics(const Domain& domain) const { return by_columns ? domain.column_count() : domain.row_count(); }
    int64_t elements(const Domain& domain) const { return by_columns ? domain.row_count() : domain.column_count(); }
};

/// Decides by the strides of the anchor's input over `split_dims`, so that neighbouring threads read neighbouring
/// memory.
Arrangement arrange_statistics(const GatheredAxes& axes, const Dims& strides);

/// Strides of the access that moves over most elements; zeros if there is none.
Dims leading_strides(const std::vector<Access>& accesses, const Dims& dims);

/// The same domain with only the strides of accesses [first, first + count).
Domain with_accesses(const Domain& domain, size_t first, size_t count);

/// The type that keeps everything there is to know about the element an anchor reads: its declared type if it is
/// rounded to that, else the type it is computed in.
DataType held_type(const Body& input, bool relaxed);

/// Lanes that make 16 bytes of `type` at most, as far as all accesses allow.
int lanes_of_type(const Domain& domain, const std::vector<Access>& accesses, DataType type);

}  // namespace tenon::codegen
