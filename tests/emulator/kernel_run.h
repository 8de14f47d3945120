#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/emulator/emulator.h"

namespace tenon::engine {

/// A kernel of a few lines with the parameters `const float* x, float* y`, or int32_t as the element.
struct SmallKernel {
    std::string body;
    codegen::LaunchShape launch;
    std::vector<std::string> includes{"tenon/memory.cuh", "tenon/arch/warp.cuh"};
    std::string element = "float";
    std::string declarations;  ///< In front of the kernel.
    /// Parameters `map_x` and `map_y` of the same memory.
    std::optional<codegen::TensorMapShape> map_x{}, map_y{};
    DataType map_type = DataType::F32;
};

/// Runs it on the emulator with x and y of these values; y is written to.
template <typename T>
Status run_small(const SmallKernel& kernel, const std::vector<T>& x, std::vector<T>& y, uint64_t seed = 3);

extern template Status run_small(const SmallKernel&, const std::vector<float>&, std::vector<float>&, uint64_t);
extern template Status run_small(const SmallKernel&, const std::vector<int32_t>&, std::vector<int32_t>&, uint64_t);
extern template Status run_small(const SmallKernel&, const std::vector<uint16_t>&, std::vector<uint16_t>&, uint64_t);

/// The same with 64 floats each of no interest; only what goes wrong counts.
std::string fault_of(const SmallKernel& kernel, uint64_t seed = 3);

}  // namespace tenon::engine
