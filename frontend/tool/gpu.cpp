#include "frontend/tool/gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>

#include <cuda.h>

#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"

#define TENON_TEXT_OF(name) #name
#define TENON_FIND(function, member) find(library, TENON_TEXT_OF(function), driver->member)

namespace tenon::tool {

/// What running a plan needs of the driver besides what the library calls itself.
struct DriverCalls {
    decltype(&cuDevicePrimaryCtxRetain) retain_context = nullptr;
    decltype(&cuCtxSetCurrent) set_context = nullptr;
    decltype(&cuMemAlloc) allocate = nullptr;
    decltype(&cuMemFree) release = nullptr;
    decltype(&cuMemcpyHtoD) copy_to_device = nullptr;
    decltype(&cuMemcpyDtoH) copy_to_host = nullptr;
    decltype(&cuStreamSynchronize) wait = nullptr;
    decltype(&cuEventCreate) create_event = nullptr;
    decltype(&cuEventDestroy) destroy_event = nullptr;
    decltype(&cuEventRecord) record = nullptr;
    decltype(&cuEventSynchronize) wait_for_event = nullptr;
    decltype(&cuEventElapsedTime) elapsed_ms = nullptr;
};

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::shared_ptr<const DriverCalls> load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto driver = std::make_shared<DriverCalls>();
    const bool is_whole = TENON_FIND(cuDevicePrimaryCtxRetain, retain_context) &&
                          TENON_FIND(cuCtxSetCurrent, set_context) && TENON_FIND(cuMemAlloc, allocate) &&
                          TENON_FIND(cuMemFree, release) && TENON_FIND(cuMemcpyHtoD, copy_to_device) &&
                          TENON_FIND(cuMemcpyDtoH, copy_to_host) && TENON_FIND(cuStreamSynchronize, wait) &&
                          TENON_FIND(cuEventCreate, create_event) && TENON_FIND(cuEventDestroy, destroy_event) &&
                          TENON_FIND(cuEventRecord, record) && TENON_FIND(cuEventSynchronize, wait_for_event) &&
                          TENON_FIND(cuEventElapsedTime, elapsed_ms);
    return is_whole ? driver : nullptr;
}

Status check(CUresult result, const std::string& what) {
    if (result == CUDA_SUCCESS) return {};
    const ErrorCode code = result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::OutOfMemory : ErrorCode::DriverFailed;
    return Status(code, what + " gives error " + std::to_string(result));
}

/// Device memory, released with it.
class DeviceMemory {
  public:
    static Result<DeviceMemory> make(const DriverCalls& driver, int64_t bytes) {
        CUdeviceptr address = 0;
        TENON_TRY(check(driver.allocate(&address, static_cast<size_t>(std::max<int64_t>(bytes, 1))),
                        "cuMemAlloc of " + std::to_string(bytes) + " bytes"));
        return DeviceMemory(driver, address);
    }
    CUdeviceptr address() const { return *address_; }
    void* data() const { return reinterpret_cast<void*>(*address_); }

  private:
    DeviceMemory(const DriverCalls& driver, CUdeviceptr address)
        : address_(new CUdeviceptr(address), [release = driver.release](CUdeviceptr* owned) {
              release(*owned);
              delete owned;
          }) {}

    std::shared_ptr<CUdeviceptr> address_;
};

int64_t bytes_of_tensor(const Graph& graph, Tensor tensor) {
    const TensorSpec spec = graph.spec(tensor);
    return span_of(spec.dims, spec.strides) * bytes_of(spec.type);
}

/// A loaded plan with everything it needs in device memory.
class DeviceRun {
  public:
    Status prepare(const DriverCalls& driver, const Plan& plan, const Bindings& host) {
        TENON_ASSIGN(ReadyPlan ready, plan.prepare());
        const Graph& graph = plan.graph();
        for (const auto& [tensor, pointer] : host) {
            if (graph.data().value(tensor.id).kind == ValueKind::HostScalar) {
                bindings_[tensor] = pointer;
                continue;
            }
            const int64_t bytes = bytes_of_tensor(graph, tensor);
            TENON_ASSIGN(DeviceMemory memory, DeviceMemory::make(driver, bytes));
            if (bytes > 0)
                TENON_TRY(check(driver.copy_to_device(memory.address(), pointer, static_cast<size_t>(bytes)),
                                "cuMemcpyHtoD"));
            bindings_[tensor] = memory.data();
            memory_.emplace(tensor, std::move(memory));
        }
        TENON_ASSIGN(DeviceMemory workspace, DeviceMemory::make(driver, ready.workspace_bytes()));
        TENON_ASSIGN(DeviceMemory constants, DeviceMemory::make(driver, ready.constant_bytes()));
        TENON_TRY(ready.upload_constants(constants.data(), nullptr));
        workspace_.push_back(std::move(workspace));
        workspace_.push_back(std::move(constants));
        ready_.push_back(std::move(ready));
        return {};
    }

    Status launch() const {
        return ready_[0].run(bindings_, {workspace_[0].data(), ready_[0].workspace_bytes()}, nullptr);
    }

    Status read_outputs(const DriverCalls& driver, const Graph& graph, const Bindings& host) const {
        for (const Tensor output : graph.outputs()) {
            const int64_t bytes = bytes_of_tensor(graph, output);
            if (bytes == 0) continue;
            TENON_TRY(
                check(driver.copy_to_host(host.at(output), memory_.at(output).address(), static_cast<size_t>(bytes)),
                      "cuMemcpyDtoH"));
        }
        return {};
    }

  private:
    Bindings bindings_;
    std::map<Tensor, DeviceMemory> memory_;
    std::vector<DeviceMemory> workspace_;  ///< Workspace, then constants.
    std::vector<ReadyPlan> ready_;         ///< One.
};

Result<double> seconds_of(const DriverCalls& driver, const DeviceRun& run, int launches, CUevent begin, CUevent end) {
    TENON_TRY(check(driver.record(begin, nullptr), "cuEventRecord"));
    for (int i = 0; i < launches; ++i) TENON_TRY(run.launch());
    TENON_TRY(check(driver.record(end, nullptr), "cuEventRecord"));
    TENON_TRY(check(driver.wait_for_event(end), "a kernel"));
    float milliseconds = 0.0f;
    TENON_TRY(check(driver.elapsed_ms(&milliseconds, begin, end), "cuEventElapsedTime"));
    return static_cast<double>(milliseconds) * 1e-3 / launches;
}

}  // namespace

Gpu::Gpu(std::shared_ptr<const DriverCalls> driver, Target target)
    : driver_(std::move(driver)), target_(std::move(target)) {}

Result<Gpu> Gpu::open() {
    TENON_ASSIGN(const Target first, Target::current());  // Initialises the driver.
    const std::shared_ptr<const DriverCalls> driver = load();
    if (driver == nullptr) return Status(ErrorCode::NotFound, "libcuda.so.1 lacks a function");
    CUcontext context = nullptr;
    TENON_TRY(check(driver->retain_context(&context, 0), "cuDevicePrimaryCtxRetain"));
    TENON_TRY(check(driver->set_context(context), "cuCtxSetCurrent"));
    TENON_ASSIGN(Target target, Target::current());
    return Gpu(driver, std::move(target));
}

Status Gpu::run(const Plan& plan, const Bindings& host) const {
    DeviceRun run;
    TENON_TRY(run.prepare(*driver_, plan, host));
    TENON_TRY(run.launch());
    TENON_TRY(check(driver_->wait(nullptr), "a kernel"));
    return run.read_outputs(*driver_, plan.graph(), host);
}

Result<std::vector<double>> Gpu::time(const Plan& plan, const Bindings& host, int samples, int launches) const {
    DeviceRun run;
    TENON_TRY(run.prepare(*driver_, plan, host));
    CUevent begin = nullptr, end = nullptr;
    TENON_TRY(check(driver_->create_event(&begin, CU_EVENT_DEFAULT), "cuEventCreate"));
    TENON_TRY(check(driver_->create_event(&end, CU_EVENT_DEFAULT), "cuEventCreate"));
    std::vector<double> seconds;
    Status status;
    for (int sample = -1; sample < samples && status.is_ok(); ++sample) {
        const Result<double> one = seconds_of(*driver_, run, launches, begin, end);
        status = one.status();
        if (one.is_ok() && sample >= 0) seconds.push_back(*one);
    }
    driver_->destroy_event(begin);
    driver_->destroy_event(end);
    if (!status.is_ok()) return status;
    return seconds;
}

}  // namespace tenon::tool
