#include "frontend/onnx/rules/rules.h"

namespace tenon::onnx {

std::vector<std::span<const RuleRow>> all_rules() {
    return {pointwise_rules(), activation_rules(), contraction_rules(), norm_rules(),     window_rules(),
            reduction_rules(), resize_rules(),     shape_rules(),       constant_rules(), quantization_rules()};
}

const RuleRow* find_rule(std::string_view op_type) {
    for (const std::span<const RuleRow> rows : all_rules()) {
        for (const RuleRow& row : rows) {
            if (row.op_type == op_type) return &row;
        }
    }
    return nullptr;
}

}  // namespace tenon::onnx
