#pragma once

#include "engine/emulator/block.h"

namespace tenon::engine {

/// The product of mma.sync over the fragments of all lanes (a, b, c of the records); the results replace c. Floats:
/// each sum starts from c and takes its products in the order of k, every step rounded to float; a NaN is 0x7fffffff.
/// tf32 operands count without their low 13 bits. Integers wrap.
void multiply_fragments(EmulatedProduct product, LaneRecords& records);

/// The float of a half, a bfloat16 or a tf32 as a tensor core takes it.
float half_operand(uint32_t bits);
float bfloat16_operand(uint32_t bits);
float tf32_operand(uint32_t bits);

/// NaN as tensor cores write it, everything else unchanged.
float with_canonical_nan(float value);

}  // namespace tenon::engine
