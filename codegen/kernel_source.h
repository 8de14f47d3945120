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
};

/// One kernel parameter: a pointer into a buffer of the program, or a host scalar passed by value.
struct KernelArgument {
    enum class Kind { Pointer, HostScalar };
    Kind kind = Kind::Pointer;
    std::string role;  ///< The parameter's name in the source: x, w, bias, y…
    DataType type = DataType::F32;
    int32_t buffer = -1;      ///< Index into Program::buffers.
    int64_t byte_offset = 0;  ///< Of the first element, inside the buffer.
    int64_t span_bytes = 0;   ///< Bytes that may be touched from there.
    int64_t alignment = 1;    ///< Bytes the kernel needs of the pointer.
    bool written = false;
};

/// The whole text of one kernel and all that is needed to launch it. Same region and tile: same bytes.
struct KernelSource {
    std::string name;  ///< Also the extern "C" symbol.
    std::string text;
    LaunchShape launch;
    std::vector<KernelArgument> arguments;  ///< In parameter order.
};

}  // namespace tenon::codegen
