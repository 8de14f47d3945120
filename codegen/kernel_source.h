#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/types.h>

namespace tenon::codegen {

/// How a kernel is launched. Part of every cache entry: a binary without its launch data is useless.
struct LaunchShape {
    std::array<uint32_t, 3> grid{1, 1, 1};
    std::array<uint32_t, 3> block{1, 1, 1};
    std::array<uint32_t, 3> cluster{1, 1, 1};
    uint32_t shared_bytes = 0;  ///< Dynamic shared memory.
    bool dependent = false;     ///< May start before the kernel in front of it ends; it waits for it itself.
};

/// How the copy engine sees the memory of a tensor-map argument (cuTensorMapEncodeTiled and …Im2col); innermost axis
/// first, the innermost one packed.
struct TensorMapShape {
    std::vector<uint64_t> dims;
    std::vector<uint64_t> strides;  ///< Bytes of axes 1 and on; multiples of 16.
    std::vector<uint32_t> box;      ///< Tiled mode: extents of what one copy moves.
    std::vector<uint32_t> steps;    ///< Elements from one to the next along each axis, 1 unless a convolution strides.
    int swizzle_bytes = 0;          ///< 0, 32, 64 or 128.
    bool rounds_to_tf32 = false;    ///< F32 elements are rounded to tf32 on the way.

    /// Im2col mode: corners of the box of window origins over columns and rows (4-D), and what one copy moves.
    bool is_im2col = false;
    std::array<int32_t, 2> lower_corner{};
    std::array<int32_t, 2> upper_corner{};
    uint32_t channels_per_pixel = 0;
    uint32_t pixels_per_column = 0;
};

/// KernelArgument::buffer of the n-th scratch memory of a region, before the planner places buffers.
constexpr int32_t scratch_buffer(int n) { return -2 - n; }

/// One kernel parameter: a pointer into a buffer of the program, a host scalar passed by value, or a tensor map of
/// memory in a buffer passed by value.
struct KernelArgument {
    enum class Kind { Pointer, HostScalar, TensorMap };
    Kind kind = Kind::Pointer;
    std::string role;  ///< The parameter's name in the source: x, w, bias, y…
    DataType type = DataType::F32;
    int32_t buffer = -1;      ///< Index into Program::buffers.
    int64_t byte_offset = 0;  ///< Of the first element, inside the buffer.
    int64_t span_bytes = 0;   ///< Bytes that may be touched from there.
    int64_t alignment = 1;    ///< Bytes the kernel needs of the pointer.
    bool written = false;
    bool is_early = false;  ///< Read before the kernel in front has ended, if the launch is dependent.
    TensorMapShape map;     ///< Of a TensorMap.
};

/// The whole text of one kernel and all that is needed to launch it. Same region and tile: same bytes.
struct KernelSource {
    std::string name;  ///< Also the extern "C" symbol.
    std::string text;
    LaunchShape launch;
    std::vector<KernelArgument> arguments;  ///< In parameter order.
};

}  // namespace tenon::codegen
