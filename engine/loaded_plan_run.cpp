// The half of LoadedPlan that runs: no allocation, lock, look-up or file on the way to the launches.

#include <algorithm>

#include "engine/loaded_plan.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

using codegen::KernelArgument;
using codegen::KernelSource;
using codegen::LaunchShape;

CUlaunchConfig config_of(const LaunchShape& shape, std::array<CUlaunchAttribute, 2>& attributes, CUstream stream) {
    CUlaunchConfig config{};
    config.gridDimX = shape.grid[0];
    config.gridDimY = shape.grid[1];
    config.gridDimZ = shape.grid[2];
    config.blockDimX = shape.block[0];
    config.blockDimY = shape.block[1];
    config.blockDimZ = shape.block[2];
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = stream;
    config.attrs = attributes.data();
    if (shape.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
        CUlaunchAttribute& cluster = attributes[config.numAttrs++];
        cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        cluster.value.clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
    }
    if (shape.dependent) {
        CUlaunchAttribute& dependent = attributes[config.numAttrs++];
        dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        dependent.value.programmaticStreamSerializationAllowed = 1;
    }
    return config;
}

}  // namespace

const std::string& LoadedPlan::name_of(size_t bound) const { return plan_->graph.data().value(bound_[bound]).name; }

Status LoadedPlan::find_bound(const Bindings& bindings, Bases& bases) const {
    // Both rise, so one walk over the two finds every tensor.
    std::fill_n(bases.begin(), bound_.size(), nullptr);
    size_t base = 0;
    for (const auto& [tensor, memory] : bindings) {
        while (base < bound_.size() && bound_[base] < tensor.id) ++base;
        if (base < bound_.size() && bound_[base] == tensor.id) {
            bases[base] = static_cast<std::byte*>(memory);
            continue;
        }
        const GraphData& graph = plan_->graph.data();
        const bool exists = tensor.id >= 0 && tensor.id < static_cast<ValueId>(graph.values.size());
        return Status(ErrorCode::InvalidArgument,
                      "run: " + (exists ? "'" + graph.value(tensor.id).name + "'" : "a bound tensor") +
                          " is no input and no output of the plan");
    }
    return {};
}

Status LoadedPlan::check_bound(const Bases& bases) const {
    for (size_t i = 0; i < bound_.size(); ++i) {
        if (is_needed_[i] && bases[i] == nullptr)
            return Status(ErrorCode::InvalidArgument, "run: '" + name_of(i) + "' is not bound");
    }
    return {};
}

Status LoadedPlan::check_alignment(const Bases& bases) const {
    for (size_t step = 0; step < functions_.size(); ++step) {
        if (functions_[step] == nullptr) continue;
        for (size_t i = 0; i < places_[step].size(); ++i) {
            const Place& place = places_[step][i];
            if (reinterpret_cast<uintptr_t>(bases[place.base] + place.offset) % place.alignment == 0) continue;
            const KernelSource& kernel = plan_->program.steps[step].kernel;
            const std::string whose = place.base < bound_.size()    ? "'" + name_of(place.base) + "'"
                                      : place.base == bound_.size() ? "the workspace"
                                                                    : "the constants";
            return Status(ErrorCode::InvalidArgument, "run: the memory of " + whose + " must be aligned to " +
                                                          std::to_string(place.alignment) + " bytes for '" +
                                                          kernel.arguments[i].role + "' of " + kernel.name);
        }
    }
    return {};
}

Status LoadedPlan::launch(size_t step, const Bases& bases, CUstream stream) const {
    const KernelSource& kernel = plan_->program.steps[step].kernel;
    const std::vector<Place>& places = places_[step];
    // The driver copies the parameters during the call, so all of this may live on the stack.
    std::array<void*, kMaxArguments> pointers;
    std::array<void*, kMaxArguments> parameters;
    std::array<CUtensorMap, kMaxTensorMaps> maps;
    size_t map_count = 0;
    for (size_t i = 0; i < places.size(); ++i) {
        pointers[i] = bases[places[i].base] + places[i].offset;
        if (places[i].kind == KernelArgument::Kind::TensorMap) {
            CUtensorMap& map = maps[map_count];
            map = maps_[step][map_count++];
            const CUresult replaced = driver_.replace_map_address(&map, pointers[i]);
            if (replaced != CUDA_SUCCESS)
                return check(driver_, replaced, "run: " + kernel.name + ": " + kernel.arguments[i].role);
            parameters[i] = &map;
        } else {
            const bool is_scalar = places[i].kind == KernelArgument::Kind::HostScalar;
            parameters[i] = is_scalar ? pointers[i] : static_cast<void*>(&pointers[i]);
        }
    }
    std::array<CUlaunchAttribute, 2> attributes{};
    const CUlaunchConfig config = config_of(kernel.launch, attributes, stream);
    const CUresult result = driver_.launch(&config, functions_[step], parameters.data(), nullptr);
    return result == CUDA_SUCCESS ? Status() : check(driver_, result, "run: " + kernel.name);
}

Status LoadedPlan::check_and_launch(Bases& bases, Workspace workspace, void* constants, CUstream stream) const {
    const codegen::Program& program = plan_->program;
    if (program.workspace_bytes > 0 && workspace.memory == nullptr)
        return Status(ErrorCode::InvalidArgument,
                      "run: no workspace; the plan needs " + std::to_string(program.workspace_bytes) + " bytes");
    if (workspace.bytes < program.workspace_bytes)
        return Status(ErrorCode::OutOfMemory, "run: the workspace has " + std::to_string(workspace.bytes) +
                                                  " bytes; the plan needs " + std::to_string(program.workspace_bytes));
    if (program.constant_bytes > 0 && constants == nullptr)
        return Status(ErrorCode::InvalidArgument, "run: upload_constants was not called; the plan has " +
                                                      std::to_string(program.constant_bytes) + " bytes of constants");
    bases[bound_.size()] = static_cast<std::byte*>(workspace.memory);
    bases[bound_.size() + 1] = static_cast<std::byte*>(constants);
    TENON_TRY(check_bound(bases));
    TENON_TRY(check_alignment(bases));
    CUcontext current = nullptr;
    if (driver_.current_context(&current) != CUDA_SUCCESS || current != context_)
        return Status(ErrorCode::InvalidArgument,
                      "run: the current CUDA context is not the one the plan was prepared in");
    for (size_t step = 0; step < functions_.size(); ++step) {
        if (functions_[step] != nullptr) TENON_TRY(launch(step, bases, stream));
    }
    return {};
}

Status LoadedPlan::run(const Bindings& bindings, Workspace workspace, void* constants, CUstream stream) const {
    Bases bases;
    TENON_TRY(find_bound(bindings, bases));
    return check_and_launch(bases, workspace, constants, stream);
}

Status LoadedPlan::run(std::span<void* const> memory, Workspace workspace, void* constants, CUstream stream) const {
    if (memory.size() != positions_.size())
        return Status(ErrorCode::InvalidArgument, "run: " + std::to_string(memory.size()) + " addresses for " +
                                                      std::to_string(positions_.size()) + " inputs and outputs");
    Bases bases;
    for (size_t i = 0; i < memory.size(); ++i) bases[positions_[i]] = static_cast<std::byte*>(memory[i]);
    return check_and_launch(bases, workspace, constants, stream);
}

}  // namespace tenon::engine
