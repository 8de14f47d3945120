#include "engine/emulator/emulator.h"

#include <algorithm>
#include <deque>

#include "engine/emulator/host_compiler.h"
#include "engine/emulator/machine.h"
#include "engine/kernel_listener.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Launches that a GPU would refuse as well, and those nobody writes.
Status check_launch(const codegen::KernelSource& kernel) {
    constexpr uint32_t kMostThreads = 1024, kMostSharedBytes = 232448, kMostBlocksOfCluster = 16;
    const codegen::LaunchShape& launch = kernel.launch;
    const auto refuse = [&](const std::string& why) {
        return Status(ErrorCode::Unsupported, "emulator: " + kernel.name + ": " + why);
    };
    if (launch.block[1] != 1 || launch.block[2] != 1 || launch.block[0] == 0 || launch.block[0] > kMostThreads)
        return refuse("blocks are lines of 1 to 1024 threads");
    if (launch.shared_bytes > kMostSharedBytes)
        return refuse(std::to_string(launch.shared_bytes) + " bytes of shared memory, a block has at most " +
                      std::to_string(kMostSharedBytes));
    uint32_t blocks = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
        const uint32_t size = launch.cluster[axis];
        if (size == 0 || launch.grid[axis] % size != 0) return refuse("the grid is no whole number of clusters");
        blocks *= size;
    }
    if (blocks > kMostBlocksOfCluster) return refuse("clusters have at most 16 blocks");
    return {};
}

/// The driver would refuse these when a plan is prepared.
Status check_tensor_maps(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const codegen::KernelArgument& argument = kernel.arguments[i];
        if (argument.kind != codegen::KernelArgument::Kind::TensorMap) continue;
        std::string why = why_refused(argument);
        if (reinterpret_cast<uintptr_t>(arguments[i].pointer_or_scalar) % 16 != 0)
            why = "its memory is not aligned to 16 bytes";
        if (!why.empty())
            return Status(ErrorCode::DriverFailed,
                          kernel.name + ": the tensor map '" + argument.role + "' is refused: " + why);
    }
    return {};
}

/// A tensor map as kernels on the host have it: tenon::TensorMap.
struct alignas(64) TensorMapParameter {
    uint64_t number;
    uint64_t unused[15];
};

}  // namespace

Status run_emulated(const codegen::KernelSource& kernel, const std::vector<EmulatedArgument>& arguments,
                    const EmulatorOptions& options) {
    if (arguments.size() != kernel.arguments.size()) {
        return Status(ErrorCode::InvalidArgument, kernel.name + ": given " + std::to_string(arguments.size()) +
                                                      " arguments, needs " + std::to_string(kernel.arguments.size()));
    }
    TENON_TRY(check_launch(kernel));
    TENON_TRY(check_tensor_maps(kernel, arguments));
    TENON_ASSIGN(const HostKernel* compiled, compile_for_host(kernel));
    MachineSetup setup{.launch = kernel.launch, .kernel = compiled->kernel, .seed = options.seed};
    setup.spans.push_back({});
    setup.roles.push_back("");
    std::vector<void*> pointers;
    std::deque<TensorMapParameter> maps;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const EmulatedArgument& argument = arguments[i];
        pointers.push_back(argument.pointer_or_scalar);
        if (argument.is_scalar) continue;
        const uint64_t tag = setup.spans.size() << kEmulatedTagShift;
        setup.spans.push_back({reinterpret_cast<uint64_t>(argument.memory_begin) | tag,
                               static_cast<uint64_t>(argument.memory_bytes), argument.written});
        setup.roles.push_back(kernel.arguments[i].role);
        pointers.back() = reinterpret_cast<void*>(reinterpret_cast<uint64_t>(argument.pointer_or_scalar) | tag);
        if (kernel.arguments[i].kind != codegen::KernelArgument::Kind::TensorMap) continue;
        setup.maps.push_back({kernel.arguments[i], pointers.back()});
        maps.push_back({.number = setup.maps.size()});
        pointers.back() = &maps.back();
    }
    if (setup.spans.size() > kEmulatedSharedTag)
        return Status(ErrorCode::Unsupported, "emulator: " + kernel.name + " has too many arguments");
    const auto is_by_value = [&](size_t i) {
        return arguments[i].is_scalar || kernel.arguments[i].kind == codegen::KernelArgument::Kind::TensorMap;
    };
    std::vector<void*> slots;
    for (size_t i = 0; i < arguments.size(); ++i)
        slots.push_back(is_by_value(i) ? pointers[i] : static_cast<void*>(&pointers[i]));
    setup.arguments = slots.data();
    const std::lock_guard lock(compiled->in_use);
    const std::string fault = Machine(std::move(setup)).run();
    if (!fault.empty()) return Status(ErrorCode::DriverFailed, kernel.name + ": " + fault);
    const auto& grid = kernel.launch.grid;
    if (std::find(grid.begin(), grid.end(), 0u) == grid.end()) tell_kernel_listener(KernelEvent::Emulated, kernel);
    return {};
}

}  // namespace tenon::engine
