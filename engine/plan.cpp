#include <tenon/plan.h>
#include <tenon/version.h>

#include <cstring>

#include "codegen/device/device_library.h"
#include "codegen/generate.h"
#include "engine/emulator/emulator.h"
#include "engine/kernel_compiler.h"
#include "engine/kernel_listener.h"
#include "engine/loaded_plan.h"
#include "engine/plan_data.h"
#include "engine/prepare.h"
#include "engine/reference/reference.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

using codegen::Buffer;
using codegen::KernelArgument;

/// Host memory of every buffer of a program; inner tensors start as NaN bytes, so a value nobody wrote shows.
class HostBuffers {
  public:
    Status bind(const PlanData& plan, const Bindings& bindings) {
        const codegen::Program& program = plan.program;
        workspace_.assign(static_cast<size_t>(program.workspace_bytes), std::byte{0xff});
        for (const Buffer& buffer : program.buffers) {
            if (buffer.kind == Buffer::Kind::Workspace) {
                memory_.push_back(workspace_.data() + buffer.offset);
            } else if (buffer.kind == Buffer::Kind::Constant) {
                memory_.push_back(const_cast<std::byte*>(buffer.data->data()));
            } else {
                const auto bound = bindings.find(Tensor{buffer.value});
                if (bound == bindings.end() || bound->second == nullptr) {
                    return Status(ErrorCode::InvalidArgument,
                                  "run: '" + plan.graph.data().value(buffer.value).name + "' is not bound");
                }
                memory_.push_back(static_cast<std::byte*>(bound->second));
            }
        }
        return {};
    }

    std::byte* operator[](int32_t buffer) const { return memory_[static_cast<size_t>(buffer)]; }

  private:
    std::vector<std::byte> workspace_;
    std::vector<std::byte*> memory_;
};

Status check_alignment(const codegen::KernelSource& kernel, const KernelArgument& argument, const std::byte* pointer) {
    if (reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(argument.alignment) == 0) return {};
    return Status(ErrorCode::InvalidArgument, kernel.name + ": the memory of '" + argument.role +
                                                  "' must be aligned to " + std::to_string(argument.alignment) +
                                                  " bytes");
}

Status run_emulator(const PlanData& plan, const Bindings& bindings, uint64_t seed) {
    HostBuffers buffers;
    TENON_TRY(buffers.bind(plan, bindings));
    for (const codegen::Step& step : plan.program.steps) {
        std::vector<engine::EmulatedArgument> arguments;
        for (const KernelArgument& argument : step.kernel.arguments) {
            std::byte* memory = buffers[argument.buffer];
            const bool is_scalar = argument.kind == KernelArgument::Kind::HostScalar;
            if (!is_scalar) TENON_TRY(check_alignment(step.kernel, argument, memory + argument.byte_offset));
            const int64_t bytes = plan.program.buffers[static_cast<size_t>(argument.buffer)].bytes;
            arguments.push_back({memory + argument.byte_offset, memory, bytes, is_scalar, argument.written});
        }
        TENON_TRY(engine::run_emulated(step.kernel, arguments, {seed}));
    }
    return {};
}

Status run_reference(const PlanData& plan, const Bindings& bindings) {
    std::map<ValueId, void*> memory;
    for (const auto& [tensor, pointer] : bindings) memory[tensor.id] = pointer;
    return engine::run_reference(plan.graph.data(), memory);
}

}  // namespace

Result<Plan> Plan::build(const Graph& graph, const Target& target, const PlanOptions& options) {
    TENON_ASSIGN(codegen::Program program, codegen::generate(graph, target, options));
    for (const codegen::Step& step : program.steps)
        engine::tell_kernel_listener(engine::KernelEvent::Planned, step.kernel);
    return Plan(std::make_shared<const PlanData>(PlanData{graph,
                                                          target,
                                                          std::move(program),
                                                          options,
                                                          {},
                                                          std::string(kVersion),
                                                          std::string(codegen::device_library_hash())}));
}

Result<CompileReport> Plan::compile(const std::string& architecture, const Compiler& compiler) const {
    CompileReport report;
    report.architecture = architecture.empty() ? data_->target.architecture() : architecture;
    TENON_ASSIGN(const std::vector<engine::KernelPtr> kernels,
                 engine::kernels_for(*data_, compiler.state(), report.architecture));
    for (size_t i = 0; i < kernels.size(); ++i)
        report.kernels.push_back(engine::report_of(data_->program.steps[i].kernel.name, *kernels[i]));
    return report;
}

Result<Plan> Plan::compiled_for(const std::vector<std::string>& architectures, const Compiler& compiler) const {
    PlanData compiled = *data_;
    for (const std::string& architecture : architectures) {
        TENON_ASSIGN(compiled.binaries[architecture], engine::kernels_for(*data_, compiler.state(), architecture));
    }
    return Plan(std::make_shared<const PlanData>(std::move(compiled)));
}

std::vector<std::string> Plan::architectures() const {
    std::vector<std::string> names;
    for (const auto& [architecture, kernels] : data_->binaries) names.push_back(architecture);
    return names;
}

Result<ReadyPlan> Plan::prepare(Stream stream, const Compiler& compiler) const {
    TENON_ASSIGN(const engine::Driver* driver, engine::driver());
    TENON_ASSIGN(std::shared_ptr<const engine::LoadedPlan> loaded,
                 engine::prepare(*driver, data_, compiler.state(), stream));
    return ReadyPlan(std::move(loaded));
}

Status ReadyPlan::upload_constants(void* memory, Stream stream) {
    TENON_TRY(loaded_->upload_constants(memory, stream));
    constants_ = memory;
    return {};
}

Status ReadyPlan::run(const Bindings& bindings, Workspace workspace, Stream stream) const {
    return loaded_->run(bindings, workspace, constants_, stream);
}

Status ReadyPlan::run(std::span<void* const> memory, Workspace workspace, Stream stream) const {
    return loaded_->run(memory, workspace, constants_, stream);
}

int64_t ReadyPlan::workspace_bytes() const { return loaded_->plan().program.workspace_bytes; }
int64_t ReadyPlan::constant_bytes() const { return loaded_->plan().program.constant_bytes; }

Status Plan::run_on_cpu(CpuDevice device, const Bindings& bindings, uint64_t seed) const {
    return device == CpuDevice::Reference ? run_reference(*data_, bindings) : run_emulator(*data_, bindings, seed);
}

const Graph& Plan::graph() const { return data_->graph; }
const Target& Plan::target() const { return data_->target; }
const PlanOptions& Plan::options() const { return data_->options; }
int64_t Plan::workspace_bytes() const { return data_->program.workspace_bytes; }
int Plan::kernel_count() const { return static_cast<int>(data_->program.steps.size()); }

}  // namespace tenon
