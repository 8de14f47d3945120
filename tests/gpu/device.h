#pragma once

#include <cstddef>
#include <memory>

#include <cuda.h>

#include <tenon/plan.h>

namespace tenon::test {

/// What the tests need of the driver beyond what the library itself calls.
struct DriverForTests {
    decltype(&cuDevicePrimaryCtxRetain) retain_context = nullptr;
    decltype(&cuCtxSetCurrent) set_context = nullptr;
    decltype(&cuMemAlloc) allocate = nullptr;
    decltype(&cuMemFree) release = nullptr;
    decltype(&cuMemsetD8) fill = nullptr;
    decltype(&cuMemcpyHtoD) copy_to_device = nullptr;
    decltype(&cuMemcpyDtoH) copy_to_host = nullptr;
    decltype(&cuStreamCreate) create_stream = nullptr;
    decltype(&cuStreamDestroy) destroy_stream = nullptr;
    decltype(&cuStreamSynchronize) wait = nullptr;
    decltype(&cuStreamBeginCapture) begin_capture = nullptr;
    decltype(&cuStreamEndCapture) end_capture = nullptr;
    decltype(&cuGraphInstantiate) instantiate = nullptr;
    decltype(&cuGraphLaunch) launch_graph = nullptr;
};

/// Makes the first device's primary context current on this thread. Ends the program, with the reason, if there is
/// none.
const DriverForTests& gpu();

/// Device memory filled with 0xff bytes: NaN in every floating type.
class DeviceMemory {
  public:
    explicit DeviceMemory(size_t bytes);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    void* data() const { return reinterpret_cast<void*>(address_); }
    void write(const void* host, size_t bytes);
    void read(void* host, size_t bytes) const;

  private:
    CUdeviceptr address_ = 0;
};

/// Runs a plan on the GPU: copies the bound host memory there and the outputs back.
Status run_on_gpu(const Plan& plan, const Bindings& host);

}  // namespace tenon::test
