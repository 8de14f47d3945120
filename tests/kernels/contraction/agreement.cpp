#include "tests/kernels/contraction/agreement.h"

#include <cmath>

#include "codegen/kernels/contraction/source.h"
#include "codegen/planner/buffers.h"
#include "codegen/planner/grow.h"
#include "engine/plan_data.h"
#include "frontend/status_macros.h"
#include "tests/support/run.h"
#include "tests/support/run_graph.h"
#include "tests/support/tolerance.h"

namespace tenon::testing {
namespace {

/// Sums of integers are i32; they leave as f32, so that bias and relu are the same for all types.
As result_type(DataType type) { return {.type = is_integer(type) ? std::optional(DataType::F32) : std::nullopt}; }

void finish(Graph& graph, Tensor sums) {
    Dims dims(graph.spec(sums).dims.size(), 1);
    dims[1] = graph.spec(sums).dims[1];
    const Tensor bias = graph.input({"bias", dims, DataType::F32});
    graph.output(graph.relu(graph.add(sums, bias), {.name = "y"}));
}

Tensor turned_operand(Graph& graph, Tensor operand, bool turn) {
    if (!turn) return operand;
    Dims axes;
    for (size_t i = 0; i < graph.spec(operand).dims.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return graph.apply(Transpose{axes}, {operand}).front();
}

NamedTensors filled_inputs(const Graph& graph) {
    NamedTensors inputs;
    uint64_t seed = 7;
    for (const Tensor input : graph.inputs()) {
        const TensorSpec spec = graph.spec(input);
        HostTensor tensor(spec);
        if (is_floating(spec.type)) tensor.fill_normal(++seed);
        if (!is_floating(spec.type)) tensor.fill_small_integers(++seed, spec.type == DataType::U8 ? 0 : -9, 9);
        inputs.emplace(spec.name, std::move(tensor));
    }
    return inputs;
}

}  // namespace

void PrintTo(const ContractionCase& test, std::ostream* out) { *out << test.name; }

Graph convolution(DataType type, Layout layout, Layout filter_layout, const Dims& image, const Dims& filter,
                  Conv conv) {
    Graph graph;
    const Tensor x = graph.input({"x", image, type, layout});
    const Tensor w = graph.input({"w", filter, type == DataType::U8 ? DataType::I8 : type, filter_layout});
    finish(graph, graph.conv(x, w, conv, result_type(type)));
    return graph;
}

Graph convolution(DataType type, Layout layout, const Dims& image, const Dims& filter, Conv conv) {
    return convolution(type, layout, layout, image, filter, conv);
}

Graph transposed_convolution(DataType type, Layout layout, const Dims& image, const Dims& filter, ConvTranspose conv) {
    Graph graph;
    const Tensor x = graph.input({"x", image, type, layout});
    const Tensor w = graph.input({"w", filter, type, layout});
    finish(graph, graph.apply(conv, {x, w}).front());
    return graph;
}

Graph matmul(DataType type, Dims left, Dims right, Turned turned) {
    const bool turn_left = turned == Turned::Left || turned == Turned::Both;
    const bool turn_right = turned == Turned::Right || turned == Turned::Both;
    if (turn_left) std::swap(left[left.size() - 1], left[left.size() - 2]);
    if (turn_right) std::swap(right[right.size() - 1], right[right.size() - 2]);
    Graph graph;
    const Tensor a = graph.input({"a", left, type});
    const Tensor b = graph.input({"b", right, type == DataType::U8 ? DataType::I8 : type});
    const Tensor first = turned_operand(graph, a, turn_left);
    const Tensor second = turned_operand(graph, b, turn_right);
    graph.output(graph.relu(graph.matmul(first, second, result_type(type)), {.name = "y"}));
    return graph;
}

codegen::ContractionPlan contraction_plan(const Graph& graph, const Target& target) {
    const std::vector<codegen::Storage> storage = codegen::assign_storage(graph.data());
    const codegen::EmitContext context{graph.data(), target};
    const std::vector<codegen::Region> regions = *codegen::grow_regions(context, storage, {});
    return codegen::plan_contraction(regions.front(), context);
}

Result<Plan> plan_of_family(const Graph& graph, const Target& target) {
    const codegen::EmitContext context{graph.data(), target};
    const std::vector<codegen::Storage> storage = codegen::assign_storage(graph.data());
    const std::vector<codegen::Region> regions = *codegen::grow_regions(context, storage, {});
    const codegen::Verdict taken = codegen::contraction_family().takes(regions.front(), context);
    if (!taken) return Status(ErrorCode::Unsupported, taken.code() + ": " + taken.reason());
    TENON_ASSIGN(codegen::Emission emission, codegen::contraction_family().emit(regions.front(), context));
    codegen::Program program;
    codegen::place_buffers(graph.data(), {emission}, program);
    return Plan(std::make_shared<PlanData>(PlanData{graph, target, std::move(program)}));
}

Plan plan_with_tile(const Graph& graph, const Target& target, const heuristics::ContractionTile& tile) {
    codegen::ContractionPlan contraction = contraction_plan(graph, target);
    contraction.tile = tile;
    codegen::Emission emission;
    const codegen::EmitContext context{graph.data(), target};
    if (tile.parts == 1) {
        emission.steps = {*whole_step(contraction, context)};
    } else {
        emission.steps = {*parts_step(contraction, context), *sum_step(contraction, context)};
        emission.scratch_bytes = {contraction.points() * tile.parts * 4};
    }
    codegen::Program program;
    codegen::place_buffers(graph.data(), {emission}, program);
    return Plan(std::make_shared<PlanData>(PlanData{graph, target, std::move(program)}));
}

::testing::AssertionResult agrees(const ContractionCase& test, const Plan& plan) {
    const NamedTensors inputs = filled_inputs(test.graph);
    const Result<NamedTensors> expected = run_on_reference(test.graph, inputs);
    if (!expected.is_ok()) return ::testing::AssertionFailure() << expected.status().message();
    const Runner emulated = [&](const Graph&, const Bindings& bindings) {
        return test::run_kernels(plan, bindings, 3);
    };
    const Result<NamedTensors> found = run_graph(emulated, test.graph, inputs);
    if (!found.is_ok()) return ::testing::AssertionFailure() << found.status().message();
    const TensorSpec spec = expected->at("y").spec();
    Tolerance tolerance = sum_tolerance(spec.type, test.depth);
    tolerance.ulps = 3.0;  // the sum, with the bias, and the value itself are rounded to the type
    tolerance.absolute += 4.0 * test.precision * std::sqrt(static_cast<double>(test.depth));
    tolerance.normwise = 1e300;
    return is_close(found->at("y"), expected->at("y").values(), tolerance);
}

}  // namespace tenon::testing
