#include <tenon/graph.h>

#include "frontend/graph/graph_data.h"

namespace tenon {

std::string Graph::to_text() const {
    std::string text;
    const auto line = [&](const Value& value) {
        return std::string(to_string(value.type)) + " " + tenon::to_text(value.dims);
    };
    for (const Value& value : data_->values) {
        if (value.kind == ValueKind::Computed) continue;
        const char* kind = value.kind == ValueKind::Constant ? "constant "
                           : value.kind == ValueKind::Input  ? "input "
                                                             : "host scalar ";
        text += kind + value.name + ": " + line(value) + "\n";
    }
    for (const Node& node : data_->nodes) {
        std::string results, inputs;
        for (const ValueId id : node.outputs)
            results += (results.empty() ? "" : ", ") + data_->value(id).name + ": " + line(data_->value(id));
        for (const ValueId id : node.inputs) inputs += (inputs.empty() ? "" : ", ") + data_->value(id).name;
        text += results + " = " + std::string(name_of(node.op)) + "(" + inputs + ")\n";
    }
    for (const ValueId id : data_->outputs) text += "output " + data_->value(id).name + "\n";
    return text;
}

}  // namespace tenon
