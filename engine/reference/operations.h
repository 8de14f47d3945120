#pragma once

#include <tenon/ops.h>

#include "engine/reference/tensor_access.h"

namespace tenon::engine {

// What each operation means: reads its inputs, computes in double (integers in 64 bits, exact), rounds once to the
// declared type of each output. The nodes have been validated: extents and types fit.

Status evaluate(const Conv& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const ConvTranspose& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Matmul& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Pointwise& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Cast& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Norm& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const BatchNorm& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Reduce& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Softmax& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Pool& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const AdaptivePool& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Resize& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Reshape& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Transpose& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Expand& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Slice& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Concat& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Pad& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const Gather& op, const Sources& inputs, const Sinks& outputs);
Status evaluate(const IndexAlong& op, const Sources& inputs, const Sinks& outputs);

/// Writes sums of products. Sums of integers are i32 (modulo 2^32) before they become the declared type.
void write_sums(const Source& factor, const Sink& sink, const std::vector<double>& sums);

}  // namespace tenon::engine
