#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tenon/ops.h>
#include <tenon/status.h>
#include <tenon/types.h>

#include "frontend/graph/graph_data.h"

namespace tenon::onnx {

/// A tensor whose elements are known at import, packed in row-major order. Copies share the bytes.
struct Known {
    DataType type = DataType::F32;
    Dims dims;
    std::shared_ptr<const Bytes> bytes = std::make_shared<Bytes>();

    int64_t count() const { return element_count(dims); }
};

/// From whole numbers, for I64, I32, I8, U8 and Bool.
Known known_integers(DataType type, Dims dims, const std::vector<int64_t>& values);
/// From real numbers, for floating types: rounded to nearest, halves to even.
Known known_numbers(DataType type, Dims dims, const std::vector<double>& values);

/// Elements as whole numbers; floating ones are truncated and saturated. Not for F16 and BF16 (all 0).
std::vector<int64_t> integers_of(const Known& known);
/// Elements as real numbers. F16 and BF16 too.
std::vector<double> numbers_of(const Known& known);

/// The result of a one-output operation on known tensors, by the same rules as the graph's own nodes. Nothing if the
/// operation is not one that shape computations use, or a tensor has more than `kMostKnownElements` elements: then it
/// becomes a node. A failure is the operation's own check.
inline constexpr int64_t kMostKnownElements = 4096;
Result<std::optional<Known>> evaluate_known(const Op& op, const std::vector<Known>& inputs);

}  // namespace tenon::onnx
