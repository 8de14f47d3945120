#pragma once

#include <string>

#include "codegen/region/region.h"

namespace tenon::codegen {

/// Operand for the n-th scratch memory of a region, packed.
Operand scratch_operand(int number, DataType type, const Dims& dims, const std::string& role);

/// Removes operands that no body loads and nothing stores; the others keep their order.
void drop_unused_operands(Region& region);

}  // namespace tenon::codegen
