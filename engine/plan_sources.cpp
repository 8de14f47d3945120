// Sources of a plan as text and as files that a person may edit.

#include <tenon/plan.h>

#include <filesystem>

#include "engine/files.h"
#include "engine/plan_data.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

std::string path_of(const std::string& folder, const codegen::KernelSource& kernel) {
    return folder + "/" + kernel.name + ".cu";
}

std::string names_of(const PlanData& plan) {
    std::string names;
    for (const codegen::Step& step : plan.program.steps) names += (names.empty() ? "" : ", ") + step.kernel.name;
    return names;
}

}  // namespace

std::string Plan::source() const {
    std::string text;
    for (const codegen::Step& step : data_->program.steps) text += (text.empty() ? "" : "\n") + step.kernel.text;
    return text;
}

Result<Plan> Plan::with_source(std::string_view kernel, std::string text) const {
    PlanData edited = *data_;
    bool is_known = false;
    // Equal regions share one kernel.
    for (codegen::Step& step : edited.program.steps) {
        if (step.kernel.name != kernel) continue;
        step.kernel.text = text;
        is_known = true;
    }
    if (!is_known)
        return Status(ErrorCode::NotFound,
                      "the plan has no kernel '" + std::string(kernel) + "'; it has " + names_of(*data_));
    edited.binaries.clear();
    return Plan(std::make_shared<const PlanData>(std::move(edited)));
}

Status Plan::write_sources(const std::string& folder) const {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Status(ErrorCode::NotFound, "cannot make '" + folder + "': " + error.message());
    for (const codegen::Step& step : data_->program.steps) {
        const std::string path = path_of(folder, step.kernel);
        const std::string problem = engine::replace_file(path, path + ".writing-", step.kernel.text);
        if (!problem.empty()) return Status(ErrorCode::NotFound, "cannot write " + path + ": " + problem);
    }
    return {};
}

Result<Plan> Plan::with_sources_from(const std::string& folder) const {
    Plan edited = *this;
    for (const codegen::Step& step : data_->program.steps) {
        std::string text, problem;
        const std::string path = path_of(folder, step.kernel);
        if (!engine::read_whole(path, text, problem)) {
            if (problem.empty()) continue;
            return Status(ErrorCode::NotFound, "cannot read " + path + ": " + problem);
        }
        if (text == step.kernel.text) continue;
        TENON_ASSIGN(edited, edited.with_source(step.kernel.name, std::move(text)));
    }
    return edited;
}

}  // namespace tenon
