#pragma once

#include <span>
#include <string_view>

namespace tenon::codegen {

/// One file of the library that generated kernels include.
struct DeviceHeader {
    std::string_view name;  ///< As included: "tenon/conv.cuh".
    std::string_view text;
};

/// All files, embedded at build time.
std::span<const DeviceHeader> device_library();
/// SHA-256 of names and texts: part of every cache key.
std::string_view device_library_hash();

}  // namespace tenon::codegen
