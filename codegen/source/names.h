#pragma once

#include <string>
#include <string_view>

#include "codegen/region/region.h"

namespace tenon::codegen {

/// Element type in kernel source: half, bfloat16, float, double, int8, uint8, int32, int64, bool.
std::string_view device_type(DataType type);

/// Gives every operand its role: `input_roles` to plain anchor inputs (x, w, …), bias / scale / residual / gate to what
/// the epilogue loads, by use and shape; y, y_2 … to stores. Scratch memory keeps the role it has. Roles are unique and depend on structure alone.
void assign_roles(Region& region, const std::vector<std::string>& input_roles);

/// "kResidual2" for role "residual_2".
std::string constant_name(std::string_view role);

/// `stem` and eight hexadecimal digits of a hash of `text`, which holds `kKernelNameMark` where the name goes; puts the
/// name there.
std::string name_kernel(std::string_view stem, std::string& text);
inline constexpr std::string_view kKernelNameMark = "@kernel@";

/// The anchor's name and the functions behind it: "conv_add_relu". At most `limit` functions.
std::string stem_of(std::string_view anchor, const Region& region, size_t limit = 5);

}  // namespace tenon::codegen
