#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <tenon/tenon.h>

#include "tests/support/sample_graph.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// y = relu(x + b) over 1000 half-precision elements.
Plan small_plan() {
    Graph g;
    const Tensor x = g.input({"x", {1000}, DataType::F16});
    g.output(g.relu(g.add(x, g.input({"b", {1000}, DataType::F16})), {.name = "y\"\xff"}));
    return *Plan::build(g, *Target::named("h200"));
}

CompileReport report() { return {"sm_90a", {{"any", 40, 8, 5000, 2048, 0.061}}}; }

TEST(Explain, SaysThatItDoesNotKnowWhatWasNotCompiled) {
    EXPECT_THAT(small_plan().explain(), HasSubstr("registers unknown: not compiled"));
    EXPECT_THAT(small_plan().explain(), Not(HasSubstr("measured 1")));
}

TEST(Explain, ShowsRegistersRooflineAndTimes) {
    const CompileReport compiled = report();
    const std::string text = small_plan().explain({.compiled = &compiled, .measured_seconds = {4e-6}});
    EXPECT_THAT(text, HasSubstr("registers 40  spills 8 B  static shared 2048 B  binary 5000 B  compiled in 61.00 ms"));
    EXPECT_THAT(text, HasSubstr("bytes 0.01 MB"));
    EXPECT_THAT(text, HasSubstr("roofline memory"));
    EXPECT_THAT(text, HasSubstr("predicted "));
    EXPECT_THAT(text, HasSubstr("measured 4.00 us (0.04 % of the roofline)"));  // 6 kB at 4.25 TB/s take 1.4 ns
}

TEST(Explain, JsonHoldsTheSame) {
    const CompileReport compiled = report();
    const Plan plan = small_plan();
    const auto json = nlohmann::json::parse(plan.explain_json({.compiled = &compiled, .measured_seconds = {4e-6}}));
    EXPECT_EQ(json["target"]["architecture"], "sm_90a");
    ASSERT_EQ(json["kernels"].size(), 1u);
    const auto& kernel = json["kernels"][0];
    EXPECT_EQ(kernel["compiled"]["registers"], 40);
    EXPECT_EQ(kernel["measured_seconds"], 4e-6);
    EXPECT_DOUBLE_EQ(kernel["roofline_memory_seconds"], 6000 / 4.25e12);
    EXPECT_EQ(kernel["arguments"].size(), 3u);
    EXPECT_EQ(kernel["arguments"][0]["tensor"], "x");
    EXPECT_EQ(kernel["launch"]["grid"].size(), 3u);
    EXPECT_TRUE(nlohmann::json::parse(plan.explain_json())["kernels"][0]["compiled"].is_null());
}

TEST(Explain, DotShowsEveryKernelAndWhoFeedsIt) {
    const Plan plan = *Plan::build(test::sample_graph(), *Target::named("h200"));
    const std::string dot = plan.explain_dot();
    EXPECT_EQ(dot.substr(0, 14), "digraph plan {");
    for (int i = 0; i < plan.kernel_count(); ++i)
        EXPECT_THAT(dot, HasSubstr("    r" + std::to_string(i) + " [shape=box"));
    EXPECT_THAT(dot, HasSubstr("label=\"x/\\\"0\\\"\""));
    EXPECT_THAT(dot, HasSubstr("label=\"probabilities\""));
    EXPECT_THAT(dot, HasSubstr("label=\"constant\""));
    EXPECT_THAT(dot, testing::ContainsRegex("r[0-9]+ -> r[0-9]+"));
}

}  // namespace
}  // namespace tenon
