#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/status.h>
#include <tenon/types.h>

#include "frontend/onnx/known.h"

namespace tenon::onnx {

// What a model file says, decoded and bounds-checked, not yet understood. Names follow the ONNX specification.

struct Attribute {
    enum class Type {
        None,
        Float,
        Int,
        String,
        Tensor,
        Floats,
        Ints,
        Strings,
        Other
    };  // Other: subgraphs and the like

    std::string name;
    Type type = Type::None;
    double number = 0.0;  ///< Float
    int64_t integer = 0;  ///< Int
    std::string text;     ///< String
    std::optional<Known> tensor;
    std::vector<double> numbers;
    std::vector<int64_t> integers;
};

struct NodeProto {
    std::string name, op_type, domain;
    std::vector<std::string> inputs, outputs;  ///< An empty name stands for an optional one left out.
    std::vector<Attribute> attributes;
};

/// One extent of an input: a number, or a symbol ("batch"; empty if nothing is said).
struct Extent {
    int64_t value = -1;
    std::string symbol;
};

struct ValueInfo {
    std::string name;
    int32_t element_type = 0;  ///< ONNX number; 0 if the value is no tensor or not described.
    bool has_shape = false;
    std::vector<Extent> extents;
};

struct NamedKnown {
    std::string name;
    Known value;
};

struct Model {
    int64_t opset = 1;  ///< Version of the default operator set.
    std::vector<NodeProto> nodes;
    std::vector<NamedKnown> initializers;
    std::vector<ValueInfo> inputs, outputs;
};

/// Reads a serialised ModelProto. BadFile: the bytes are damaged or no ONNX model. Unsupported: external data, model
/// functions, sparse tensors, element types that Tensor does not have; the message names the tensor or function.
Result<Model> decode_model(std::string_view bytes);

/// Reads a serialised TensorProto: raw or typed data. Same errors.
Result<NamedKnown> decode_tensor(std::string_view bytes);

/// The element type with this ONNX number (1 = float … 16 = bfloat16), or Unsupported.
Result<DataType> data_type(int64_t number);

}  // namespace tenon::onnx
