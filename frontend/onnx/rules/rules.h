#pragma once

#include <span>

#include "frontend/onnx/node_import.h"

namespace tenon::onnx {

// The table of operators, one row each, in the files of this folder.
std::span<const RuleRow> pointwise_rules();
std::span<const RuleRow> activation_rules();
std::span<const RuleRow> contraction_rules();
std::span<const RuleRow> norm_rules();
std::span<const RuleRow> window_rules();
std::span<const RuleRow> reduction_rules();
std::span<const RuleRow> resize_rules();
std::span<const RuleRow> shape_rules();
std::span<const RuleRow> constant_rules();
std::span<const RuleRow> quantization_rules();

/// All of them.
std::vector<std::span<const RuleRow>> all_rules();
/// The row of an operator, or null.
const RuleRow* find_rule(std::string_view op_type);

}  // namespace tenon::onnx
