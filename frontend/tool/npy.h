#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tenon/status.h>
#include <tenon/types.h>

namespace tenon::tool {

/// An array of an .npy file: its elements in row-major order.
struct Array {
    DataType type = DataType::F32;
    Dims dims;
    std::vector<std::byte> bytes;
};

/// Reads the bytes of an .npy file: little-endian f2, f4, f8, i1, u1, i4, i8 or b1 in row-major order. The bytes may
/// come from anywhere.
Result<Array> array_from_npy(std::string_view bytes);
/// The bytes of an .npy file; bf16, which it does not know, becomes f4.
std::string npy_of(const Array& array);

}  // namespace tenon::tool
