#include <algorithm>
#include <set>

#include <tenon/onnx.h>

#include "frontend/onnx/rules/rules.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace onnx {
namespace {

constexpr int64_t kNewestOpset = 24;

Status fail(ErrorCode code, std::string text) { return Status(code, "onnx: " + std::move(text)); }

/// "node 'conv1' (Conv)"; a node without a name goes by what it writes.
std::string label(const NodeProto& node) {
    const std::string written = node.outputs.empty() ? "nothing" : "'" + node.outputs.front() + "'";
    return (node.name.empty() ? "node that writes " + written : "node '" + node.name + "'") + " (" + node.op_type + ")";
}

class Import {
  public:
    Import(Model model, const OnnxOptions& options)
        : model_(std::move(model)), options_(options), builder_(graph_, options.layout, options.compute_type) {}

    Result<Graph> run() {
        if (model_.opset > kNewestOpset)
            return fail(ErrorCode::Unsupported, "the model uses operator set " + std::to_string(model_.opset) +
                                                    "; the newest known is " + std::to_string(kNewestOpset));
        if (options_.compute_type != DataType::F32 && options_.compute_type != DataType::F16 &&
            options_.compute_type != DataType::BF16)
            return fail(
                ErrorCode::InvalidArgument,
                "the compute type is " + std::string(to_string(options_.compute_type)) + ", needs f32, f16 or bf16");
        TENON_TRY(add_initializers());
        TENON_TRY(add_inputs());
        TENON_TRY(check_options());
        for (const NodeProto& node : model_.nodes) TENON_TRY(add_node(node));
        for (const ValueInfo& output : model_.outputs) TENON_TRY(add_output(output));
        return std::move(graph_);
    }

  private:
    Status define(const std::string& name, Operand operand) {
        if (values_.try_emplace(name, std::move(operand)).second) return {};
        return fail(ErrorCode::BadFile, "'" + name + "' is defined twice");
    }

    Status add_initializers() {
        for (NamedKnown& initializer : model_.initializers) {
            builder_.name_constant(initializer.value, initializer.name);
            TENON_TRY(define(initializer.name, Builder::of(std::move(initializer.value))));
        }
        return {};
    }

    Result<Dims> extents_of(const ValueInfo& input) const {
        const auto given = options_.dims.find(input.name);
        if (given != options_.dims.end()) return given->second;
        if (!input.has_shape)
            return fail(ErrorCode::InvalidArgument, "input '" + input.name + "' has no shape; give its extents");
        Dims dims;
        for (const Extent& extent : input.extents) {
            const auto chosen = options_.extents.find(extent.symbol);
            const bool is_open = extent.value < 0 || !extent.symbol.empty();
            if (is_open && chosen == options_.extents.end()) {
                const std::string open = extent.symbol.empty() ? "without a name" : "'" + extent.symbol + "'";
                return fail(ErrorCode::InvalidArgument, "axis " + std::to_string(dims.size()) + " of input '" +
                                                            input.name + "' has the open extent " + open +
                                                            "; give it a number");
            }
            dims.push_back(is_open ? chosen->second : extent.value);
        }
        return dims;
    }

    Status add_inputs() {
        for (const ValueInfo& input : model_.inputs) {
            if (values_.count(input.name) > 0) continue;  // old models list their initializers as inputs too
            names_.insert(input.name);
            const Result<DataType> type = data_type(input.element_type);
            if (!type.is_ok())
                return Status(type.status().code(), type.status().message() + " (input '" + input.name + "')");
            const auto known = options_.constants.find(input.name);
            if (known != options_.constants.end()) {
                TENON_TRY(add_constant(input.name, *type, known->second));
                continue;
            }
            TENON_ASSIGN(const Dims dims, extents_of(input));
            Result<Operand> operand = builder_.input(input.name, *type, dims);
            if (!operand.is_ok()) return fail(operand.status().code(), operand.status().message());
            TENON_TRY(define(input.name, std::move(*operand)));
        }
        return {};
    }

    Status add_constant(const std::string& name, DataType type, const OnnxConstant& constant) {
        int64_t needed = bytes_of(type);
        for (const int64_t extent : constant.dims) {
            if (extent < 0 || __builtin_mul_overflow(needed, extent, &needed))
                return fail(ErrorCode::InvalidArgument, "constant '" + name + "' has impossible extents");
        }
        if (constant.dims.size() > kMaxRank || static_cast<int64_t>(constant.bytes.size()) != needed) {
            return fail(ErrorCode::InvalidArgument, "constant '" + name + "' has " +
                                                        std::to_string(constant.bytes.size()) + " bytes, needs " +
                                                        std::to_string(needed) + " for " +
                                                        std::string(to_string(type)) + " " + to_text(constant.dims));
        }
        Known elements{type, constant.dims, std::make_shared<Bytes>(constant.bytes)};
        builder_.name_constant(elements, name);
        return define(name, Builder::of(std::move(elements)));
    }

    /// Every name that the caller gave means something.
    Status check_options() const {
        const auto check = [](const auto& given, const std::set<std::string>& known, const char* what) -> Status {
            for (const auto& [name, value] : given) {
                if (known.count(name) == 0)
                    return fail(ErrorCode::InvalidArgument,
                                "the model has no " + std::string(what) + " '" + name + "'");
            }
            return {};
        };
        TENON_TRY(check(options_.dims, names_, "input"));
        TENON_TRY(check(options_.constants, names_, "input"));
        std::set<std::string> symbols;
        for (const ValueInfo& input : model_.inputs) {
            for (const Extent& extent : input.extents) symbols.insert(extent.symbol);
        }
        return check(options_.extents, symbols, "open extent");
    }

    Result<std::vector<const Operand*>> inputs_of(const NodeProto& node, const RuleRow& row) const {
        std::vector<const Operand*> inputs;
        for (const std::string& name : node.inputs) {
            const auto found = values_.find(name);
            if (!name.empty() && found == values_.end())
                return Status(ErrorCode::BadFile, "reads '" + name + "', which nothing before it defines");
            inputs.push_back(name.empty() ? nullptr : &found->second);
        }
        while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
        const bool required = std::all_of(
            inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(std::min(row.least, inputs.size())),
            [](const Operand* input) { return input != nullptr; });
        if (!required || inputs.size() < row.least || inputs.size() > row.most) {
            return NodeImport::invalid("has " + std::to_string(inputs.size()) + " inputs, needs " +
                                       std::to_string(row.least) +
                                       (row.most == row.least ? "" : " to " + std::to_string(row.most)));
        }
        return inputs;
    }

    Result<Operands> import_node(const NodeProto& node) {
        if (!node.domain.empty() && node.domain != "ai.onnx")
            return NodeImport::unsupported("the operator domain '" + node.domain + "' is not supported");
        const RuleRow* row = find_rule(node.op_type);
        if (row == nullptr) return NodeImport::unsupported("the operator is not supported");
        TENON_ASSIGN(std::vector<const Operand*> inputs, inputs_of(node, *row));
        NodeImport context(node, model_.opset, builder_, std::move(inputs));
        Result<Operands> results = row->rule(context);
        if (!results.is_ok()) return context.mistake().is_ok() ? results.status() : context.mistake();
        TENON_TRY(context.check_attributes());
        for (size_t i = results->size(); i < node.outputs.size(); ++i) {
            if (!node.outputs[i].empty())
                return NodeImport::unsupported("output " + std::to_string(i) + " ('" + node.outputs[i] +
                                               "') is not supported");
        }
        return results;
    }

    Status add_node(const NodeProto& node) {
        const size_t before = graph_.data().values.size();
        Result<Operands> results = import_node(node);
        if (!results.is_ok()) return fail(results.status().code(), label(node) + ": " + results.status().message());
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty()) continue;
            const Operand& result = (*results)[i];
            if (!result.known && static_cast<size_t>(result.tensor.id) >= before)
                give_name(result.tensor.id, node.outputs[i]);
            TENON_TRY(define(node.outputs[i], result));
        }
        return {};
    }

    /// A tensor and the node behind it go by the model's own names.
    void give_name(ValueId id, const std::string& name) {
        Value& value = graph_.data().values[static_cast<size_t>(id)];
        value.name = name;
        if (value.producer == kNone) return;
        Node& producer = graph_.data().nodes[static_cast<size_t>(value.producer)];
        if (producer.outputs.front() == id) producer.name = name;
    }

    Status add_output(const ValueInfo& output) {
        const auto found = values_.find(output.name);
        if (found == values_.end())
            return fail(ErrorCode::BadFile, "output '" + output.name + "' is defined by no node");
        const Status mistake = builder_.output(found->second, output.name);
        return mistake.is_ok() ? Status() : fail(mistake.code(), mistake.message());
    }

    Model model_;
    const OnnxOptions& options_;
    Graph graph_;
    Builder builder_;
    std::map<std::string, Operand> values_;
    std::set<std::string> names_;  // of inputs
};

}  // namespace
}  // namespace onnx

Result<Graph> graph_from_onnx(std::string_view bytes, const OnnxOptions& options) {
    TENON_ASSIGN(onnx::Model model, onnx::decode_model(bytes));
    return onnx::Import(std::move(model), options).run();
}

std::vector<std::string> onnx_operators() {
    std::vector<std::string> names;
    for (const std::span<const onnx::RuleRow> rows : onnx::all_rules()) {
        for (const onnx::RuleRow& row : rows) names.emplace_back(row.op_type);
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace tenon
