#include <tenon/json.h>

#include <map>

#include <nlohmann/json.hpp>

#include "frontend/json/constant_json.h"
#include "frontend/json/enum_names.h"
#include "frontend/json/records.h"
#include "frontend/ops/op_rules.h"

namespace tenon {
namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(double value) { return line_of(json_of(value)); }
std::string text_of(const std::string& value) { return line_of(Json(value)); }
std::string text_of(const Place& value) { return line_of(*value.json); }
std::string text_of(const Reference& value) { return value.place < 0 ? text_of(value.name) : text_of(value.place); }

template <typename Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value) {
    return "\"" + std::string(kEnumNames<Enum>[static_cast<size_t>(value)]) + "\"";
}

template <typename List>
std::string list_text(const List& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
    return "[" + text + "]";
}

std::string text_of(const Dims& values) { return list_text(values); }
std::string text_of(const std::vector<double>& values) { return list_text(values); }
std::string text_of(const std::array<double, 3>& values) { return list_text(values); }
std::string text_of(const std::vector<Reference>& values) { return list_text(values); }

/// All fields of a struct on one line.
template <typename Struct>
requires std::is_class_v<Struct> std::string object_text(const Struct& value) {
    std::string text;
    const auto member = [&](const char* name, const auto& field) {
        text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + text_of(field);
    };
    Struct::fields(value, [&](const char* name, const auto& field) {
        if constexpr (requires { field.has_value(); }) {
            if (field.has_value()) member(name, *field);
        } else {
            member(name, field);
        }
    });
    return "{" + text + "}";
}

/// Names every tensor by its name where that is unique in the text, else by its place.
class References {
  public:
    explicit References(const GraphData& graph) : graph_(&graph) {
        for (const Value& value : graph.values) ++count_[text_of(value.name)];
    }
    Reference operator()(ValueId id) const {
        const bool exists = id >= 0 && id < static_cast<ValueId>(graph_->values.size());
        if (exists && !graph_->value(id).name.empty() && count_.at(text_of(graph_->value(id).name)) == 1)
            return {graph_->value(id).name, -1};
        return {{}, id};
    }
    std::vector<Reference> operator()(const std::vector<ValueId>& ids) const {
        std::vector<Reference> references;
        for (const ValueId id : ids) references.push_back((*this)(id));
        return references;
    }

  private:
    const GraphData* graph_;
    std::map<std::string, int> count_;
};

std::string tensor_text(const Value& value) {
    TensorRecord record{value.name, value.kind, value.type, value.dims};
    if (value.strides == packed_strides(value.dims, Layout::NCHW))
        record.layout = Layout::NCHW;
    else if (value.strides == packed_strides(value.dims, Layout::NHWC))
        record.layout = Layout::NHWC;
    else
        record.strides = value.strides;
    Json data;
    if (value.data) {
        data = values_of(value);
        std::optional<Place>& field = data.is_null() ? record.base64 : record.values;
        if (data.is_null()) data = base64_of(*value.data);
        field = Place{&data, {}};
    }
    return object_text(record);
}

std::string node_text(const Node& node, const References& references) {
    NodeRecord record{std::string(op_name(node.op.index())), node.name, references(node.inputs),
                      references(node.outputs)};
    if (node.fusion != Fusion::Allowed) record.fusion = node.fusion;
    std::string text = object_text(record);
    const std::string attributes = std::visit([](const auto& op) { return object_text(op); }, node.op);
    if (attributes != "{}") text.insert(text.size() - 1, ", \"attributes\": " + attributes);
    return text;
}

/// One element to a line.
template <typename List, typename Text>
std::string lines(const List& list, Text text_of_element) {
    std::string text;
    for (const auto& element : list) text += (text.empty() ? "\n    " : ",\n    ") + text_of_element(element);
    return "[" + text + (text.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string to_json(const Graph& graph) {
    const GraphData& data = graph.data();
    const References references(data);
    std::string text = "{\n  \"tenon_graph\": " + text_of(GraphRecord::kVersion) + ",\n";
    if (!data.first_mistake.is_ok()) text += "  \"mistake\": " + text_of(data.first_mistake.message()) + ",\n";
    text += "  \"numerics\": " + object_text(data.numerics) + ",\n";
    text += "  \"tensors\": " + lines(data.values, tensor_text) + ",\n";
    text += "  \"nodes\": " + lines(data.nodes, [&](const Node& node) { return node_text(node, references); }) + ",\n";
    return text + "  \"outputs\": " + text_of(references(data.outputs)) + "\n}\n";
}

}  // namespace tenon
