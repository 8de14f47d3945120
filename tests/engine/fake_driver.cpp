#include "tests/engine/fake_driver.h"

#include <cstring>
#include <memory>

namespace tenon::engine::test {
namespace {

CUresult error_name(CUresult result, const char** name) {
    *name = result == CUDA_ERROR_INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
}

CUresult error_string(CUresult, const char** text) {
    *text = "as the test wants";
    return CUDA_SUCCESS;
}

CUresult attribute_of(int* value, CUdevice_attribute attribute, CUdevice) {
    const FakeState& state = fake_state();
    switch (attribute) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            *value = state.capability_major;
            break;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            *value = state.capability_minor;
            break;
        case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
            *value = 2000000;
            break;
        case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
            *value = 9000000;
            break;
        case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
            *value = 384;
            break;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
            *value = 232448;
            break;
        default:
            *value = 100;
    }
    return CUDA_SUCCESS;
}

CUresult load_module(CUmodule* module, const void* image) {
    FakeState& state = fake_state();
    const std::string text = static_cast<const char*>(image);
    if (!state.refused_images.empty() && text.compare(0, state.refused_images.size(), state.refused_images) == 0)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (state.load_result != CUDA_SUCCESS && state.loads >= state.load_fails_from) return state.load_result;
    state.images.push_back(text);
    *module = reinterpret_cast<CUmodule>(static_cast<uintptr_t>(++state.loads));
    return CUDA_SUCCESS;
}

CUresult launch(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
    FakeState& state = fake_state();
    ++state.launch_count;
    LaunchRecord& record = launch_record();
    if (record.is_on) {
        Launch launch;
        launch.config = *config;
        launch.function = reinterpret_cast<uintptr_t>(function);
        for (size_t i = 0; i < record.argument_count; ++i)
            launch.pointers.push_back(*static_cast<void**>(parameters[i]));
        record.launches.push_back(std::move(launch));
    }
    return state.launch_result;
}

}  // namespace

FakeState& fake_state() {
    static std::unique_ptr<FakeState> state = std::make_unique<FakeState>();
    return *state;
}

LaunchRecord& launch_record() {
    static thread_local LaunchRecord record;
    return record;
}

Driver fake_driver() {
    std::destroy_at(&fake_state());
    std::construct_at(&fake_state());
    launch_record() = {};
    Driver driver;
    driver.init = [](unsigned) { return CUDA_SUCCESS; };
    driver.driver_version = [](int* version) {
        *version = 12040;
        return CUDA_SUCCESS;
    };
    driver.error_name = error_name;
    driver.error_string = error_string;
    driver.device = [](CUdevice* device, int) {
        *device = 0;
        return CUDA_SUCCESS;
    };
    driver.device_name = [](char* name, int size, CUdevice) {
        std::strncpy(name, fake_state().device_name.c_str(), static_cast<size_t>(size));
        return CUDA_SUCCESS;
    };
    driver.device_attribute = attribute_of;
    driver.current_context = [](CUcontext* context) {
        *context = fake_state().context;
        return CUDA_SUCCESS;
    };
    driver.current_device = [](CUdevice* device) {
        *device = 0;
        return CUDA_SUCCESS;
    };
    driver.push_context = [](CUcontext) { return CUDA_SUCCESS; };
    driver.pop_context = [](CUcontext*) { return CUDA_SUCCESS; };
    driver.load_module = load_module;
    driver.unload_module = [](CUmodule) {
        ++fake_state().unloads;
        return CUDA_SUCCESS;
    };
    // A function is known by its module's number.
    driver.module_function = [](CUfunction* function, CUmodule module, const char*) {
        *function = reinterpret_cast<CUfunction>(module);
        return CUDA_SUCCESS;
    };
    driver.set_function_attribute = [](CUfunction, CUfunction_attribute, int value) {
        ++fake_state().attribute_calls;
        fake_state().shared_bytes = value;
        return fake_state().attribute_result;
    };
    driver.stream_is_capturing = [](CUstream, CUstreamCaptureStatus* status) {
        *status = fake_state().capturing;
        return fake_state().capturing_result;
    };
    driver.copy_to_device = [](CUdeviceptr address, const void*, size_t bytes, CUstream) {
        fake_state().copies.emplace_back(address, bytes);
        return CUDA_SUCCESS;
    };
    driver.launch = launch;
    driver.load_function = [](CUfunction) {
        ++fake_state().eager_loads;
        return CUDA_SUCCESS;
    };
    return driver;
}

}  // namespace tenon::engine::test
