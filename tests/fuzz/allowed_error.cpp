#include "tests/fuzz/allowed_error.h"

#include <algorithm>
#include <cmath>

#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"

namespace tenon::testing {
namespace {

/// Largest magnitude and absolute error of a tensor.
struct Size {
    double magnitude = 0.0;
    double error = 0.0;
};

/// Every computed value as an output called "v<id>".
Graph with_all_values_kept(const Graph& graph) {
    Graph kept = graph;
    GraphData& data = kept.data();
    data.outputs.clear();
    for (size_t id = 0; id < data.values.size(); ++id) {
        if (data.values[id].kind != ValueKind::Computed) continue;
        data.values[id].name = "v" + std::to_string(id);
        data.outputs.push_back(static_cast<ValueId>(id));
    }
    return kept;
}

double magnitude_of(const HostTensor& tensor) {
    double largest = 0.0;
    for (const double value : tensor.values()) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
    return largest;
}

/// The error of a result in exact arithmetic, from the errors of its inputs.
class CarriedError {
  public:
    CarriedError(const GraphData& graph, const std::vector<Size>& sizes, const Node& node)
        : graph_(graph), sizes_(sizes), node_(node) {}

    double operator()(const Pointwise& op) const {
        const Size a = in(0), b = node_.inputs.size() > 1 ? in(1) : Size{};
        switch (op.kind) {
            case PointwiseKind::Add:
            case PointwiseKind::Subtract:
                return a.error + b.error;
            case PointwiseKind::Multiply:
                return product(a, b);
            case PointwiseKind::Square:
                return product(a, a);
            case PointwiseKind::SquaredDifference:
                return 2.0 * (a.magnitude + b.magnitude + a.error + b.error) * (a.error + b.error);
            case PointwiseKind::Divide:  // by at least 0.5
                return 2.0 * a.error + 4.0 * a.magnitude * b.error;
            case PointwiseKind::Exp:
                return std::exp(std::min(a.magnitude, 4.0)) * a.error;
            default:
                return 1.8 * largest_error();  // the steepest activation is selu
        }
    }
    double operator()(const Conv&) const { return summed(); }
    double operator()(const ConvTranspose&) const { return summed(); }
    double operator()(const Matmul&) const { return summed(); }
    double operator()(const Norm& op) const { return normalised(op.epsilon, 1, 2); }
    double operator()(const BatchNorm& op) const {
        const double steep = 4.0 / std::sqrt(op.epsilon);
        // The running variance is a blend of squares, the output a quotient.
        return normalised(op.epsilon, 1, 2) + 8.0 * in(0).magnitude * in(0).error + steep * in(3).error;
    }
    double operator()(const Reduce& op) const {
        const double count = ratio();
        if (op.kind == ReduceKind::Sum || op.kind == ReduceKind::Norm1) return count * in(0).error;
        if (op.kind == ReduceKind::Norm2) return std::sqrt(count) * in(0).error;
        return in(0).error;
    }
    double operator()(const Softmax&) const { return 2.0 * in(0).error; }
    template <typename Movement>
    double operator()(const Movement&) const {
        return largest_error();
    }

    /// What the result's own arithmetic adds, without the final rounding. It is done in double if an input is f64.
    double own(const Op& op) const {
        const bool is_double = std::any_of(node_.inputs.begin(), node_.inputs.end(),
                                           [&](ValueId id) { return graph_.value(id).type == DataType::F64; });
        const DataType inner = is_double ? DataType::F64 : DataType::F32;
        const bool contraction = std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) ||
                                 std::holds_alternative<Matmul>(op);
        if (contraction)
            return sum_tolerance(inner, terms(), std::max(in(0).magnitude * in(1).magnitude, 1e-3)).absolute;
        if (std::holds_alternative<Reduce>(op) || std::holds_alternative<Pool>(op) ||
            std::holds_alternative<AdaptivePool>(op))
            return sum_tolerance(inner, static_cast<int64_t>(ratio()) + 1, in(0).magnitude).absolute;
        if (std::holds_alternative<Norm>(op) || std::holds_alternative<BatchNorm>(op) ||
            std::holds_alternative<Softmax>(op))
            return 64.0 * ulp_of(inner, 1.0) * (1.0 + in(0).magnitude * in(0).magnitude) *
                   (1.0 + (node_.inputs.size() > 1 ? in(1).magnitude : 0.0));
        return 8.0 * ulp_of(inner, std::max(in(0).magnitude, 1e-3)) + pointwise_tolerance(inner).absolute;
    }

  private:
    Size in(size_t i) const { return sizes_[static_cast<size_t>(node_.inputs[i])]; }
    static double product(const Size& a, const Size& b) {
        return a.error * b.magnitude + b.error * a.magnitude + a.error * b.error;
    }
    double largest_error() const {
        double error = 0.0;
        for (size_t i = 0; i < node_.inputs.size(); ++i) error = std::max(error, in(i).error);
        return error;
    }
    /// Products per result.
    int64_t terms() const {
        const Dims& w = graph_.value(node_.inputs[1]).dims;
        if (std::holds_alternative<Matmul>(node_.op)) return w[w.size() - 2];
        return std::max<int64_t>(element_count(w), 1);
    }
    double summed() const { return static_cast<double>(terms()) * product(in(0), in(1)); }
    double ratio() const {
        return static_cast<double>(element_count(graph_.value(node_.inputs[0]).dims)) /
               static_cast<double>(std::max<int64_t>(element_count(graph_.value(node_.outputs[0]).dims), 1));
    }
    double normalised(double epsilon, size_t scale, size_t bias) const {
        const Size s = node_.inputs.size() > scale ? in(scale) : Size{1.0, 0.0};
        const double added = node_.inputs.size() > bias ? in(bias).error : 0.0;
        const double steep = 4.0 / std::sqrt(epsilon) * (1.0 + in(0).magnitude / std::sqrt(epsilon) / 4.0);
        return steep * in(0).error * std::max(s.magnitude, 1.0) + 16.0 * s.error + added;
    }

    const GraphData& graph_;
    const std::vector<Size>& sizes_;
    const Node& node_;
};

}  // namespace

Result<std::map<std::string, Tolerance>> allowed_errors(const RandomGraph& random) {
    std::map<std::string, Tolerance> allowed;
    const GraphData& graph = random.graph.data();
    for (const ValueId id : graph.outputs) allowed[graph.value(id).name] = kExact;
    if (random.numbers != NumberKind::Real) return allowed;

    TENON_ASSIGN(const NamedTensors values, run_on_reference(with_all_values_kept(random.graph), random.inputs));
    std::vector<Size> sizes(graph.values.size());
    for (size_t id = 0; id < sizes.size(); ++id) {
        const Value& value = graph.values[id];
        if (value.kind == ValueKind::Computed) {
            const auto found = values.find("v" + std::to_string(id));
            if (found != values.end()) sizes[id].magnitude = magnitude_of(found->second);
        } else if (value.kind == ValueKind::Constant) {
            sizes[id] = {4.0,
                         is_floating(value.type) ? ulp_of(value.type, 4.0) : 0.0};  // may be folded and rounded again
        } else {
            sizes[id].magnitude = magnitude_of(random.inputs.at(value.name));
        }
    }
    for (const Node& node : graph.nodes) {
        const CarriedError carried(graph, sizes, node);
        for (const ValueId id : node.outputs) {
            const Value& value = graph.value(id);
            Size& size = sizes[static_cast<size_t>(id)];
            size.error = std::visit(carried, node.op) + carried.own(node.op) +
                         pointwise_tolerance(value.type).absolute + ulp_of(value.type, size.magnitude);
        }
    }
    for (const ValueId id : graph.outputs) {
        const bool whole = !is_floating(graph.value(id).type);
        allowed[graph.value(id).name] =
            whole ? kExact : Tolerance{.ulps = 1.0, .absolute = sizes[static_cast<size_t>(id)].error};
    }
    return allowed;
}

}  // namespace tenon::testing
