#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tenon/graph.h>

namespace tenon {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr int32_t kNone = -1;

using Bytes = std::vector<std::byte>;

enum class ValueKind {
    Input,       ///< Caller memory, bound at run.
    HostScalar,  ///< Rank 0, read from host memory at run.
    Constant,    ///< Known bytes.
    Computed,    ///< Written by a node.
};

/// One tensor: logical extents, how it lies in memory, and where it comes from.
struct Value {
    std::string name;
    ValueKind kind = ValueKind::Computed;
    DataType type = DataType::F32;
    Dims dims;
    Dims strides;  ///< One per axis, in elements.
    NodeId producer = kNone;
    std::shared_ptr<const Bytes> data;  ///< Constants only: span_of(dims, strides) elements.
};

/// One operation. Nodes stand in topological order: a node reads only values of earlier nodes.
struct Node {
    std::string name;
    Op op;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Fusion fusion = Fusion::Allowed;
};

/// What a Graph holds: the form that validation, planner and reference read. Values and nodes are referred to by index.
struct GraphData {
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> outputs;
    Numerics numerics;
    Status first_mistake;  ///< Of the builder calls.

    const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
    const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id)]; }
    bool is_output(ValueId id) const;
};

}  // namespace tenon
