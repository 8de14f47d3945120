#pragma once

#include <string>
#include <vector>

#include "frontend/ops/op_rules.h"

namespace tenon {

using Inputs = std::vector<const Value*>;

/// A result of the given type and extents, packed in the layout of the first input of its rank whose strides fit only
/// one layout (pitched or not); row-major if there is none.
Value result_like(const Inputs& inputs, DataType type, Dims dims);
/// InvalidGraph with this text.
Status invalid(std::string text);
/// "image 'x'" with its extents, for messages.
std::string shown(const Value& value);
Status need_inputs(const Inputs& inputs, size_t least, size_t most);
Status need_rank(const Value& value, size_t least, size_t most = 8);

// One rule per operation: checks the inputs, returns the outputs.
Result<std::vector<Value>> infer_op(const Conv& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const ConvTranspose& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Matmul& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Pointwise& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Cast& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Norm& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const BatchNorm& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Reduce& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Softmax& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Pool& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const AdaptivePool& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Resize& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Reshape& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Transpose& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Expand& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Slice& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Concat& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Pad& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const Gather& op, const Inputs& inputs);
Result<std::vector<Value>> infer_op(const IndexAlong& op, const Inputs& inputs);

}  // namespace tenon
