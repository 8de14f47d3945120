#include "tests/gpu/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"

#define TENON_TEXT_OF(name) #name
#define TENON_FIND(function, member) find(library, TENON_TEXT_OF(function), driver.member)

namespace tenon::test {
namespace {

[[noreturn]] void stop(const char* what, int code) {
    std::fprintf(stderr, "these tests need a GPU: %s (%d)\n", what, code);
    std::exit(2);
}

void require(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) stop(what, result);
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) stop(name, 0);
}

DriverForTests load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) stop("no libcuda.so.1", 0);
    DriverForTests driver;
    TENON_FIND(cuDevicePrimaryCtxRetain, retain_context);
    TENON_FIND(cuCtxSetCurrent, set_context);
    TENON_FIND(cuMemAlloc, allocate);
    TENON_FIND(cuMemFree, release);
    TENON_FIND(cuMemsetD8, fill);
    TENON_FIND(cuMemcpyHtoD, copy_to_device);
    TENON_FIND(cuMemcpyDtoH, copy_to_host);
    TENON_FIND(cuStreamCreate, create_stream);
    TENON_FIND(cuStreamDestroy, destroy_stream);
    TENON_FIND(cuStreamSynchronize, wait);
    TENON_FIND(cuStreamBeginCapture, begin_capture);
    TENON_FIND(cuStreamEndCapture, end_capture);
    TENON_FIND(cuGraphInstantiate, instantiate);
    TENON_FIND(cuGraphLaunch, launch_graph);
    return driver;
}

CUcontext context() {
    const Result<Target> target = Target::current();  // initialises the driver
    if (!target.is_ok()) stop(target.status().message().c_str(), static_cast<int>(target.status().code()));
    CUcontext context = nullptr;
    require(load().retain_context(&context, 0), "cuDevicePrimaryCtxRetain");
    return context;
}

}  // namespace

const DriverForTests& gpu() {
    static const DriverForTests driver = load();
    static CUcontext primary = context();
    require(driver.set_context(primary), "cuCtxSetCurrent");
    return driver;
}

DeviceMemory::DeviceMemory(size_t bytes) {
    // Never empty; otherwise exactly this long, so that a memory checker sees an access past the end.
    const size_t size = std::max<size_t>(bytes, 1);
    require(gpu().allocate(&address_, size), "cuMemAlloc");
    require(gpu().fill(address_, 0xff, size), "cuMemsetD8");
}

DeviceMemory::~DeviceMemory() { gpu().release(address_); }

void DeviceMemory::write(const void* host, size_t bytes) {
    if (bytes > 0) require(gpu().copy_to_device(address_, host, bytes), "cuMemcpyHtoD");
}

void DeviceMemory::read(void* host, size_t bytes) const {
    if (bytes > 0) require(gpu().copy_to_host(host, address_, bytes), "cuMemcpyDtoH");
}

Status run_on_gpu(const Plan& plan, const Bindings& host) {
    gpu();
    TENON_ASSIGN(ReadyPlan ready, plan.prepare());
    const GraphData& graph = plan.graph().data();
    const auto bytes_of_tensor = [&](Tensor tensor) {
        const Value& value = graph.value(tensor.id);
        return static_cast<size_t>(span_of(value.dims, value.strides) * bytes_of(value.type));
    };
    std::map<Tensor, std::unique_ptr<DeviceMemory>> memory;
    Bindings bindings;
    for (const auto& [tensor, pointer] : host) {
        if (graph.value(tensor.id).kind == ValueKind::HostScalar) {
            bindings[tensor] = pointer;
            continue;
        }
        auto& place = memory[tensor] = std::make_unique<DeviceMemory>(bytes_of_tensor(tensor));
        place->write(pointer, bytes_of_tensor(tensor));
        bindings[tensor] = place->data();
    }
    DeviceMemory workspace(static_cast<size_t>(ready.workspace_bytes()));
    DeviceMemory constants(static_cast<size_t>(ready.constant_bytes()));
    TENON_TRY(ready.upload_constants(constants.data(), nullptr));
    TENON_TRY(ready.run(bindings, {workspace.data(), ready.workspace_bytes()}, nullptr));
    if (const CUresult result = gpu().wait(nullptr); result != CUDA_SUCCESS)
        return Status(ErrorCode::DriverFailed, "a kernel failed: error " + std::to_string(result));
    for (const Tensor output : plan.graph().outputs())
        memory.at(output)->read(host.at(output), bytes_of_tensor(output));
    return {};
}

}  // namespace tenon::test
