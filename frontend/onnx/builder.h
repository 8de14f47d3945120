#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tenon/graph.h>

#include "frontend/onnx/known.h"

namespace tenon::onnx {

/// A value of the model during import: elements that are known, or a tensor of the graph.
struct Operand {
    DataType type = DataType::F32;
    Dims dims;
    std::optional<Known> known;  ///< Set as long as the elements are known.
    Tensor tensor;               ///< Otherwise: where they will be.

    size_t rank() const { return dims.size(); }
    int64_t count() const { return element_count(dims); }
};
using Operands = std::vector<Operand>;

/// Appends operations to a graph. An operation whose inputs are all known and small is evaluated instead, so an import
/// rule is written once for both. A failure is the operation's own, with found and needed.
class Builder {
  public:
    /// `layout` is that of convolution results; `compute_type` takes the place of F32 (both as in OnnxOptions).
    Builder(Graph& graph, Layout layout, DataType compute_type)
        : graph_(graph), layout_(layout), compute_type_(compute_type) {}

    Result<Operands> apply_all(const Op& op, const Operands& inputs);
    /// The first result.
    Result<Operand> apply(const Op& op, const Operands& inputs);

    Result<Operand> pointwise(PointwiseKind kind, const Operands& inputs);
    Result<Operand> pointwise(PointwiseKind kind, const Operands& inputs, std::array<double, 3> parameters);
    Result<Operand> reshape(const Operand& x, const Dims& dims);
    Result<Operand> transpose(const Operand& x, const Dims& permutation);
    Result<Operand> expand(const Operand& x, const Dims& dims);
    /// By the rules of ONNX: floating to integer truncates.
    Result<Operand> cast(const Operand& x, DataType type);
    Result<Operand> reduce(const Operand& x, ReduceKind kind, const Dims& axes, bool keep_dims = true);

    static Operand of(Known known);
    /// A rank-0 constant.
    Operand number(double value, DataType type);
    /// An input of the graph; cast to the compute type if it is F32.
    Result<Operand> input(const std::string& name, DataType type, const Dims& dims);
    /// As an output of the graph: of the type the model means, row-major.
    Status output(const Operand& operand, const std::string& name);
    /// The tensor of an operand; known elements become a constant of the graph, one per tensor however often asked for.
    Tensor tensor_of(const Operand& operand, bool is_filter = false);
    /// The name of the constant that these elements become.
    void name_constant(const Known& known, const std::string& name) { names_[known.bytes.get()] = name; }

    Graph& graph() { return graph_; }

  private:
    /// How a constant lies in memory: row-major, or with the channels of a filter innermost.
    enum class Place { Plain, Filter };
    Operand operand_of(Tensor tensor) const;
    Tensor constant_of(const Known& known, Place place);
    bool is_reduced() const { return compute_type_ != DataType::F32; }
    /// Operands that must have one type, F32 ones rounded to the compute type.
    Result<Operands> in_compute_type(const Operands& inputs);
    As wishes(const Op& op, const Operands& inputs) const;

    Graph& graph_;
    Layout layout_;
    DataType compute_type_;
    struct Constant {
        std::shared_ptr<const Bytes> bytes;  // kept, so that its address stays its own
        Tensor tensor;
    };
    std::map<std::tuple<const Bytes*, Dims, Place>, Constant> constants_;
    /// F32 elements in the compute type, and the bytes they came from.
    std::map<const Bytes*, std::pair<Known, std::shared_ptr<const Bytes>>> rounded_;
    std::map<const Bytes*, std::string> names_;
};

}  // namespace tenon::onnx
