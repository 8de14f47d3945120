#include "codegen/kernels/reduce/reduction.h"

namespace tenon::codegen {

Reduction reduction_of(ReduceKind kind, DataType element) {
    const DataType part = element == DataType::F64 ? DataType::F64
                          : is_floating(element)   ? DataType::F32
                                                   : DataType::I64;
    switch (kind) {
        case ReduceKind::Sum:
            return {"sum", "Sum", part};
        case ReduceKind::Mean:
            return {"mean", "Mean", part};
        case ReduceKind::Max:
            return {"max", "Largest", part};
        case ReduceKind::Min:
            return {"min", "Smallest", part};
        case ReduceKind::Prod:
            return {"product", "Product", part};
        case ReduceKind::Amax:
            return {"amax", "LargestMagnitude", part};
        case ReduceKind::Norm1:
            return {"norm1", "SumOfMagnitudes", part};
        case ReduceKind::Norm2:
            return {"norm2", "EuclideanNorm", part};
        case ReduceKind::Argmax:
            return {"argmax", "PlaceOfLargest", part, false};
        case ReduceKind::Argmin:
            return {"argmin", "PlaceOfSmallest", part, false};
    }
    return {};
}

GatheredAxes reduced_axes(const Reduce& reduce, const Dims& dims) {
    GatheredAxes axes{.dims = dims, .gathered = std::vector<bool>(dims.size(), reduce.axes.empty())};
    for (const int64_t named : reduce.axes) {
        axes.gathered[static_cast<size_t>(named < 0 ? named + static_cast<int64_t>(dims.size()) : named)] = true;
    }
    return axes;
}

int axis_of_result(const Reduce& reduce, const GatheredAxes& axes, int axis) {
    if (reduce.keep_dims) return axis;
    int result = 0;
    for (int before = 0; before < axis; ++before) result += axes.gathered[static_cast<size_t>(before)] ? 0 : 1;
    return result;
}

}  // namespace tenon::codegen
