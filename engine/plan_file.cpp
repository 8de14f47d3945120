#include <tenon/plan.h>
#include <tenon/version.h>

#include "engine/bytes.h"
#include "engine/files.h"
#include "engine/plan_archive.h"
#include "engine/plan_check.h"
#include "engine/plan_data.h"
#include "frontend/status_macros.h"

// A plan file, little-endian:
//
//     8   "TENON\r\n\x1a": damaged by anything that takes the file for text
//     4   byte order mark
//     4   version of the format
//     8   bytes of the body
//     16  XXH3-128 of the body
//     …   body: constants; then maker, target, options, graph, program, binaries (see plan_fields.h)

namespace tenon {
namespace {

constexpr std::string_view kMagic("TENON\r\n\x1a", 8);
constexpr uint32_t kByteOrder = 0x01020304;
constexpr uint32_t kPlanFormat = 1;

Status bad(const std::string& text) { return Status(ErrorCode::BadFile, "plan file: " + text); }

std::string write_body(const PlanData& plan) {
    engine::PlanWriter write;
    write(plan.maker, plan.device_library, plan.target, plan.options, plan.graph.data(), plan.program);
    write(static_cast<uint64_t>(plan.binaries.size()));
    for (const auto& [architecture, kernels] : plan.binaries) {
        write(architecture);
        for (const engine::KernelPtr& kernel : kernels) write(*kernel);
    }
    return write.bytes();
}

void read_binaries(engine::PlanReader& read, PlanData& plan) {
    for (uint64_t left = read.count(); left > 0; --left) {
        std::string architecture;
        read(architecture);
        std::vector<engine::KernelPtr>& kernels = plan.binaries[architecture];
        for (size_t i = 0; i < plan.program.steps.size(); ++i) {
            engine::CompiledKernel kernel;
            read(kernel);
            kernels.push_back(std::make_shared<const engine::CompiledKernel>(std::move(kernel)));
        }
    }
}

Result<std::string_view> body_of(std::string_view bytes) {
    engine::ByteReader head(bytes);
    if (head.raw(kMagic.size()) != kMagic) return bad("this is no plan file");
    const auto order = head.number<uint32_t>();
    if (order != kByteOrder) return bad("it was written by a machine of another byte order");
    const auto format = head.number<uint32_t>();
    if (format != kPlanFormat)
        return Status(ErrorCode::IncompatiblePlan, "plan file: it has format " + std::to_string(format) +
                                                       ", this library (" + std::string(kVersion) + ") reads format " +
                                                       std::to_string(kPlanFormat));
    const auto size = head.number<uint64_t>();
    const std::string_view checksum = head.raw(16);
    if (!head.is_ok() || size != head.remaining())
        return bad("it has " + std::to_string(bytes.size()) + " bytes, its head promises " +
                   (head.is_ok() ? std::to_string(size) + " after the head" : "more"));
    const std::string_view body = head.raw(size);
    const std::array<char, 16> found = engine::hash_of(body);
    if (checksum != std::string_view(found.data(), found.size())) return bad("its checksum is wrong");
    return body;
}

Result<PlanData> read_body(std::string_view body) {
    PlanData plan;
    engine::PlanReader read(body);
    read(plan.maker, plan.device_library, plan.target, plan.options, plan.graph.data(), plan.program);
    read_binaries(read, plan);
    if (!read.is_whole()) return bad("its parts do not fit together");
    const Status target = plan.target.validate();
    if (!target.is_ok()) return bad("its target is wrong: " + target.message());
    const Status graph = plan.graph.validate();
    if (!graph.is_ok()) return bad("its graph is wrong: " + graph.message());
    TENON_TRY(engine::check_program(plan.program, plan.graph.data()));
    return plan;
}

}  // namespace

std::string Plan::to_bytes() const {
    const std::string body = write_body(*data_);
    engine::ByteWriter file;
    file.raw(kMagic);
    file.number(kByteOrder);
    file.number(kPlanFormat);
    file.number<uint64_t>(body.size());
    const std::array<char, 16> checksum = engine::hash_of(body);
    file.raw({checksum.data(), checksum.size()});
    file.raw(body);
    return file.bytes();
}

Result<Plan> Plan::from_bytes(std::string_view bytes) {
    TENON_ASSIGN(const std::string_view body, body_of(bytes));
    TENON_ASSIGN(PlanData plan, read_body(body));
    return Plan(std::make_shared<const PlanData>(std::move(plan)));
}

Status Plan::save(const std::string& path) const {
    const std::string problem = engine::replace_file(path, path + ".writing-", to_bytes());
    if (!problem.empty()) return Status(ErrorCode::NotFound, "cannot write " + path + ": " + problem);
    return {};
}

Result<Plan> Plan::load(const std::string& path) {
    std::string bytes, problem;
    if (!engine::read_whole(path, bytes, problem))
        return Status(ErrorCode::NotFound,
                      "cannot read " + path + ": " + (problem.empty() ? "there is no such file" : problem));
    Result<Plan> plan = from_bytes(bytes);
    if (plan.is_ok()) return plan;
    return Status(plan.status().code(), path + ": " + plan.status().message());
}

}  // namespace tenon
