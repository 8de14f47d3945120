#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/kernel_source.h"

namespace tenon::engine {

/// Why the driver would refuse to encode a tensor map of an argument, or the copy engine could not use it as the
/// emulator does; empty if neither. (CUDA driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.)
std::string why_refused(const codegen::KernelArgument& argument);

/// A run of neighbouring elements along the innermost axis that one copy moves, at most 16 bytes.
struct BoxPiece {
    uint32_t shared_offset = 0;  ///< From the start of the box, before swizzling; a multiple of `bytes`.
    uint32_t bytes = 0;
    int64_t global_offset = 0;  ///< From the tensor's first element, of the first inside element.
    uint32_t skipped = 0;       ///< Bytes in front that lie outside the tensor.
    uint32_t inside = 0;        ///< Bytes behind those that lie inside; the rest is outside again.
};

/// The pieces of the box at these coordinates, innermost axis first.
std::vector<BoxPiece> box_pieces(const codegen::KernelArgument& argument, const int32_t* coordinates);

/// The pieces of a copy in im2col mode: coordinates channel, column, row, image; taps column, row. The window origin
/// walks over the corners' box by the steps, columns first (PTX manual, im2col mode).
std::vector<BoxPiece> pixel_pieces(const codegen::KernelArgument& argument, const int32_t* coordinates,
                                   const uint16_t* taps);

/// Why the origin of a copy in im2col mode is not allowed: it must lie in the corners' box. Empty if it is.
std::string why_origin_is_refused(const codegen::TensorMapShape& map, const int32_t* coordinates);

/// Where the byte that would lie at a shared address lies when 16-byte units are swizzled inside `swizzle_bytes`
/// (0, 32, 64 or 128): the unit's number is combined with that of its row, both taken from the address.
constexpr uint32_t swizzled(uint32_t address, int swizzle_bytes) {
    const uint32_t mask = static_cast<uint32_t>(swizzle_bytes == 0 ? 0 : swizzle_bytes / 16 - 1);
    return address ^ ((address >> 7 & mask) << 4);
}

/// What the copy engine makes of a float for a map that rounds to tf32: nearest even at 10 bits, every NaN 0x7fffe000.
uint32_t rounded_to_tf32(uint32_t bits);

}  // namespace tenon::engine
