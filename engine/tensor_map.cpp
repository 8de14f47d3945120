#include "engine/tensor_map.h"

#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

using codegen::KernelArgument;
using codegen::TensorMapShape;

Result<CUtensorMapDataType> map_type(const KernelArgument& argument) {
    switch (argument.type) {
        case DataType::F16:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        case DataType::BF16:
            return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
        case DataType::F32:
            return argument.map.rounds_to_tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        case DataType::F64:
            return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        case DataType::I8:
        case DataType::U8:
        case DataType::Bool:
            return CU_TENSOR_MAP_DATA_TYPE_UINT8;
        case DataType::I32:
            return CU_TENSOR_MAP_DATA_TYPE_INT32;
        case DataType::I64:
            return CU_TENSOR_MAP_DATA_TYPE_INT64;
    }
    return Status(ErrorCode::InvalidArgument, "tensor map '" + argument.role + "': unknown type");
}

CUtensorMapSwizzle swizzle_of(int bytes) {
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                         : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/// Drivers up to 13.1 set a bit that lets tensors below 128 KiB be read past their end.
void forbid_overread(CUtensorMap& map, int driver_version, uint64_t bytes) {
    constexpr int kLastWithTheBit = 13010;
    if (driver_version <= kLastWithTheBit && bytes < (uint64_t{128} << 10)) map.opaque[1] &= ~(uint64_t{1} << 21);
}

}  // namespace

Result<CUtensorMap> encode_tensor_map(const Driver& driver, const KernelArgument& argument) {
    if (driver.encode_tiled == nullptr || driver.encode_im2col == nullptr || driver.replace_map_address == nullptr)
        return Status(ErrorCode::Unsupported, "tensor map '" + argument.role + "': the CUDA driver has no tensor maps");
    const TensorMapShape& shape = argument.map;
    const size_t rank = shape.dims.size();
    if (rank < 1 || rank > 5 || shape.strides.size() + 1 != rank || shape.steps.size() != rank ||
        (!shape.is_im2col && shape.box.size() != rank) || (shape.is_im2col && rank != 4))
        return Status(ErrorCode::InvalidArgument, "tensor map '" + argument.role + "': its parts differ in rank");
    TENON_ASSIGN(const CUtensorMapDataType type, map_type(argument));
    void* const placeholder = reinterpret_cast<void*>(uintptr_t{1} << 20);
    CUtensorMap map{};
    const CUresult result =
        shape.is_im2col
            ? driver.encode_im2col(&map, type, static_cast<cuuint32_t>(rank), placeholder,
                                   reinterpret_cast<const cuuint64_t*>(shape.dims.data()),
                                   reinterpret_cast<const cuuint64_t*>(shape.strides.data()), shape.lower_corner.data(),
                                   shape.upper_corner.data(), shape.channels_per_pixel, shape.pixels_per_column,
                                   shape.steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(shape.swizzle_bytes),
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
            : driver.encode_tiled(&map, type, static_cast<cuuint32_t>(rank), placeholder,
                                  reinterpret_cast<const cuuint64_t*>(shape.dims.data()),
                                  reinterpret_cast<const cuuint64_t*>(shape.strides.data()), shape.box.data(),
                                  shape.steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(shape.swizzle_bytes),
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    TENON_TRY(check(driver, result, "tensor map '" + argument.role + "'"));
    int version = 0;
    TENON_TRY(check(driver, driver.driver_version(&version), "cuDriverGetVersion"));
    forbid_overread(map, version, static_cast<uint64_t>(argument.span_bytes));
    return map;
}

}  // namespace tenon::engine
