#include "engine/emulator/emulator.h"

#include "engine/emulator/host_compiler.h"
#include "engine/emulator/launch_record.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

Status report(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments,
              const EmulatedFault& fault) {
    static constexpr const char* kWhat[] = {"", "outside every argument", "misaligned", "a write to an input"};
    const auto* address = static_cast<const uint8_t*>(fault.address);
    std::string nearest = "no argument";
    int64_t best = INT64_MAX;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].is_scalar) continue;
        const int64_t offset = address - static_cast<const uint8_t*>(arguments[i].pointer_or_scalar);
        if (std::abs(offset) >= best) continue;
        best = std::abs(offset);
        nearest = "'" + kernel.arguments[i].role + "' + " + std::to_string(offset) + " bytes";
    }
    return Status(ErrorCode::DriverFailed, kernel.name + ": an access of " + std::to_string(fault.bytes) +
                                               " bytes at " + nearest + " is " + kWhat[fault.kind] + " (block " +
                                               std::to_string(fault.block) + ", thread " +
                                               std::to_string(fault.thread) + ")");
}

}  // namespace

Status run_emulated(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments,
                    const EmulatorOptions& options) {
    if (arguments.size() != kernel.arguments.size()) {
        return Status(ErrorCode::InvalidArgument, kernel.name + ": given " + std::to_string(arguments.size()) +
                                                      " arguments, needs " + std::to_string(kernel.arguments.size()));
    }
    const codegen::LaunchShape& launch_shape = kernel.launch;
    const bool is_line = launch_shape.grid[1] == 1 && launch_shape.grid[2] == 1 && launch_shape.block[1] == 1 &&
                         launch_shape.block[2] == 1;
    const bool stands_alone =
        launch_shape.cluster == std::array<uint32_t, 3>{1, 1, 1} && launch_shape.shared_bytes == 0;
    if (!is_line || !stands_alone) {
        return Status(ErrorCode::Unsupported, "emulator: " + kernel.name +
                                                  ": grids and blocks of one axis, without shared memory or clusters, "
                                                  "can be run; the reference device needs none");
    }
    TENON_ASSIGN(const RunGrid run, compile_for_host(kernel));
    std::vector<EmulatedSpan> spans;
    std::vector<void*> pointers;
    for (const EmulatedArgument& argument : arguments) pointers.push_back(argument.pointer_or_scalar);
    std::vector<void*> slots;
    for (size_t i = 0; i < arguments.size(); ++i) {
        slots.push_back(arguments[i].is_scalar ? pointers[i] : static_cast<void*>(&pointers[i]));
        if (arguments[i].is_scalar) continue;
        const auto* begin = static_cast<const uint8_t*>(arguments[i].memory_begin);
        spans.push_back({begin, begin + arguments[i].memory_bytes, arguments[i].written});
    }
    EmulatedLaunch launch{kernel.launch.grid[0],
                          kernel.launch.block[0],
                          options.seed,
                          slots.data(),
                          spans.data(),
                          static_cast<int32_t>(spans.size()),
                          {}};
    run(&launch);
    return launch.fault.kind == EmulatedFault::None ? Status() : report(kernel, arguments, launch.fault);
}

}  // namespace tenon::engine
