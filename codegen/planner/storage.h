#pragma once

#include <optional>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// Where a value lives: inside the buffer of `root`, which may be the value itself.
struct Storage {
    ValueId root = kNone;
    Dims strides;
    int64_t offset = 0;  ///< Elements.
};

/// How the result, of dims `to`, of a shape-only operation lies in memory that holds its input as `storage` says; empty
/// if no strides say it, or if the operation computes.
std::optional<Storage> storage_through(const Op& op, const Dims& from, const Storage& storage, const Dims& to);
/// The other way: how the input, of dims `to`, of a reshape or transpose lies where its result, of dims `from`, lies.
std::optional<Storage> storage_before(const Op& op, const Dims& from, const Storage& storage, const Dims& to);

/// Storage of every value. Shape-only results become views of what they show (transpose, slice, expand, and reshape
/// where strides allow); inputs of a concat are written into its result where they can be.
std::vector<Storage> assign_storage(const GraphData& graph);

/// Whether the node moves nothing: its result is a view of its input under `storage`.
bool is_free_view(const GraphData& graph, const std::vector<Storage>& storage, const Node& node);

/// Strides of `dims` over memory that `from_dims` covers with `from_strides`, both in row-major order.
std::optional<Dims> reshaped_strides(const Dims& from_dims, const Dims& from_strides, const Dims& dims);

}  // namespace tenon::codegen
