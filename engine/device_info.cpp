#include "engine/device_info.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "frontend/status_macros.h"

namespace tenon::engine {
namespace {

/// Dense operations of one multiprocessor per clock; a multiply-add counts twice. From the makers' peak rates.
struct ClockRates {
    int compute_capability;
    double f16, tf32, i8, f32;
};

constexpr std::array<ClockRates, 8> kClockRates = {{
    {75, 1024, 0, 2048, 128},
    {80, 2048, 1024, 4096, 128},
    {86, 512, 256, 2048, 256},
    {87, 1024, 512, 2048, 256},
    {89, 512, 256, 2048, 256},
    {90, 4096, 2048, 8192, 256},
    {100, 8192, 4096, 16384, 256},
    {120, 1024, 512, 2048, 256},
}};

/// The newest generation that is not newer than the device; the oldest for older ones.
const ClockRates& rates_of(int compute_capability) {
    const ClockRates* best = &kClockRates.front();
    for (const ClockRates& rates : kClockRates) {
        if (rates.compute_capability <= compute_capability) best = &rates;
    }
    return *best;
}

/// Lower-case words joined by single spaces, spaces at both ends; "GeForce RTX 4090" also as "rtx4090".
std::string words_of(const std::string& name) {
    std::string words = " ";
    for (const char c : name)
        words += std::isalnum(static_cast<unsigned char>(c)) != 0
                     ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                     : ' ';
    words += ' ';
    if (const size_t at = words.find(" rtx "); at != std::string::npos) words.erase(at + 4, 1);
    return words;
}

/// The shipped profile whose name is a word of the device's.
Result<Target> profile_of(const DeviceInfo& info) {
    const std::string words = words_of(info.name);
    for (const std::string& name : Target::names()) {
        if (words.find(" " + name + " ") != std::string::npos) return Target::named(name);
    }
    return Status(ErrorCode::NotFound, "no profile for " + info.name);
}

class Attributes {
  public:
    Attributes(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {}

    int operator()(CUdevice_attribute attribute) {
        int value = 0;
        const CUresult result = driver_.device_attribute(&value, attribute, device_);
        if (status_.is_ok()) status_ = check(driver_, result, "cuDeviceGetAttribute");
        return value;
    }
    const Status& status() const { return status_; }

  private:
    const Driver& driver_;
    CUdevice device_;
    Status status_;
};

/// Peak rates; sustained ones are below, so `measured` stays false.
void derive_rates(Target& target, Attributes& read) {
    const ClockRates& rates = rates_of(target.compute_capability);
    target.clock_hz = 1e3 * read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    const double clocks = target.clock_hz * target.multiprocessors;
    target.f16_flops_per_second = rates.f16 * clocks;
    target.tf32_flops_per_second = rates.tf32 * clocks;
    target.i8_ops_per_second = rates.i8 * clocks;
    target.f32_flops_per_second = rates.f32 * clocks;
    // Two transfers per memory clock.
    target.memory_bytes_per_second =
        2e3 * read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
}

}  // namespace

Result<DeviceInfo> current_device(const Driver& driver) {
    DeviceInfo info;
    CUcontext context = nullptr;
    TENON_TRY(check(driver, driver.current_context(&context), "cuCtxGetCurrent"));
    if (context != nullptr) {
        TENON_TRY(check(driver, driver.current_device(&info.device), "cuCtxGetDevice"));
    } else if (driver.device(&info.device, 0) != CUDA_SUCCESS) {
        return Status(ErrorCode::NotFound, "the CUDA driver sees no device");
    }
    std::array<char, 256> name{};
    TENON_TRY(check(driver, driver.device_name(name.data(), static_cast<int>(name.size()) - 1, info.device),
                    "cuDeviceGetName"));
    info.name = name.data();
    Attributes read(driver, info.device);
    info.compute_capability =
        10 * read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    TENON_TRY(read.status());
    return info;
}

Result<Target> describe(const Driver& driver, const DeviceInfo& info) {
    const Result<Target> profile = profile_of(info);
    Target target = profile.is_ok() ? *profile : Target();
    target.name = info.name;
    target.compute_capability = info.compute_capability;
    Attributes read(driver, info.device);
    target.multiprocessors = read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    target.shared_bytes_per_block = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    target.shared_bytes_per_multiprocessor = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    target.registers_per_multiprocessor = read(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    target.l2_bytes = read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    if (!profile.is_ok()) derive_rates(target, read);
    TENON_TRY(read.status());
    return target;
}

}  // namespace tenon::engine

namespace tenon {

Result<Target> Target::current() {
    TENON_ASSIGN(const engine::Driver* driver, engine::driver());
    TENON_ASSIGN(const engine::DeviceInfo info, engine::current_device(*driver));
    return engine::describe(*driver, info);
}

}  // namespace tenon
