#include "engine/emulator/tensor_box.h"

#include <algorithm>
#include <array>

namespace tenon::engine {
namespace {

using codegen::KernelArgument;
using codegen::TensorMapShape;

constexpr uint32_t kUnit = 16;

uint64_t inner_bytes(const KernelArgument& argument) {
    const uint32_t count = argument.map.is_im2col ? argument.map.channels_per_pixel : argument.map.box[0];
    return uint64_t{count} * static_cast<uint64_t>(bytes_of(argument.type));
}

std::string why_shape_is_refused(const KernelArgument& argument) {
    const TensorMapShape& map = argument.map;
    const size_t rank = map.dims.size();
    if (rank < 1 || rank > 5 || map.strides.size() + 1 != rank || map.steps.size() != rank ||
        (map.is_im2col ? rank != 4 : map.box.size() != rank))
        return "its parts differ in rank";
    for (const uint64_t dim : map.dims) {
        if (dim == 0 || dim > uint64_t{1} << 32) return "an extent of " + std::to_string(dim) + " is not 1 to 2^32";
    }
    for (const uint64_t stride : map.strides) {
        if (stride % 16 != 0 || stride >= uint64_t{1} << 40)
            return "a stride of " + std::to_string(stride) + " bytes is no multiple of 16 below 2^40";
    }
    for (const uint32_t step : map.steps) {
        if (step < 1 || step > 8) return "a step of " + std::to_string(step) + " is not 1 to 8";
    }
    return {};
}

std::string why_box_is_refused(const KernelArgument& argument) {
    const TensorMapShape& map = argument.map;
    if (map.is_im2col) {
        if (map.channels_per_pixel < 1 || map.channels_per_pixel > 256)
            return std::to_string(map.channels_per_pixel) + " channels per pixel are not 1 to 256";
        if (map.pixels_per_column < 1 || map.pixels_per_column > 1024)
            return std::to_string(map.pixels_per_column) + " pixels per column are not 1 to 1024";
        for (const auto& corner : {map.lower_corner, map.upper_corner}) {
            for (const int32_t c : corner) {
                if (c < -128 || c > 127) return "a corner of " + std::to_string(c) + " is not -128 to 127";
            }
        }
    } else {
        for (const uint32_t extent : map.box) {
            if (extent < 1 || extent > 256) return "a box of " + std::to_string(extent) + " is not 1 to 256";
        }
        // Steps along the innermost axis would take single elements; nobody needs them.
        if (map.steps[0] != 1) return "a step along the innermost axis";
    }
    const uint64_t inner = inner_bytes(argument);
    if (inner % kUnit != 0) return "rows of " + std::to_string(inner) + " bytes are no multiple of 16";
    const int swizzle = map.swizzle_bytes;
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
        return "a swizzle of " + std::to_string(swizzle) + " bytes";
    if (swizzle != 0 && inner > static_cast<uint64_t>(swizzle))
        return "rows of " + std::to_string(inner) + " bytes exceed the swizzle of " + std::to_string(swizzle);
    // How a GPU lays out rows narrower than the swizzle is not said anywhere.
    if (swizzle != 0 && inner < static_cast<uint64_t>(swizzle))
        return "rows of " + std::to_string(inner) + " bytes are narrower than the swizzle of " +
               std::to_string(swizzle);
    if (map.rounds_to_tf32 && argument.type != DataType::F32) return "only f32 is rounded to tf32";
    return {};
}

/// Adds a row of `row_bytes` at `shared`, whose elements begin at index `first` of the innermost axis; nothing of it is
/// inside unless `is_inside`.
void add_row(std::vector<BoxPiece>& pieces, const KernelArgument& argument, uint32_t shared, uint32_t row_bytes,
             bool is_inside, int64_t first, int64_t outer_offset) {
    const int64_t size = bytes_of(argument.type), end = static_cast<int64_t>(argument.map.dims[0]) * size;
    for (uint32_t at = 0; at < row_bytes; at += kUnit) {
        const int64_t begin = first * size + at;
        const int64_t low = std::clamp<int64_t>(begin, 0, end), high = std::clamp<int64_t>(begin + kUnit, 0, end);
        BoxPiece piece{.shared_offset = shared + at, .bytes = kUnit};
        if (is_inside && low < high) {
            piece.global_offset = outer_offset + low;
            piece.skipped = static_cast<uint32_t>(low - begin);
            piece.inside = static_cast<uint32_t>(high - low);
        }
        pieces.push_back(piece);
    }
}

}  // namespace

std::string why_refused(const KernelArgument& argument) {
    std::string why = why_shape_is_refused(argument);
    return why.empty() ? why_box_is_refused(argument) : why;
}

std::vector<BoxPiece> box_pieces(const KernelArgument& argument, const int32_t* coordinates) {
    const TensorMapShape& map = argument.map;
    const size_t rank = map.dims.size();
    std::array<uint32_t, 5> extent{1, 1, 1, 1, 1};
    for (size_t axis = 1; axis < rank; ++axis) extent[axis] = (map.box[axis] + map.steps[axis] - 1) / map.steps[axis];
    const auto row_bytes = static_cast<uint32_t>(inner_bytes(argument));
    std::vector<BoxPiece> pieces;
    uint32_t row = 0;
    std::array<uint32_t, 5> index{};
    for (index[4] = 0; index[4] < extent[4]; ++index[4])
        for (index[3] = 0; index[3] < extent[3]; ++index[3])
            for (index[2] = 0; index[2] < extent[2]; ++index[2])
                for (index[1] = 0; index[1] < extent[1]; ++index[1], ++row) {
                    bool is_inside = true;
                    int64_t offset = 0;
                    for (size_t axis = 1; axis < rank; ++axis) {
                        const int64_t at = coordinates[axis] + int64_t{index[axis]} * map.steps[axis];
                        is_inside = is_inside && at >= 0 && at < static_cast<int64_t>(map.dims[axis]);
                        offset += at * static_cast<int64_t>(map.strides[axis - 1]);
                    }
                    add_row(pieces, argument, row * row_bytes, row_bytes, is_inside, coordinates[0], offset);
                }
    return pieces;
}

std::string why_origin_is_refused(const TensorMapShape& map, const int32_t* coordinates) {
    for (size_t axis = 0; axis < 2; ++axis) {
        const int64_t at = coordinates[axis + 1], low = map.lower_corner[axis],
                      high = static_cast<int64_t>(map.dims[axis + 1]) - 1 + map.upper_corner[axis];
        if (at < low || at > high)
            return "the window's " + std::string(axis == 0 ? "column " : "row ") + std::to_string(at) + " is not " +
                   std::to_string(low) + " to " + std::to_string(high);
    }
    return {};
}

std::vector<BoxPiece> pixel_pieces(const KernelArgument& argument, const int32_t* coordinates, const uint16_t* taps) {
    const TensorMapShape& map = argument.map;
    const auto row_bytes = static_cast<uint32_t>(inner_bytes(argument));
    std::array<int64_t, 2> last{};
    for (size_t axis = 0; axis < 2; ++axis)
        last[axis] = static_cast<int64_t>(map.dims[axis + 1]) - 1 + map.upper_corner[axis];
    std::array<int64_t, 3> origin{coordinates[1], coordinates[2], coordinates[3]};
    std::vector<BoxPiece> pieces;
    for (uint32_t pixel = 0; pixel < map.pixels_per_column; ++pixel) {
        bool is_inside = origin[2] >= 0 && origin[2] < static_cast<int64_t>(map.dims[3]);
        int64_t offset = origin[2] * static_cast<int64_t>(map.strides[2]);
        for (size_t axis = 0; axis < 2; ++axis) {
            const int64_t at = origin[axis] + taps[axis];
            is_inside = is_inside && at >= 0 && at < static_cast<int64_t>(map.dims[axis + 1]);
            offset += at * static_cast<int64_t>(map.strides[axis]);
        }
        add_row(pieces, argument, pixel * row_bytes, row_bytes, is_inside, coordinates[0], offset);
        for (size_t axis = 0; axis < 2; ++axis) {
            origin[axis] += map.steps[axis + 1];
            if (origin[axis] <= last[axis]) break;
            origin[axis] = map.lower_corner[axis];
            if (axis == 1) ++origin[2];
        }
    }
    return pieces;
}

uint32_t rounded_to_tf32(uint32_t bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
    if ((bits & 0x7f800000) == 0x7f800000) return bits;
    return (bits + 0xfff + ((bits >> 13) & 1)) & 0xffffe000;
}

}  // namespace tenon::engine
