#pragma once

#include <optional>
#include <vector>

#include "codegen/planner/storage.h"

namespace tenon::codegen {

/// One step on the way from a value's axes to the axes of a body that reads or writes it.
struct SeenThrough {
    enum class Kind {
        Broadcast,  ///< Against the other operands of pointwise node `node`, to the dims of its result.
        View,       ///< The value is the input of shape-only node `node`; the body sees its result.
        Inverse,    ///< The value is the result of reshape or transpose `node`; the body has the axes of its input.
    };
    Kind kind = Kind::Broadcast;
    NodeId node = kNone;

    friend bool operator==(const SeenThrough&, const SeenThrough&) = default;
};

/// From the value (front) to the body (back). Empty: the value has the body's axes, or broadcasts against them.
using Sight = std::vector<SeenThrough>;

/// How memory that holds a value of `dims` as `place` says moves over a body of `body_dims`; empty if no strides say
/// it.
std::optional<Storage> seen_storage(const GraphData& graph, const Dims& dims, Storage place, const Sight& sight,
                                    const Dims& body_dims);

/// Whether the node only renames the places of its input's elements, one to one: a reshape or transpose of one type.
bool is_bijective_view(const GraphData& graph, const Node& node);
/// Reshape, transpose, slice or expand of one type.
bool is_shape_only(const GraphData& graph, const Node& node);

}  // namespace tenon::codegen
