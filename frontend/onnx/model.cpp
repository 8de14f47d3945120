#include "frontend/onnx/model.h"

#include <cstring>

#include "frontend/onnx/wire.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

Status damaged(const char* what) { return Status(ErrorCode::BadFile, std::string("onnx: damaged ") + what); }
Status unsupported(std::string text) { return Status(ErrorCode::Unsupported, "onnx: " + std::move(text)); }

double float_of(uint64_t bits) {
    const auto narrow = static_cast<uint32_t>(bits);
    float value = 0.0f;
    std::memcpy(&value, &narrow, sizeof value);
    return value;
}

std::string text_of(const WireReader& reader) { return std::string(reader.bytes()); }

/// One number of a repeated integer field, or all of a packed one.
bool append_integers(const WireReader& reader, std::vector<int64_t>& out) {
    if (reader.kind() != WireReader::Kind::Bytes) {
        out.push_back(static_cast<int64_t>(reader.bits()));
        return reader.kind() == WireReader::Kind::Varint;
    }
    std::string_view packed = reader.bytes();
    for (uint64_t number = 0; !packed.empty(); out.push_back(static_cast<int64_t>(number))) {
        if (!WireReader::take_varint(packed, number)) return false;
    }
    return true;
}

bool append_floats(const WireReader& reader, std::vector<double>& out) {
    if (reader.kind() != WireReader::Kind::Bytes) {
        out.push_back(float_of(reader.bits()));
        return reader.kind() == WireReader::Kind::Fixed32;
    }
    std::string_view packed = reader.bytes();
    for (uint64_t number = 0; !packed.empty(); out.push_back(float_of(number))) {
        if (!WireReader::take_fixed(packed, 4, number)) return false;
    }
    return true;
}

Attribute::Type attribute_type(uint64_t number) {
    constexpr Attribute::Type kTypes[] = {Attribute::Type::None,   Attribute::Type::Float,  Attribute::Type::Int,
                                          Attribute::Type::String, Attribute::Type::Tensor, Attribute::Type::Other,
                                          Attribute::Type::Floats, Attribute::Type::Ints,   Attribute::Type::Strings};
    return number < std::size(kTypes) ? kTypes[number] : Attribute::Type::Other;
}

Result<Attribute> decode_attribute(std::string_view bytes) {
    Attribute attribute;
    Attribute::Type seen = Attribute::Type::None;  // old files leave the type out
    bool has_type = false;
    WireReader reader(bytes);
    while (reader.next()) {
        switch (reader.field()) {
            case 1:
                attribute.name = text_of(reader);
                break;
            case 2:
                attribute.number = float_of(reader.bits());
                seen = Attribute::Type::Float;
                break;
            case 3:
                attribute.integer = static_cast<int64_t>(reader.bits());
                seen = Attribute::Type::Int;
                break;
            case 4:
                attribute.text = text_of(reader);
                seen = Attribute::Type::String;
                break;
            case 5: {
                TENON_ASSIGN(NamedKnown tensor, decode_tensor(reader.bytes()));
                attribute.tensor = std::move(tensor.value);
                seen = Attribute::Type::Tensor;
                break;
            }
            case 7:
                if (!append_floats(reader, attribute.numbers)) return damaged("attribute");
                seen = Attribute::Type::Floats;
                break;
            case 8:
                if (!append_integers(reader, attribute.integers)) return damaged("attribute");
                seen = Attribute::Type::Ints;
                break;
            case 20:
                attribute.type = attribute_type(reader.bits());
                has_type = true;
                break;
            case 21:
                return unsupported("attribute '" + attribute.name + "' refers to a function's attribute");
            default:
                break;
        }
    }
    if (reader.is_damaged()) return damaged("attribute");
    if (!has_type) attribute.type = seen;
    if (attribute.type == Attribute::Type::Tensor && !attribute.tensor) return damaged("attribute: it has no tensor");
    return attribute;
}

Result<NodeProto> decode_node(std::string_view bytes) {
    NodeProto node;
    WireReader reader(bytes);
    while (reader.next()) {
        switch (reader.field()) {
            case 1:
                node.inputs.push_back(text_of(reader));
                break;
            case 2:
                node.outputs.push_back(text_of(reader));
                break;
            case 3:
                node.name = text_of(reader);
                break;
            case 4:
                node.op_type = text_of(reader);
                break;
            case 5: {
                Result<Attribute> attribute = decode_attribute(reader.bytes());
                if (!attribute.is_ok()) {
                    return Status(attribute.status().code(), attribute.status().message() + " (of node '" + node.name +
                                                                 "', " + node.op_type + ")");
                }
                node.attributes.push_back(std::move(*attribute));
                break;
            }
            case 7:
                node.domain = text_of(reader);
                break;
            default:
                break;
        }
    }
    if (reader.is_damaged()) return damaged("node");
    return node;
}

bool decode_extent(std::string_view bytes, Extent& extent) {
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 1) extent.value = static_cast<int64_t>(reader.bits());
        if (reader.field() == 2) extent.symbol = text_of(reader);
    }
    return !reader.is_damaged();
}

bool decode_tensor_type(std::string_view bytes, ValueInfo& info) {
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 1) info.element_type = static_cast<int32_t>(reader.bits());
        if (reader.field() != 2) continue;
        info.has_shape = true;
        WireReader shape(reader.bytes());
        while (shape.next()) {
            if (shape.field() != 1) continue;
            info.extents.emplace_back();
            if (!decode_extent(shape.bytes(), info.extents.back())) return false;
        }
        if (shape.is_damaged()) return false;
    }
    return !reader.is_damaged();
}

Result<ValueInfo> decode_value_info(std::string_view bytes) {
    ValueInfo info;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 1) info.name = text_of(reader);
        if (reader.field() != 2) continue;
        WireReader type(reader.bytes());
        while (type.next()) {
            if (type.field() == 1 && !decode_tensor_type(type.bytes(), info)) return damaged("type");
        }
        if (type.is_damaged()) return damaged("type");
    }
    if (reader.is_damaged()) return damaged("value description");
    return info;
}

Status decode_graph(std::string_view bytes, Model& model) {
    WireReader reader(bytes);
    while (reader.next()) {
        switch (reader.field()) {
            case 1: {
                TENON_ASSIGN(NodeProto node, decode_node(reader.bytes()));
                model.nodes.push_back(std::move(node));
                break;
            }
            case 5: {
                TENON_ASSIGN(NamedKnown tensor, decode_tensor(reader.bytes()));
                model.initializers.push_back(std::move(tensor));
                break;
            }
            case 11: {
                TENON_ASSIGN(ValueInfo info, decode_value_info(reader.bytes()));
                model.inputs.push_back(std::move(info));
                break;
            }
            case 12: {
                TENON_ASSIGN(ValueInfo info, decode_value_info(reader.bytes()));
                model.outputs.push_back(std::move(info));
                break;
            }
            case 15:
                return unsupported("the graph has sparse initializers");
            default:
                break;
        }
    }
    return reader.is_damaged() ? damaged("graph") : Status();
}

/// The version of the default domain's operator set; others do not matter until a node uses them.
Status decode_opset(std::string_view bytes, Model& model) {
    std::string domain;
    int64_t version = 0;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 1) domain = text_of(reader);
        if (reader.field() == 2) version = static_cast<int64_t>(reader.bits());
    }
    if (reader.is_damaged()) return damaged("operator set");
    if (domain.empty() || domain == "ai.onnx") model.opset = version;
    return {};
}

Status refuse_function(std::string_view bytes) {
    std::string name;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 1) name = text_of(reader);
    }
    return unsupported("the model defines the function '" + name + "'; inline functions before importing");
}

}  // namespace

Result<Model> decode_model(std::string_view bytes) {
    Model model;
    bool has_graph = false;
    WireReader reader(bytes);
    while (reader.next()) {
        if (reader.field() == 7) {
            if (has_graph) return damaged("model: it has two graphs");
            has_graph = true;
            TENON_TRY(decode_graph(reader.bytes(), model));
        }
        if (reader.field() == 8) TENON_TRY(decode_opset(reader.bytes(), model));
        if (reader.field() == 25) return refuse_function(reader.bytes());
    }
    if (reader.is_damaged()) return damaged("model");
    if (!has_graph) return Status(ErrorCode::BadFile, "onnx: the bytes are no model: there is no graph in them");
    return model;
}

}  // namespace tenon::onnx
