#pragma once

#include <string>
#include <string_view>

#include <tenon/graph.h>

namespace tenon {

// A graph as JSON text. What `to_json` writes, `graph_from_json` reads back to the same graph: the same tensors under
// the same numbers, bit for bit. A file written by hand may leave out most of it:
//
//     {
//       "tenon_graph": 1,                                          version of this form
//       "numerics": {"relaxed": false, "tf32": false},             optional
//       "tensors": [
//         {"name": "x", "dims": [1, 16, 14, 14], "type": "f16", "layout": "nhwc"},
//         {"name": "half", "kind": "constant", "dims": [], "values": [0.5]}
//       ],
//       "nodes": [
//         {"op": "conv", "name": "c", "inputs": ["x", "w"], "attributes": {"pad": [1, 1, 1, 1]}},
//         {"op": "relu", "name": "y", "inputs": ["c"], "fusion": "forbidden"}
//       ],
//       "outputs": ["y"]
//     }
//
// Tensor: `kind` input (default), host_scalar, constant or computed; `type` as in to_string(DataType), default f32;
//     `layout` nchw (default) or nhwc, or `strides` in elements. A constant has `values` (row-major; packed tensors
//     only) or `base64` (its bytes as they lie in memory, little-endian).
// Node: `op` is name_of an operation, or the name of a pointwise function; `attributes` are the fields of its struct in
//     ops.h, absent ones as there. `outputs` names its results; names that are no tensor of the list become tensors
//     with inferred type, extents and strides, called after the node if `outputs` is absent. Nodes stand in the order
//     of running.
// Numbers: infinities and NaN are the strings "inf", "-inf", "nan"; other NaNs are "0x" and the 16 digits of the
//     double.
// A tensor is referred to by its name, or by its place in `tensors` where two have one name.

/// Every tensor, node, constant and mark. Bytes of a name that are no UTF-8 become U+FFFD. The first mistake of an
/// unfinished graph is written as "mistake" and refused when read.
std::string to_json(const Graph& graph);

/// An operation by its name and a JSON object of the fields of its struct; absent fields keep their defaults. Errors as
/// below.
Result<Op> op_from_json(std::string_view name, std::string_view attributes);

/// The graph, valid in every part. Text that is no JSON, or not of this form (unknown or doubled field, wrong kind of
/// value), is BadFile; a graph that contradicts itself is InvalidGraph. The message begins with the place, as a JSON
/// pointer: "/nodes/3/attributes/stride/0: is -1, …". Memory stays in proportion to the text.
Result<Graph> graph_from_json(std::string_view text);

}  // namespace tenon
