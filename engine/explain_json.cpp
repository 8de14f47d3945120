#include <tenon/plan.h>
#include <tenon/version.h>

#include <nlohmann/json.hpp>

#include "engine/explanation.h"

namespace tenon {
namespace {

using Json = nlohmann::ordered_json;

Json compiled_json(const std::optional<CompileReport::Kernel>& compiled) {
    if (!compiled) return nullptr;
    return {{"registers", compiled->registers},
            {"spill_bytes", compiled->spill_bytes},
            {"static_shared_bytes", compiled->static_shared_bytes},
            {"binary_bytes", compiled->cubin_bytes},
            {"compile_seconds", compiled->compile_seconds}};
}

Json arguments_json(const codegen::KernelSource& kernel, const PlanData& plan) {
    Json list = Json::array();
    for (const codegen::KernelArgument& argument : kernel.arguments) {
        const codegen::Buffer& buffer = plan.program.buffers[static_cast<size_t>(argument.buffer)];
        const bool is_callers =
            buffer.kind == codegen::Buffer::Kind::Bound || buffer.kind == codegen::Buffer::Kind::Host;
        Json tensor = nullptr;
        if (is_callers) tensor = plan.graph.data().value(buffer.value).name;
        list.push_back({{"role", argument.role},
                        {"tensor", tensor},
                        {"type", to_string(argument.type)},
                        {"bytes", argument.span_bytes},
                        {"alignment", argument.alignment},
                        {"written", argument.written}});
    }
    return list;
}

Json launch_json(const codegen::LaunchShape& launch) {
    return {{"grid", launch.grid},
            {"block", launch.block},
            {"cluster", launch.cluster},
            {"dynamic_shared_bytes", launch.shared_bytes},
            {"dependent", launch.dependent}};
}

Json notes_json(const std::vector<codegen::Note>& notes) {
    Json list = Json::array();
    for (const codegen::Note& note : notes) list.push_back({{"code", note.code}, {"text", note.text}});
    return list;
}

Json kernel_json(const engine::KernelFacts& facts, const PlanData& plan) {
    const codegen::Step& step = *facts.step;
    Json measured = nullptr;
    if (facts.measured_seconds) measured = *facts.measured_seconds;
    return {{"name", step.kernel.name},
            {"family", step.family},
            {"formula", step.formula},
            {"nodes", step.nodes},
            {"tile", step.tile},
            {"launch", launch_json(step.kernel.launch)},
            {"arguments", arguments_json(step.kernel, plan)},
            {"compiled", compiled_json(facts.compiled)},
            {"bytes_moved", step.bytes_moved},
            {"bytes_saved", step.bytes_saved},
            {"flops", step.flops},
            {"roofline_memory_seconds", facts.memory_seconds},
            {"roofline_arithmetic_seconds", facts.arithmetic_seconds},
            {"predicted_seconds", facts.predicted_seconds},
            {"measured_seconds", measured},
            {"notes", notes_json(step.notes)}};
}

}  // namespace

std::string Plan::explain_json(const ExplainOptions& options) const {
    Json kernels = Json::array();
    for (const engine::KernelFacts& facts : engine::facts_of(*data_, options))
        kernels.push_back(kernel_json(facts, *data_));
    const Json plan = {
        {"tenon", kVersion},
        {"target",
         {{"name", target().name}, {"architecture", target().architecture()}, {"measured", target().measured}}},
        {"operations", graph().data().nodes.size()},
        {"workspace_bytes", data_->program.workspace_bytes},
        {"constant_bytes", data_->program.constant_bytes},
        {"kernels", kernels},
        {"rewrites", data_->program.rewrites}};
    // Names are the user's and may be no UTF-8.
    return plan.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenon
