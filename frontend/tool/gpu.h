#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tenon/plan.h>

namespace tenon::tool {

struct DriverCalls;  // gpu.cpp

/// The first GPU: a context, memory, and launches of plans. The driver is found at run time.
class Gpu {
  public:
    /// NotFound without a driver or device.
    static Result<Gpu> open();

    const Target& target() const { return target_; }
    /// Copies the bound host memory there, runs the plan once and copies the outputs back.
    Status run(const Plan& plan, const Bindings& host) const;
    /// Seconds of one run, `samples` times: each the mean of `launches` runs in a row between two events, after a
    /// warm-up. Inputs are those bound.
    Result<std::vector<double>> time(const Plan& plan, const Bindings& host, int samples, int launches) const;

  private:
    Gpu(std::shared_ptr<const DriverCalls> driver, Target target);

    std::shared_ptr<const DriverCalls> driver_;
    Target target_;
};

}  // namespace tenon::tool
