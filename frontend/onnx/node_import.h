#pragma once

#include <set>
#include <string_view>

#include "frontend/onnx/builder.h"
#include "frontend/onnx/model.h"

namespace tenon::onnx {

/// One node of the model while its rule runs: inputs, attributes, the operator-set version, and the builder that takes
/// the operations it becomes.
class NodeImport {
  public:
    NodeImport(const NodeProto& proto, int64_t opset, Builder& builder, std::vector<const Operand*> inputs)
        : build(builder), proto_(proto), opset_(opset), inputs_(std::move(inputs)) {}

    Builder& build;

    int64_t opset() const { return opset_; }
    size_t input_count() const { return inputs_.size(); }
    bool has(size_t input) const { return input < inputs_.size() && inputs_[input] != nullptr; }
    /// An input that is there: the required ones always are.
    const Operand& operator[](size_t input) const { return *inputs_[input]; }
    Operands all_inputs() const;
    size_t output_count() const { return proto_.outputs.size(); }
    bool wants(size_t output) const { return output < proto_.outputs.size() && !proto_.outputs[output].empty(); }

    // Attributes, or `fallback` where the node has none. One of another type fails the node once its rule is done.
    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    int64_t integer(std::string_view name, int64_t fallback);
    double number(std::string_view name, double fallback);
    std::string text(std::string_view name, std::string fallback);
    Dims integers(std::string_view name, Dims fallback = {});
    std::vector<double> numbers(std::string_view name);
    const Known* tensor(std::string_view name);
    /// An attribute that changes nothing here.
    void ignore(std::string_view name) { read_.insert(std::string(name)); }

    /// Elements of an input that must be known at import. InvalidArgument, with the input's name, if they are not.
    Result<Dims> known_integers(size_t input) const;
    Result<std::vector<double>> known_numbers(size_t input) const;

    /// Counted from the front, or a failure.
    Result<size_t> axis(int64_t named, size_t rank) const;

    static Status unsupported(std::string text) { return Status(ErrorCode::Unsupported, std::move(text)); }
    static Status invalid(std::string text) { return Status(ErrorCode::InvalidGraph, std::move(text)); }

    /// The first attribute of the wrong type that the rule asked for.
    const Status& mistake() const { return mistake_; }
    /// A failure if an attribute had the wrong type, or one is there that the rule did not ask for.
    Status check_attributes() const;

  private:
    const Attribute* find(std::string_view name) const;
    const Attribute* find(std::string_view name, Attribute::Type type);
    Result<const Known*> known(size_t input) const;

    const NodeProto& proto_;
    int64_t opset_;
    std::vector<const Operand*> inputs_;  // null: left out
    std::set<std::string> read_;
    Status mistake_;
};

/// The results of a node that has one.
Result<Operands> single(Result<Operand> result);

using Rule = Result<Operands> (*)(NodeImport& node);

/// How one operator is imported. `rule` is called with `least` to `most` inputs, of which the first `least` are there.
struct RuleRow {
    std::string_view op_type;
    size_t least, most;
    Rule rule;
};

inline constexpr size_t kAnyNumber = 4096;

}  // namespace tenon::onnx
