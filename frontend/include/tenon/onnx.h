#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/graph.h>

namespace tenon {

/// Elements of a model input that are known at import, packed in row-major order, in the type the model declares.
struct OnnxConstant {
    Dims dims;
    std::vector<std::byte> bytes;
};

/// What a model leaves open. A graph has fixed extents, so every symbol in the extents of an input needs a number.
struct OnnxOptions {
    std::map<std::string, int64_t> extents;         ///< By symbol: {"batch", 1}.
    std::map<std::string, Dims> dims;               ///< By input: all extents of it, in place of the declared ones.
    std::map<std::string, OnnxConstant> constants;  ///< By input: its value, which then is no input of the graph.
    /// How the results of convolutions lie in memory, and with them what follows; filters too. Inputs and outputs of
    /// the graph stay row-major.
    Layout layout = Layout::NCHW;
    /// F16 or BF16: an f32 model is cast to this type behind its inputs and back before its outputs; filters and
    /// matrices are rounded to it, values per channel and the sums stay f32. Numbers beyond its range become infinite.
    DataType compute_type = DataType::F32;
};

/// Reads an ONNX model (a serialised ModelProto, default operator set 7 to 22; older ones as far as their operators
/// mean the same) into a graph. Inputs and outputs keep their names; initializers become constants; shape computations
/// are worked out now. Operators that have no counterpart are written out as several nodes.
///
/// Errors, each naming the node, its operator and the value at fault: BadFile (damaged bytes, contradictions),
/// Unsupported (an operator, attribute, element type, external data, functions, subgraphs, a newer operator set),
/// InvalidArgument (an extent or a value that `options` must give), InvalidGraph (inputs that do not fit an operator).
/// The bytes may come from anywhere: they are checked, and never make it read outside them.
Result<Graph> graph_from_onnx(std::string_view model, const OnnxOptions& options = {});

/// Names of the operators that `graph_from_onnx` takes, sorted.
std::vector<std::string> onnx_operators();

}  // namespace tenon
