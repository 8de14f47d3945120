#include "engine/loaded_plan.h"

#include <algorithm>
#include <array>

#include "engine/tensor_map.h"
#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;
using codegen::KernelSource;
using codegen::LaunchShape;

/// Dynamic shared memory a kernel may ask for without being allowed more.
constexpr uint32_t kDefaultSharedBytes = 48 << 10;

bool is_empty(const LaunchShape& launch) {
    return std::find(launch.grid.begin(), launch.grid.end(), 0u) != launch.grid.end();
}

/// The driver is of another age than the compiler, or the binary is for another device.
bool is_about_the_form(CUresult result) {
    return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
           result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || result == CUDA_ERROR_INVALID_SOURCE;
}

bool is_named(const GraphData& graph, ValueId id) {
    if (id < 0 || id >= static_cast<ValueId>(graph.values.size())) return false;
    const ValueKind kind = graph.value(id).kind;
    return kind == ValueKind::Input || kind == ValueKind::HostScalar || graph.is_output(id);
}

}  // namespace

Status refuse_capture(const Driver& driver, CUstream stream) {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = driver.stream_is_capturing(stream, &capture);
    const bool is_capturing = result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
                              (result == CUDA_SUCCESS && capture != CU_STREAM_CAPTURE_STATUS_NONE);
    if (is_capturing)
        return Status(ErrorCode::CaptureUnsafe, "prepare: a stream is being captured; prepare the plan before");
    return check(driver, result, "prepare: cuStreamIsCapturing");
}

Result<std::shared_ptr<const LoadedPlan>> LoadedPlan::load(const Driver& driver, std::shared_ptr<const PlanData> plan,
                                                           const std::vector<KernelPtr>& kernels, CUstream stream,
                                                           const Fallback& fallback) {
    TENON_TRY(refuse_capture(driver, stream));
    CUcontext context = nullptr;
    TENON_TRY(check(driver, driver.current_context(&context), "prepare: cuCtxGetCurrent"));
    if (context == nullptr)
        return Status(ErrorCode::InvalidArgument, "prepare: no CUDA context is current on this thread");
    const std::vector<codegen::Step>& steps = plan->program.steps;
    if (kernels.size() != steps.size())
        return Status(ErrorCode::InvalidArgument, "prepare: " + std::to_string(kernels.size()) + " binaries for " +
                                                      std::to_string(steps.size()) + " kernels");
    const std::shared_ptr<LoadedPlan> loaded(new LoadedPlan(driver, plan, context));
    for (size_t i = 0; i < steps.size(); ++i) TENON_TRY(loaded->load_step(steps[i].kernel, *kernels[i], fallback));
    return std::shared_ptr<const LoadedPlan>(loaded);
}

LoadedPlan::~LoadedPlan() {
    // Whatever context is current stays so. A context that is gone took its modules along.
    if (modules_.empty() || driver_.push_context(context_) != CUDA_SUCCESS) return;
    for (const CUmodule module : modules_) driver_.unload_module(module);
    CUcontext popped = nullptr;
    driver_.pop_context(&popped);
}

Status LoadedPlan::load_step(const KernelSource& kernel, const CompiledKernel& compiled, const Fallback& fallback) {
    if (kernel.arguments.size() > kMaxArguments)
        return Status(ErrorCode::Unsupported, kernel.name + ": " + std::to_string(kernel.arguments.size()) +
                                                  " arguments; a kernel takes " + std::to_string(kMaxArguments));
    maps_.emplace_back();
    if (is_empty(kernel.launch)) {
        functions_.push_back(nullptr);
        return {};
    }
    for (const KernelArgument& argument : kernel.arguments) {
        if (argument.kind != KernelArgument::Kind::TensorMap) continue;
        TENON_ASSIGN(const CUtensorMap map, encode_tensor_map(driver_, argument));
        maps_.back().push_back(map);
    }
    if (maps_.back().size() > kMaxTensorMaps)
        return Status(ErrorCode::Unsupported, kernel.name + ": " + std::to_string(maps_.back().size()) +
                                                  " tensor maps; a kernel takes " + std::to_string(kMaxTensorMaps));
    const std::string what = "prepare: " + kernel.name;
    CUmodule module = nullptr;
    CUresult result = driver_.load_module(&module, compiled.image.data());
    if (fallback && is_about_the_form(result)) {
        const std::string refusal = check(driver_, result, what).message();
        const Result<KernelPtr> other = fallback(kernel);
        if (!other.is_ok()) return Status(ErrorCode::DriverFailed, refusal + "; then " + other.status().message());
        result = driver_.load_module(&module, (*other)->image.data());
        TENON_TRY(check(driver_, result, refusal + "; then, as PTX"));
    }
    TENON_TRY(check(driver_, result, what));
    modules_.push_back(module);
    CUfunction function = nullptr;
    TENON_TRY(check(driver_, driver_.module_function(&function, module, kernel.name.c_str()), what));
    if (kernel.launch.shared_bytes > kDefaultSharedBytes) {
        TENON_TRY(check(driver_,
                        driver_.set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                       static_cast<int>(kernel.launch.shared_bytes)),
                        what + " needs " + std::to_string(kernel.launch.shared_bytes) + " bytes of shared memory"));
    }
    // A function that is loaded at its first launch would break a capture.
    if (driver_.load_function != nullptr) TENON_TRY(check(driver_, driver_.load_function(function), what));
    functions_.push_back(function);
    return {};
}

std::byte* LoadedPlan::place(const Buffer& buffer, const Bindings& bindings, void* workspace, void* constants) const {
    switch (buffer.kind) {
        case Buffer::Kind::Workspace:
            return static_cast<std::byte*>(workspace) + buffer.offset;
        case Buffer::Kind::Constant:
            return static_cast<std::byte*>(constants) + buffer.offset;
        case Buffer::Kind::Bound:
        case Buffer::Kind::Host:
            break;
    }
    const auto bound = bindings.find(Tensor{buffer.value});
    return bound == bindings.end() ? nullptr : static_cast<std::byte*>(bound->second);
}

Status LoadedPlan::check_names(const Bindings& bindings) const {
    const GraphData& graph = plan_->graph.data();
    for (const auto& [tensor, memory] : bindings) {
        if (is_named(graph, tensor.id)) continue;
        const bool exists = tensor.id >= 0 && tensor.id < static_cast<ValueId>(graph.values.size());
        return Status(ErrorCode::InvalidArgument,
                      "run: " + (exists ? "'" + graph.value(tensor.id).name + "'" : "a bound tensor") +
                          " is no input and no output of the plan");
    }
    return {};
}

Status LoadedPlan::check_memory(const Bindings& bindings, const void* workspace, const void* constants) const {
    const codegen::Program& program = plan_->program;
    if (program.workspace_bytes > 0 && workspace == nullptr)
        return Status(ErrorCode::InvalidArgument,
                      "run: no workspace; the plan needs " + std::to_string(program.workspace_bytes) + " bytes");
    if (program.constant_bytes > 0 && constants == nullptr)
        return Status(ErrorCode::InvalidArgument, "run: upload_constants was not called; the plan has " +
                                                      std::to_string(program.constant_bytes) + " bytes of constants");
    for (const Buffer& buffer : program.buffers) {
        const bool is_callers = buffer.kind == Buffer::Kind::Bound || buffer.kind == Buffer::Kind::Host;
        if (!is_callers || buffer.bytes == 0 || place(buffer, bindings, nullptr, nullptr) != nullptr) continue;
        return Status(ErrorCode::InvalidArgument,
                      "run: '" + plan_->graph.data().value(buffer.value).name + "' is not bound");
    }
    return check_names(bindings);
}

Status LoadedPlan::check_alignment(const Bindings& bindings, void* workspace, void* constants) const {
    for (size_t i = 0; i < functions_.size(); ++i) {
        const KernelSource& kernel = plan_->program.steps[i].kernel;
        for (const KernelArgument& argument : kernel.arguments) {
            if (argument.kind == KernelArgument::Kind::HostScalar || functions_[i] == nullptr) continue;
            const Buffer& buffer = plan_->program.buffers[static_cast<size_t>(argument.buffer)];
            const std::byte* memory = place(buffer, bindings, workspace, constants) + argument.byte_offset;
            if (reinterpret_cast<uintptr_t>(memory) % static_cast<uintptr_t>(argument.alignment) == 0) continue;
            const bool is_callers = buffer.kind == Buffer::Kind::Bound;
            const std::string whose = buffer.kind == Buffer::Kind::Workspace ? "the workspace"
                                      : is_callers ? "'" + plan_->graph.data().value(buffer.value).name + "'"
                                                   : "the constants";
            return Status(ErrorCode::InvalidArgument, "run: the memory of " + whose + " must be aligned to " +
                                                          std::to_string(argument.alignment) + " bytes for '" +
                                                          argument.role + "' of " + kernel.name);
        }
    }
    return {};
}

Status LoadedPlan::launch(size_t step, const Bindings& bindings, void* workspace, void* constants,
                          CUstream stream) const {
    const KernelSource& kernel = plan_->program.steps[step].kernel;
    // The driver copies the parameters during the call, so both arrays may live on the stack.
    std::array<void*, kMaxArguments> pointers;
    std::array<void*, kMaxArguments> parameters;
    std::array<CUtensorMap, kMaxTensorMaps> maps;
    size_t map_count = 0;
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
        const KernelArgument& argument = kernel.arguments[i];
        const Buffer& buffer = plan_->program.buffers[static_cast<size_t>(argument.buffer)];
        pointers[i] = place(buffer, bindings, workspace, constants) + argument.byte_offset;
        if (argument.kind == KernelArgument::Kind::TensorMap) {
            maps[map_count] = maps_[step][map_count];
            const CUresult replaced = driver_.replace_map_address(&maps[map_count], pointers[i]);
            if (replaced != CUDA_SUCCESS) return check(driver_, replaced, "run: " + kernel.name + ": " + argument.role);
            parameters[i] = &maps[map_count++];
        } else {
            const bool is_scalar = argument.kind == KernelArgument::Kind::HostScalar;
            parameters[i] = is_scalar ? pointers[i] : static_cast<void*>(&pointers[i]);
        }
    }
    const LaunchShape& shape = kernel.launch;
    std::array<CUlaunchAttribute, 2> attributes{};
    unsigned attribute_count = 0;
    if (shape.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
        CUlaunchAttribute& cluster = attributes[attribute_count++];
        cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        cluster.value.clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
    }
    if (shape.dependent) {
        CUlaunchAttribute& dependent = attributes[attribute_count++];
        dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        dependent.value.programmaticStreamSerializationAllowed = 1;
    }
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
    config.numAttrs = attribute_count;
    const CUresult result = driver_.launch(&config, functions_[step], parameters.data(), nullptr);
    return result == CUDA_SUCCESS ? Status() : check(driver_, result, "run: " + kernel.name);
}

Status LoadedPlan::upload_constants(void* memory, CUstream stream) const {
    if (plan_->program.constant_bytes > 0 && memory == nullptr)
        return Status(ErrorCode::InvalidArgument, "upload_constants: no memory; the plan needs " +
                                                      std::to_string(plan_->program.constant_bytes) + " bytes");
    for (const Buffer& buffer : plan_->program.buffers) {
        if (buffer.kind != Buffer::Kind::Constant || buffer.bytes == 0) continue;
        const auto address = reinterpret_cast<CUdeviceptr>(memory) + static_cast<CUdeviceptr>(buffer.offset);
        TENON_TRY(check(driver_, driver_.copy_to_device(address, buffer.data->data(), buffer.data->size(), stream),
                        "upload_constants"));
    }
    return {};
}

Status LoadedPlan::run(const Bindings& bindings, void* workspace, void* constants, CUstream stream) const {
    TENON_TRY(check_memory(bindings, workspace, constants));
    TENON_TRY(check_alignment(bindings, workspace, constants));
    CUcontext current = nullptr;
    if (driver_.current_context(&current) != CUDA_SUCCESS || current != context_)
        return Status(ErrorCode::InvalidArgument,
                      "run: the current CUDA context is not the one the plan was prepared in");
    for (size_t i = 0; i < functions_.size(); ++i) {
        if (functions_[i] == nullptr) continue;
        TENON_TRY(launch(i, bindings, workspace, constants, stream));
    }
    return {};
}

}  // namespace tenon::engine
