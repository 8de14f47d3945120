#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/status.h>

namespace tenon {

/// Plain description of one GPU: everything planning may depend on. From the live device, or from a profile that ships
/// with the library, so planning needs no GPU.
struct Target {
    std::string name;            ///< Profile or device name: "h200", "NVIDIA H200".
    int compute_capability = 0;  ///< major * 10 + minor: 75, 80, 86, 89, 90, 100, 120.
    bool measured = false;       ///< false: the rates below are from a datasheet.
    int multiprocessors = 0;
    int64_t shared_bytes_per_block = 0;  ///< Opt-in limit.
    int64_t shared_bytes_per_multiprocessor = 0;
    int64_t registers_per_multiprocessor = 65536;
    int64_t l2_bytes = 0;
    double memory_bytes_per_second = 0.0;  ///< Sustained, reads plus writes.
    double clock_hz = 0.0;                 ///< Sustained under load.
    double f16_flops_per_second = 0.0;     ///< Dense tensor-core rate with f32 sums (also bf16).
    double tf32_flops_per_second = 0.0;
    double i8_ops_per_second = 0.0;
    double f32_flops_per_second = 0.0;  ///< FMA units.
    double launch_seconds = 2.0e-6;     ///< Smallest kernel in a graph replay.

    /// "sm_75" … ; Hopper and later carry the architecture-specific suffix: "sm_90a", "sm_100a", "sm_120a".
    std::string architecture() const;

    /// The device of the current CUDA context, else the first device. Sizes are read from it; rates come from the
    /// shipped profile of that model if there is one, else from its clocks. NotFound without a driver or device.
    static Result<Target> current();
    /// A shipped profile (heuristics/profiles): h200 is measured; h100, b200, a100, a10, l4, t4, rtx2080ti, rtx3090,
    /// rtx4090 and rtx5090 are from datasheets. NotFound, with the names there are.
    static Result<Target> named(std::string_view name);
    static std::vector<std::string> names();
    /// A profile in the form of heuristics/profiles: every field above by name, "tenon_target": 1, and a "source" that
    /// says where the numbers come from (optional). BadFile, naming the field, if one is missing, unknown or out of
    /// range.
    static Result<Target> from_json(std::string_view text);
    static Result<Target> from_file(const std::string& path);
    std::string to_json() const;
    /// BadFile, naming the field, if a number is not in the range in which planning makes sense.
    Status validate() const;
};

}  // namespace tenon
