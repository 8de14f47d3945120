#pragma once

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/run_graph.h"
#include "tests/support/tolerance.h"

namespace tenon::testing {

using Values = std::vector<double>;

/// 0, 1, 2, … or from `start`.
inline Values counting(size_t count, double start = 0.0) {
    Values values(count);
    for (size_t i = 0; i < count; ++i) values[i] = start + static_cast<double>(i);
    return values;
}

/// Runs the graph on the reference and compares the outputs named in `expected`.
inline void expect_values(const Graph& graph, const NamedValues& inputs, const NamedValues& expected,
                          const Tolerance& tolerance = kExact) {
    const auto outputs = run_on_reference(graph, inputs);
    ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
    for (const auto& [name, values] : expected) {
        ASSERT_EQ(outputs->count(name), 1u) << "no output '" << name << "'";
        EXPECT_TRUE(is_close(outputs->at(name), values, tolerance));
    }
}

/// The same for one operation on inputs x, x1, …; its results are y, y1, ….
inline void expect_op(const Op& op, const std::vector<TensorSpec>& specs, const std::vector<Values>& inputs,
                      const std::vector<Values>& expected, const Tolerance& tolerance = kExact) {
    Graph graph;
    std::vector<Tensor> tensors;
    NamedValues values, wanted;
    const auto named = [](const char* stem, size_t i) { return stem + (i == 0 ? std::string() : std::to_string(i)); };
    for (size_t i = 0; i < specs.size(); ++i) {
        TensorSpec spec = specs[i];
        spec.name = named("x", i);
        values[spec.name] = inputs.at(i);
        tensors.push_back(graph.input(spec));
    }
    const std::vector<Tensor> results = graph.apply(op, tensors);
    for (size_t i = 0; i < results.size(); ++i) graph.output(results[i], {.name = named("y", i)});
    for (size_t i = 0; i < expected.size(); ++i) wanted[named("y", i)] = expected[i];
    expect_values(graph, values, wanted, tolerance);
}

}  // namespace tenon::testing
