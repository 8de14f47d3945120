#pragma once

#include <string>

#include "codegen/kernels/rows/arrangement.h"
#include "codegen/region/region.h"

namespace tenon::codegen {

/// What the device library calls a reduction and how it gathers.
struct Reduction {
    std::string name;               ///< "sum", for the formula and the kernel's name.
    std::string device_name;        ///< "Sum" of <tenon/reduce.cuh>.
    DataType part = DataType::F32;  ///< What two steps hand over: F32, F64 or I64.
    bool splits = true;             ///< Parts are single numbers, so two steps can do it.
};

Reduction reduction_of(ReduceKind kind, DataType element);
/// Axes of the input and whether each is reduced.
GatheredAxes reduced_axes(const Reduce& reduce, const Dims& dims);
/// The axis of the result at which axis `axis` of the input is found; only for kept axes.
int axis_of_result(const Reduce& reduce, const GatheredAxes& axes, int axis);

}  // namespace tenon::codegen
