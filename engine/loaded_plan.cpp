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
    TENON_TRY(loaded->resolve());
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

Status LoadedPlan::resolve() {
    const GraphData& graph = plan_->graph.data();
    std::vector<ValueId> order;
    for (const Tensor input : plan_->graph.inputs()) order.push_back(input.id);
    for (const Tensor output : plan_->graph.outputs()) order.push_back(output.id);
    bound_ = order;
    std::sort(bound_.begin(), bound_.end());
    bound_.erase(std::unique(bound_.begin(), bound_.end()), bound_.end());
    if (bound_.size() > kMaxBound)
        return Status(ErrorCode::Unsupported, "prepare: the graph has " + std::to_string(bound_.size()) +
                                                  " inputs and outputs, a plan takes " + std::to_string(kMaxBound));
    const auto base_of = [&](ValueId id) {
        return static_cast<uint32_t>(std::lower_bound(bound_.begin(), bound_.end(), id) - bound_.begin());
    };
    for (const ValueId id : order) positions_.push_back(base_of(id));
    is_needed_.assign(bound_.size(), false);
    std::vector<Place> buffers;
    for (const Buffer& buffer : plan_->program.buffers) {
        const auto count = static_cast<uint32_t>(bound_.size());
        if (buffer.kind == Buffer::Kind::Workspace || buffer.kind == Buffer::Kind::Constant) {
            buffers.push_back({buffer.kind == Buffer::Kind::Workspace ? count : count + 1, buffer.offset});
            continue;
        }
        const uint32_t base = base_of(buffer.value);
        if (base >= bound_.size() || bound_[base] != buffer.value)
            return Status(ErrorCode::InvalidArgument,
                          "prepare: '" + graph.value(buffer.value).name + "' is no input and no output of the graph");
        if (buffer.bytes > 0) is_needed_[base] = true;
        buffers.push_back({base, 0});
    }
    for (const codegen::Step& step : plan_->program.steps) {
        std::vector<Place>& places = places_.emplace_back();
        for (const KernelArgument& argument : step.kernel.arguments) {
            const Place& buffer = buffers[static_cast<size_t>(argument.buffer)];
            const bool is_scalar = argument.kind == KernelArgument::Kind::HostScalar;
            places.push_back({buffer.base, buffer.offset + argument.byte_offset,
                              is_scalar ? 1 : static_cast<uintptr_t>(argument.alignment), argument.kind});
        }
    }
    return {};
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

}  // namespace tenon::engine
