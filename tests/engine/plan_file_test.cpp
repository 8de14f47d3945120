#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tenon/tenon.h>

#include "engine/kernel_compiler.h"
#include "engine/prepare.h"
#include "tests/engine/fake_driver.h"
#include "tests/engine/fake_nvrtc.h"
#include "tests/support/sample_graph.h"
#include "tests/support/temporary_folder.h"

namespace tenon::engine::test {
namespace {

using tenon::test::sample_graph;
using tenon::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

Plan sample_plan(const char* target = "h200", const PlanOptions& options = {}) {
    return *Plan::build(sample_graph(), *Target::named(target), options);
}

Compiler fake_compiler_of(const Settings& settings = {}) {
    return Compiler(std::make_shared<KernelCompiler>(settings, fake_nvrtc()));
}

TEST(PlanFile, HoldsEverythingAPlanIs) {
    const Plan plan = *sample_plan("a100", {.fuse = false, .workspace_limit_bytes = 1 << 30})
                           .compiled_for({"sm_80", "sm_90a"}, fake_compiler_of());
    const std::string bytes = plan.to_bytes();
    const Result<Plan> loaded = Plan::from_bytes(bytes);
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    EXPECT_EQ(loaded->to_bytes(), bytes);
    EXPECT_EQ(loaded->source(), plan.source());
    EXPECT_EQ(loaded->explain(), plan.explain());
    EXPECT_EQ(loaded->graph().to_text(), plan.graph().to_text());
    EXPECT_EQ(loaded->target().name, "a100");
    EXPECT_EQ(loaded->target().memory_bytes_per_second, plan.target().memory_bytes_per_second);
    EXPECT_FALSE(loaded->options().fuse);
    EXPECT_EQ(loaded->options().workspace_limit_bytes, 1 << 30);
    EXPECT_THAT(loaded->architectures(), ElementsAre("sm_80", "sm_90a"));
    EXPECT_EQ(loaded->workspace_bytes(), plan.workspace_bytes());
    // Planned again from what the file holds, it is the same plan.
    EXPECT_EQ(Plan::build(loaded->graph(), loaded->target(), loaded->options())->source(), plan.source());
}

TEST(PlanFile, AConstantThatManyShareIsWrittenOnce) {
    Graph g;
    const std::vector<float> values(1 << 16, 1.0f);
    const Tensor c = g.constant({"c", {1 << 16}}, values.data(), values.size() * 4);
    g.output(g.add(g.input({"x", {1 << 16}}), c, {.name = "y"}));
    const std::string bytes = Plan::build(g, *Target::named("h200"))->to_bytes();
    EXPECT_GT(bytes.size(), values.size() * 4);
    EXPECT_LT(bytes.size(), values.size() * 4 + 20000);
}

TEST(PlanFile, IsWrittenToDiskAndReadBack) {
    const TemporaryFolder folder;
    const Plan plan = sample_plan();
    const Status saved = plan.save(folder / "a.tenon");
    ASSERT_TRUE(saved.is_ok()) << saved.message();
    EXPECT_EQ(folder.files().size(), 1u);
    const Result<Plan> loaded = Plan::load(folder / "a.tenon");
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    EXPECT_EQ(loaded->to_bytes(), plan.to_bytes());
    EXPECT_EQ(plan.save(folder / "no/such/folder").code(), ErrorCode::NotFound);
    EXPECT_EQ(Plan::load(folder / "absent").status().code(), ErrorCode::NotFound);
    tenon::test::write_file(folder / "text", "not a plan");
    const Status foreign = Plan::load(folder / "text").status();
    EXPECT_EQ(foreign.code(), ErrorCode::BadFile);
    EXPECT_THAT(foreign.message(), HasSubstr("text: plan file: this is no plan file"));
}

TEST(PlanFile, RunsWithItsBinariesAndTheDriverAlone) {
    const std::string bytes = sample_plan().compiled_for({"sm_90a"}, fake_compiler_of())->to_bytes();
    const Result<Plan> plan = Plan::from_bytes(bytes);
    ASSERT_TRUE(plan.is_ok()) << plan.status().message();
    Settings settings;
    settings.strict = true;
    settings.nvrtc = "/no/such/libnvrtc.so";
    KernelCompiler compiler(settings);
    const Driver driver = fake_driver();
    const auto loaded = prepare(driver, std::make_shared<PlanData>(plan->data()), compiler, nullptr);
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().message();
    ASSERT_EQ(fake_state().images.size(), static_cast<size_t>(plan->kernel_count()));
    EXPECT_EQ(fake_state().images[0].substr(0, 13), "cubin sm_90a\n");
}

TEST(PlanFile, case_58_AForeignHeadIsRefusedByWhatIsWrongWithIt) {
    const std::string bytes = sample_plan().to_bytes();
    const auto refusal = [](std::string edited, size_t at, const std::string& with) {
        edited.replace(at, with.size(), with);
        return Plan::from_bytes(edited).status();
    };
    EXPECT_THAT(refusal(bytes, 0, "X").message(), HasSubstr("no plan file"));
    EXPECT_THAT(refusal(bytes, 8, std::string("\x01\x02\x03\x04", 4)).message(), HasSubstr("byte order"));
    for (const char format : {'\0', '\2'}) {
        const Status status = refusal(bytes, 12, std::string(1, format));
        EXPECT_EQ(status.code(), ErrorCode::IncompatiblePlan);
        EXPECT_THAT(status.message(), HasSubstr("reads format 1"));
    }
    EXPECT_THAT(refusal(bytes, bytes.size() / 2, "\xff\xfe").message(), HasSubstr("checksum"));
    EXPECT_THAT(Plan::from_bytes(bytes + "x").status().message(), HasSubstr("promises"));
}

TEST(PlanFile, case_58_SaysWhatItTakesToRunOnADevice) {
    const Plan plan = sample_plan();
    const Target h200 = *Target::named("h200");
    const auto fit = [](const Plan& plan, const Target& device) { return plan.compatibility(device).fit; };
    EXPECT_EQ(fit(plan, h200), Fit::Recompile);
    EXPECT_EQ(fit(plan, *Target::named("a100")), Fit::Replan);
    EXPECT_EQ(fit(plan, *Target::named("b200")), Fit::Replan);
    const Plan compiled = *plan.compiled_for({"sm_90a"}, fake_compiler_of());
    EXPECT_EQ(fit(compiled, h200), Fit::Optimal);
    EXPECT_EQ(fit(compiled, *Target::named("h100")), Fit::Retune);
    EXPECT_EQ(fit(compiled, *Target::named("l4")), Fit::Replan);

    const Plan a100 = sample_plan("a100");
    Target newer = *Target::named("a100");
    newer.compute_capability = 86;
    EXPECT_EQ(fit(a100, newer), Fit::Recompile);
    EXPECT_EQ(fit(*a100.compiled_for({"sm_80"}, fake_compiler_of()), newer), Fit::Retune);
    newer.compute_capability = 75;
    EXPECT_EQ(fit(a100, newer), Fit::Replan);

    const Compatibility other = compiled.compatibility(*Target::named("a100"));
    EXPECT_THAT(other.reason, HasSubstr("planned for h200 (compute capability 90, 132 multiprocessors)"));
    EXPECT_THAT(other.reason, HasSubstr("the device is a100 (compute capability 80"));
    EXPECT_EQ(Plan::compatibility_of(compiled.to_bytes(), h200).fit, Fit::Optimal);
    EXPECT_EQ(Plan::compatibility_of("junk", h200).fit, Fit::Refused);
}

TEST(PlanFile, KernelsThatNeedMoreSharedMemoryThanThereIsAskForANewPlan) {
    PlanData data = sample_plan().data();
    data.program.steps[0].kernel.launch.shared_bytes = 100000;
    Target device = data.target;
    device.shared_bytes_per_block = 99999;
    const Compatibility found = Plan(std::make_shared<PlanData>(data)).compatibility(device);
    EXPECT_EQ(found.fit, Fit::Replan);
    EXPECT_THAT(found.reason, HasSubstr("needs 100000 bytes of shared memory, a block has 99999"));
}

TEST(PlanFile, SourcesOfAnotherDeviceLibraryAskForANewPlan) {
    PlanData data = sample_plan().data();
    data.device_library = "another";
    EXPECT_EQ(Plan(std::make_shared<PlanData>(data)).compatibility(data.target).fit, Fit::Replan);
}

/// A plan file with one thing changed in what it says, sealed as if it had been made so.
template <typename Edit>
Status refused(const Edit& edit) {
    PlanData data = sample_plan().data();
    edit(data.program);
    return Plan::from_bytes(Plan(std::make_shared<PlanData>(data)).to_bytes()).status();
}

TEST(PlanFile, case_56_WhatWouldTouchForeignMemoryIsRefused) {
    using codegen::Program;
    const std::pair<const char*, void (*)(Program&)> edits[] = {
        {"buffer", [](Program& p) { p.steps[0].kernel.arguments[0].buffer = 1000; }},
        {"negative buffer", [](Program& p) { p.steps[0].kernel.arguments[0].buffer = -1; }},
        {"offset", [](Program& p) { p.steps[0].kernel.arguments[0].byte_offset = int64_t{1} << 40; }},
        {"negative offset", [](Program& p) { p.steps[0].kernel.arguments[0].byte_offset = -4; }},
        {"span", [](Program& p) { p.steps[0].kernel.arguments[0].span_bytes = INT64_MAX; }},
        {"alignment", [](Program& p) { p.steps[0].kernel.arguments[0].alignment = 0; }},
        {"odd alignment", [](Program& p) { p.steps[0].kernel.arguments[0].alignment = 3; }},
        {"written input", [](Program& p) { p.steps[0].kernel.arguments[0].written = true; }},
        {"threads",
         [](Program& p) {
             p.steps[0].kernel.launch.block = {1024, 2, 1};
         }},
        {"no threads",
         [](Program& p) {
             p.steps[0].kernel.launch.block = {0, 1, 1};
         }},
        {"cluster",
         [](Program& p) {
             p.steps[0].kernel.launch.cluster = {8, 4, 1};
         }},
        {"grid",
         [](Program& p) {
             p.steps[0].kernel.launch.grid = {1, 70000, 1};
         }},
        {"name", [](Program& p) { p.steps[0].kernel.name = "../../etc"; }},
        {"no name", [](Program& p) { p.steps[0].kernel.name = ""; }},
        {"workspace", [](Program& p) { p.workspace_bytes = -1; }},
        {"constants", [](Program& p) { p.constant_bytes = 0; }},
        {"value", [](Program& p) { p.buffers[0].value = 99999; }},
        {"bytes", [](Program& p) { p.buffers[0].bytes = int64_t{1} << 30; }},
        {"negative bytes", [](Program& p) { p.buffers[0].bytes = -1; }},
    };
    EXPECT_TRUE(refused([](Program&) {}).is_ok());
    for (const auto& [name, edit] : edits) EXPECT_EQ(refused(edit).code(), ErrorCode::BadFile) << name;
}

TEST(PlanSources, AnEditedKernelRunsInPlaceOfTheOriginal) {
    Graph g;
    const Tensor x = g.input({"x", {4}});
    const Tensor y = g.multiply(x, g.scalar(2), {.name = "y"});
    g.output(y);
    const Plan plan = *Plan::build(g, *Target::named("h200"));
    const TemporaryFolder folder;
    ASSERT_TRUE(plan.write_sources(folder / "kernels").is_ok());
    ASSERT_EQ(folder.files().size(), 1u);
    const std::string unchanged = plan.with_sources_from(folder / "kernels")->to_bytes();
    EXPECT_EQ(unchanged, plan.to_bytes());

    std::string text = plan.source();
    const size_t at = text.find(" * 2.0f");
    ASSERT_NE(at, std::string::npos) << text;
    tenon::test::write_file(folder.files()[0], text.replace(at, 2, " +"));
    const Result<Plan> edited = plan.with_sources_from(folder / "kernels");
    ASSERT_TRUE(edited.is_ok()) << edited.status().message();
    float in[4] = {1, 2, 3, 4}, out[4] = {};
    const Status ran = edited->run_on_cpu(CpuDevice::Emulator, {{x, in}, {y, out}});
    ASSERT_TRUE(ran.is_ok()) << ran.message();
    EXPECT_THAT(out, ElementsAre(3, 4, 5, 6));
    const Status unknown = plan.with_source("no_such", "").status();
    EXPECT_EQ(unknown.code(), ErrorCode::NotFound);
    EXPECT_THAT(unknown.message(), HasSubstr(plan.data().program.steps[0].kernel.name));
}

TEST(PlanSources, BinariesOfTheOriginalAreDropped) {
    const Plan plan = *sample_plan().compiled_for({"sm_90a"}, fake_compiler_of());
    const codegen::KernelSource& kernel = plan.data().program.steps[0].kernel;
    EXPECT_TRUE(plan.with_source(kernel.name, kernel.text + "\n")->architectures().empty());
}

}  // namespace
}  // namespace tenon::engine::test
