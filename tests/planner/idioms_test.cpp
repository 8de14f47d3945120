// Functions that are written out by hand or by an exporter are found, with their operands in any order.

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "frontend/graph/graph_data.h"
#include "tests/planner/planned.h"
#include "tests/support/run.h"

namespace tenon::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct Idiom {
    std::string name;   ///< Of the test.
    std::string found;  ///< What the plan must say it is.
    std::function<Tensor(Graph&, Tensor x)> write;
};

void PrintTo(const Idiom& idiom, std::ostream* out) { *out << idiom.name; }

Tensor apply(Graph& g, PointwiseKind kind, Tensor x) { return g.pointwise(kind, {x}); }
Tensor mean(Graph& g, Tensor x) { return g.reduce(x, {ReduceKind::Mean, {-1}}); }
Tensor number(Graph& g, double value) { return g.scalar(value); }

Tensor tanh_argument(Graph& g, Tensor x) {
    const Tensor cube = g.multiply(x, g.multiply(x, x));
    return g.multiply(g.add(x, g.multiply(number(g, 0.044715), cube)), number(g, std::sqrt(2.0 / M_PI)));
}

Tensor deviation(Graph& g, Tensor centred) { return g.add(mean(g, g.multiply(centred, centred)), number(g, 0.25)); }

Tensor rms(Graph& g, Tensor x) { return g.multiply(apply(g, PointwiseKind::Rsqrt, deviation(g, x)), x); }

std::vector<Idiom> activations() {
    return {
        {"silu", "swish", [](Graph& g, Tensor x) { return g.multiply(x, g.sigmoid(x)); }},
        {"silu_swapped", "swish", [](Graph& g, Tensor x) { return g.multiply(g.sigmoid(x), x); }},
        {"swish_beta", "swish",
         [](Graph& g, Tensor x) { return g.multiply(x, g.sigmoid(g.multiply(number(g, 1.702), x))); }},
        {"hard_swish", "hard_swish",
         [](Graph& g, Tensor x) {
             return g.divide(g.multiply(x, g.clip(g.add(x, number(g, 3)), 0, 6)), number(g, 6));
         }},
        {"hard_swish_gate_first", "hard_swish",
         [](Graph& g, Tensor x) {
             const Tensor gate = g.pointwise(PointwiseKind::Minimum, {g.relu(g.add(number(g, 3), x)), number(g, 6)});
             return g.multiply(g.multiply(gate, number(g, 1.0 / 6)), x);
         }},
        {"hard_swish_of_hard_sigmoid", "hard_swish",
         [](Graph& g, Tensor x) { return g.multiply(apply(g, PointwiseKind::HardSigmoid, x), x); }},
        {"gelu", "gelu",
         [](Graph& g, Tensor x) {
             const Tensor erf = apply(g, PointwiseKind::Erf, g.divide(x, number(g, std::sqrt(2.0))));
             return g.multiply(g.multiply(x, g.add(erf, number(g, 1))), number(g, 0.5));
         }},
        {"gelu_other_order", "gelu",
         [](Graph& g, Tensor x) {
             const Tensor erf = apply(g, PointwiseKind::Erf, g.multiply(number(g, std::sqrt(0.5)), x));
             return g.multiply(g.multiply(number(g, 0.5), g.add(number(g, 1), erf)), x);
         }},
        {"gelu_tanh", "gelu_tanh",
         [](Graph& g, Tensor x) {
             return g.multiply(g.multiply(number(g, 0.5), x), g.add(number(g, 1), g.tanh(tanh_argument(g, x))));
         }},
        {"gelu_tanh_taken_out", "gelu_tanh",
         [](Graph& g, Tensor x) {
             const Tensor power = g.pointwise(PointwiseKind::Power, {x, number(g, 2)});
             const Tensor sum = g.add(g.multiply(power, number(g, 0.044715)), number(g, 1));
             const Tensor inner = g.multiply(g.multiply(number(g, std::sqrt(2.0 / M_PI)), x), sum);
             return g.multiply(x, g.multiply(g.add(g.tanh(inner), number(g, 1)), number(g, 0.5)));
         }},
    };
}

std::vector<Idiom> rows() {
    return {
        {"rms_norm", "rms_norm",
         [](Graph& g, Tensor x) {
             return g.multiply(g.input({"scale", {8}}), rms(g, x));
         }},
        {"rms_norm_divided", "rms_norm",
         [](Graph& g, Tensor x) {
             const Tensor square = g.pointwise(PointwiseKind::Power, {x, number(g, 2)});
             return g.divide(x, apply(g, PointwiseKind::Sqrt, g.add(number(g, 0.25), mean(g, square))));
         }},
        {"layer_norm", "layer_norm",
         [](Graph& g, Tensor x) {
             const Tensor centred = g.subtract(x, mean(g, x));
             const Tensor y = g.divide(centred, apply(g, PointwiseKind::Sqrt, deviation(g, centred)));
             return g.add(g.multiply(y, g.input({"scale", {8}})), g.input({"bias", {8}}));
         }},
        {"softmax", "softmax",
         [](Graph& g, Tensor x) {
             const Tensor power = apply(g, PointwiseKind::Exp, g.subtract(x, g.reduce(x, {ReduceKind::Max, {1}})));
             return g.divide(power, g.reduce(power, {ReduceKind::Sum, {1}}));
         }},
        {"softmax_without_maximum", "softmax",
         [](Graph& g, Tensor x) {
             const Tensor power = apply(g, PointwiseKind::Exp, x);
             return g.divide(power, g.reduce(power, {ReduceKind::Sum, {-1}}));
         }},
        {"log_softmax", "log_softmax",
         [](Graph& g, Tensor x) {
             const Tensor shifted = g.subtract(x, g.reduce(x, {ReduceKind::Max, {-1}}));
             const Tensor sum = g.reduce(apply(g, PointwiseKind::Exp, shifted), {ReduceKind::Sum, {-1}});
             return g.subtract(shifted, apply(g, PointwiseKind::Log, sum));
         }},
        {"log_of_softmax", "log_softmax",
         [](Graph& g, Tensor x) { return apply(g, PointwiseKind::Log, g.softmax(x, {-1})); }},
    };
}

class Idioms : public ::testing::TestWithParam<Idiom> {
  protected:
    static Graph graph(DataType type = DataType::F32, bool relaxed = false) {
        Graph g;
        g.set_numerics({.relaxed = relaxed});
        g.output(GetParam().write(g, g.input({"x", {3, 4, 8}, type})), {.name = "y"});
        return g;
    }
    static std::string found() { return ": " + GetParam().found + " at "; }
};

TEST_P(Idioms, AreFoundAndAgree) {
    const Graph g = graph();
    ASSERT_EQ(planned(g).failure, "");
    EXPECT_THAT(planned(g).rewrites, Contains(HasSubstr(found())));
    EXPECT_EQ(test::disagreement(g, test::random_inputs(g, 6), 8.0), "");
}

TEST_P(Idioms, AreLeftWhereAValueBetweenRoundsUnlessRelaxed) {
    EXPECT_THAT(planned(graph(DataType::F16)).rewrites, Not(Contains(HasSubstr(found()))));
    EXPECT_THAT(planned(graph(DataType::F16)).rewrites, Contains(HasSubstr("and the graph is not relaxed")));
    EXPECT_THAT(planned(graph(DataType::F16, true)).rewrites, Contains(HasSubstr(found())));
}

TEST_P(Idioms, AreLeftWhereAValueBetweenIsWanted) {
    Graph g = graph();
    GraphData& data = g.data();
    const ValueId before_last = [&] {
        for (size_t n = data.nodes.size(); n-- > 1;) {
            const ValueId result = data.nodes[n - 1].outputs[0];
            if (data.value(result).dims == data.value(data.outputs[0]).dims) return result;
        }
        return kNone;
    }();
    g.keep({before_last});
    const Planned plan = planned(g);
    ASSERT_EQ(plan.failure, "");
    EXPECT_THAT(plan.rewrites, Not(Contains(HasSubstr(found() + data.nodes.back().name))));
    EXPECT_EQ(test::disagreement(g, test::random_inputs(g, 6), 8.0), "");
}

std::string name_of_idiom(const ::testing::TestParamInfo<Idiom>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Activations, Idioms, ::testing::ValuesIn(activations()), name_of_idiom);
INSTANTIATE_TEST_SUITE_P(Rows, Idioms, ::testing::ValuesIn(rows()), name_of_idiom);

TEST(Idioms, AreNotFoundWithOtherNumbers) {
    Graph g;
    const Tensor x = g.input({"x", {4, 8}});
    g.output(g.divide(g.multiply(x, g.clip(g.add(x, number(g, 3)), 0, 6)), number(g, 5)), {.name = "a"});
    g.output(g.multiply(g.multiply(x, g.add(apply(g, PointwiseKind::Erf, x), number(g, 1))), number(g, 0.5)),
             {.name = "b"});
    g.output(g.multiply(x, g.sigmoid(g.input({"other", {4, 8}}))), {.name = "c"});
    EXPECT_THAT(planned(g).rewrites, Not(Contains(HasSubstr(" at "))));
}

}  // namespace
}  // namespace tenon::testing
