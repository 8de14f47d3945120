#include "engine/explanation.h"

namespace tenon::engine {
namespace {

/// Operations per second that kernels on this type may reach; 0 if the profile does not say.
double rate_of(DataType type, const Target& target, const Numerics& numerics) {
    switch (type) {
        case DataType::F16:
        case DataType::BF16:
            return target.f16_flops_per_second;
        case DataType::I8:
        case DataType::U8:
            return target.i8_ops_per_second;
        case DataType::F32:
            return numerics.tf32 && target.tf32_flops_per_second > 0.0 ? target.tf32_flops_per_second
                                                                       : target.f32_flops_per_second;
        default:
            return target.f32_flops_per_second;
    }
}

std::optional<CompileReport::Kernel> compiled_of(const PlanData& plan, const ExplainOptions& options, size_t i) {
    if (options.compiled != nullptr) {
        if (i < options.compiled->kernels.size()) return options.compiled->kernels[i];
        return std::nullopt;
    }
    const auto own = plan.binaries.find(plan.target.architecture());
    if (own == plan.binaries.end()) return std::nullopt;
    return report_of(plan.program.steps[i].kernel.name, *own->second[i]);
}

}  // namespace

std::vector<KernelFacts> facts_of(const PlanData& plan, const ExplainOptions& options) {
    std::vector<KernelFacts> facts;
    for (size_t i = 0; i < plan.program.steps.size(); ++i) {
        const codegen::Step& step = plan.program.steps[i];
        KernelFacts kernel;
        kernel.step = &step;
        kernel.compiled = compiled_of(plan, options, i);
        const double bandwidth = plan.target.memory_bytes_per_second;
        if (bandwidth > 0.0) kernel.memory_seconds = step.bytes_moved / bandwidth;
        const DataType type = step.kernel.arguments.empty() ? DataType::F32 : step.kernel.arguments.front().type;
        const double rate = rate_of(type, plan.target, plan.graph.data().numerics);
        if (rate > 0.0) kernel.arithmetic_seconds = step.flops / rate;
        kernel.predicted_seconds = step.predicted_seconds;
        if (i < options.measured_seconds.size() && options.measured_seconds[i] > 0.0)
            kernel.measured_seconds = options.measured_seconds[i];
        facts.push_back(kernel);
    }
    return facts;
}

}  // namespace tenon::engine
