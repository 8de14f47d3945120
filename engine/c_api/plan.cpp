// Plans of the C interface.

#include "engine/c_api/handles.h"
#include "engine/plan_data.h"
#include "frontend/status_macros.h"

namespace tenon::c_api {
namespace {

/// Tensors by position: inputs and host scalars, then outputs.
std::vector<Tensor> bindings_of(const Graph& graph) {
    std::vector<Tensor> tensors = graph.inputs();
    for (const Tensor output : graph.outputs()) tensors.push_back(output);
    return tensors;
}

Status give_plan(Result<Plan> plan, tenon_plan** handle) {
    if (handle == nullptr) return missing("plan");
    if (!plan.is_ok()) return plan.status();
    *handle = new tenon_plan{std::move(*plan)};
    return {};
}

Result<PlanOptions> options_of(const tenon_plan_desc* given) {
    tenon_plan_desc desc;
    TENON_TRY(read_struct(given, desc));
    PlanOptions options;
    options.fuse = desc.no_fusion == 0;
    if (desc.workspace_limit_bytes > 0) options.workspace_limit_bytes = desc.workspace_limit_bytes;
    return options;
}

tenon_tensor_info info_of(const Value& value, bool is_output) {
    tenon_tensor_info info{};
    info.type = static_cast<int32_t>(value.type);
    info.rank = static_cast<int32_t>(value.dims.size());
    info.is_output = is_output ? 1 : 0;
    std::copy(value.dims.begin(), value.dims.end(), info.dims);
    std::copy(value.strides.begin(), value.strides.end(), info.strides);
    info.bytes = span_of(value.dims, value.strides) * bytes_of(value.type);
    info.name = value.name.c_str();
    return info;
}

}  // namespace
}  // namespace tenon::c_api

using namespace tenon;
using namespace tenon::c_api;

tenon_status tenon_plan_build(const tenon_graph* graph, const tenon_target* target, const tenon_plan_desc* desc,
                              tenon_plan** plan) {
    return guarded([&]() -> Status {
        if (graph == nullptr || target == nullptr) return missing(graph == nullptr ? "graph" : "target");
        TENON_ASSIGN(const PlanOptions options, options_of(desc));
        return give_plan(Plan::build(graph->graph, target->target, options), plan);
    });
}

void tenon_plan_destroy(tenon_plan* plan) { delete plan; }

tenon_status tenon_plan_compile(const tenon_plan* plan, const char* const* architectures, size_t count,
                                const tenon_compiler* compiler, tenon_plan** compiled) {
    return guarded([&] {
        if (plan == nullptr || architectures == nullptr) return missing(plan == nullptr ? "plan" : "architectures");
        std::vector<std::string> names;
        for (size_t i = 0; i < count; ++i) names.push_back(text_of(architectures[i]));
        return give_plan(plan->plan.compiled_for(names, compiler_of(compiler)), compiled);
    });
}

tenon_status tenon_plan_get_info(const tenon_plan* plan, tenon_plan_info* info) {
    return guarded([&] {
        if (plan == nullptr) return missing("plan");
        tenon_plan_info found{};
        found.kernel_count = plan->plan.kernel_count();
        found.input_count = static_cast<int32_t>(plan->plan.graph().inputs().size());
        found.binding_count = found.input_count + static_cast<int32_t>(plan->plan.graph().outputs().size());
        found.workspace_bytes = plan->plan.workspace_bytes();
        found.constant_bytes = plan->plan.data().program.constant_bytes;
        return write_struct(found, info);
    });
}

tenon_status tenon_plan_binding(const tenon_plan* plan, int32_t position, tenon_tensor_info* info) {
    return guarded([&]() -> Status {
        if (plan == nullptr) return missing("plan");
        const std::vector<Tensor> tensors = bindings_of(plan->plan.graph());
        if (position < 0 || position >= static_cast<int32_t>(tensors.size()))
            return Status(ErrorCode::InvalidArgument,
                          "binding " + std::to_string(position) + " of " + std::to_string(tensors.size()));
        const size_t inputs = plan->plan.graph().inputs().size();
        const Value& value = plan->plan.graph().data().value(tensors[static_cast<size_t>(position)].id);
        return write_struct(info_of(value, static_cast<size_t>(position) >= inputs), info);
    });
}

tenon_status tenon_plan_explain(const tenon_plan* plan, int32_t form, tenon_blob** text) {
    return guarded([&]() -> Status {
        if (plan == nullptr) return missing("plan");
        switch (form) {
            case TENON_TEXT:
                return give_blob(plan->plan.explain(), text);
            case TENON_JSON:
                return give_blob(plan->plan.explain_json(), text);
            case TENON_DOT:
                return give_blob(plan->plan.explain_dot(), text);
            default:
                return Status(ErrorCode::InvalidArgument, "there is no form " + std::to_string(form));
        }
    });
}

tenon_status tenon_plan_source(const tenon_plan* plan, tenon_blob** text) {
    return guarded([&] { return plan != nullptr ? give_blob(plan->plan.source(), text) : missing("plan"); });
}

tenon_status tenon_plan_with_source(const tenon_plan* plan, const char* kernel, const char* text, tenon_plan** edited) {
    return guarded([&] {
        if (plan == nullptr) return missing("plan");
        return give_plan(plan->plan.with_source(text_of(kernel), text_of(text)), edited);
    });
}

tenon_status tenon_plan_save(const tenon_plan* plan, const char* path) {
    return guarded([&] { return plan != nullptr ? plan->plan.save(text_of(path)) : missing("plan"); });
}

tenon_status tenon_plan_load(const char* path, tenon_plan** plan) {
    return guarded([&] { return give_plan(Plan::load(text_of(path)), plan); });
}

tenon_status tenon_plan_to_bytes(const tenon_plan* plan, tenon_blob** bytes) {
    return guarded([&] { return plan != nullptr ? give_blob(plan->plan.to_bytes(), bytes) : missing("plan"); });
}

tenon_status tenon_plan_from_bytes(const void* bytes, size_t size, tenon_plan** plan) {
    return guarded([&] {
        if (bytes == nullptr && size > 0) return missing("bytes");
        return give_plan(Plan::from_bytes({static_cast<const char*>(bytes), size}), plan);
    });
}

tenon_status tenon_plan_compatibility(const void* bytes, size_t size, const tenon_target* target, int32_t* fit,
                                      tenon_blob** reason) {
    return guarded([&]() -> Status {
        if (target == nullptr || fit == nullptr) return missing(target == nullptr ? "target" : "fit");
        if (bytes == nullptr && size > 0) return missing("bytes");
        const Compatibility found = Plan::compatibility_of({static_cast<const char*>(bytes), size}, target->target);
        *fit = static_cast<int32_t>(found.fit);
        return reason != nullptr ? give_blob(found.reason, reason) : Status();
    });
}

tenon_status tenon_plan_run_on_cpu(const tenon_plan* plan, int32_t device, void* const* memory, size_t count) {
    return guarded([&]() -> Status {
        if (plan == nullptr || memory == nullptr) return missing(plan == nullptr ? "plan" : "memory");
        CpuDevice where = CpuDevice::Reference;
        TENON_TRY(read_enum(device, CpuDevice::Emulator, where));
        const std::vector<Tensor> tensors = bindings_of(plan->plan.graph());
        if (count != tensors.size())
            return Status(ErrorCode::InvalidArgument,
                          std::to_string(count) + " addresses for " + std::to_string(tensors.size()) + " bindings");
        Bindings bindings;
        for (size_t i = 0; i < count; ++i) bindings[tensors[i]] = memory[i];
        return plan->plan.run_on_cpu(where, bindings);
    });
}

tenon_status tenon_prepare(const tenon_plan* plan, const tenon_compiler* compiler, tenon_stream stream,
                           tenon_ready** ready) {
    return guarded([&]() -> Status {
        if (plan == nullptr || ready == nullptr) return missing(plan == nullptr ? "plan" : "ready");
        TENON_ASSIGN(ReadyPlan prepared, plan->plan.prepare(stream, compiler_of(compiler)));
        *ready = new tenon_ready{std::move(prepared)};
        return {};
    });
}

tenon_status tenon_upload_constants(tenon_ready* ready, void* memory, tenon_stream stream) {
    return guarded([&] { return ready != nullptr ? ready->ready.upload_constants(memory, stream) : missing("ready"); });
}

tenon_status tenon_run(const tenon_ready* ready, void* const* memory, size_t count, void* workspace,
                       int64_t workspace_bytes, tenon_stream stream) {
    return guarded([&] {
        if (ready == nullptr) return missing("ready");
        return ready->ready.run(std::span<void* const>(memory, memory != nullptr ? count : 0),
                                Workspace{workspace, workspace_bytes}, stream);
    });
}

void tenon_ready_destroy(tenon_ready* ready) { delete ready; }
