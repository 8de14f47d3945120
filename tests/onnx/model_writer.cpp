#include "tests/onnx/model_writer.h"

#include <cstring>

namespace tenon::test {

void Message::raw_varint(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<char>(number | 0x80));
    bytes_.push_back(static_cast<char>(number));
}

Message& Message::varint(uint32_t field, uint64_t number) {
    raw_varint(field << 3);
    raw_varint(number);
    return *this;
}

Message& Message::text(uint32_t field, const std::string& bytes) {
    raw_varint((field << 3) | 2);
    raw_varint(bytes.size());
    bytes_ += bytes;
    return *this;
}

Message& Message::fixed32(uint32_t field, float number) {
    raw_varint((field << 3) | 5);
    char bits[4];
    std::memcpy(bits, &number, sizeof bits);
    bytes_.append(bits, sizeof bits);
    return *this;
}

Message tensor_message(const std::string& name, int element_type, const std::vector<int64_t>& dims,
                       const std::string& raw) {
    Message tensor;
    for (const int64_t extent : dims) tensor.varint(1, static_cast<uint64_t>(extent));
    return tensor.varint(2, static_cast<uint64_t>(element_type)).text(8, name).text(9, raw);
}

Message int64_tensor(const std::string& name, const std::vector<int64_t>& values) {
    const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t));
    return tensor_message(name, 7, {static_cast<int64_t>(values.size())}, raw);
}

Message float_tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
    const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return tensor_message(name, 1, dims, raw);
}

Message int_attribute(const std::string& name, int64_t value) {
    return Message().text(1, name).varint(3, static_cast<uint64_t>(value)).varint(20, 2);
}

Message ints_attribute(const std::string& name, const std::vector<int64_t>& values) {
    Message attribute;
    attribute.text(1, name);
    for (const int64_t value : values) attribute.varint(8, static_cast<uint64_t>(value));
    return attribute.varint(20, 7);
}

Message float_attribute(const std::string& name, float value) {
    return Message().text(1, name).fixed32(2, value).varint(20, 1);
}

Message text_attribute(const std::string& name, const std::string& value) {
    return Message().text(1, name).text(4, value).varint(20, 3);
}

Message tensor_attribute(const std::string& name, const Message& tensor) {
    return Message().text(1, name).message(5, tensor).varint(20, 4);
}

Message node_message(const std::string& op_type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::vector<Message>& attributes,
                     const std::string& name) {
    Message node;
    for (const std::string& input : inputs) node.text(1, input);
    for (const std::string& output : outputs) node.text(2, output);
    if (!name.empty()) node.text(3, name);
    node.text(4, op_type);
    for (const Message& attribute : attributes) node.message(5, attribute);
    return node;
}

ModelWriter& ModelWriter::node(const Message& node) { return graph_field(1, node); }
ModelWriter& ModelWriter::initializer(const Message& tensor) { return graph_field(5, tensor); }

ModelWriter& ModelWriter::input(const std::string& name, const std::vector<std::string>& extents, int element_type) {
    Message shape;
    for (const std::string& extent : extents) {
        const bool is_number = extent.find_first_not_of("0123456789") == std::string::npos;
        Message dim;
        if (is_number) dim.varint(1, std::stoull(extent));
        if (!is_number) dim.text(2, extent);
        shape.message(1, dim);
    }
    const Message tensor = Message().varint(1, static_cast<uint64_t>(element_type)).message(2, shape);
    return graph_field(11, Message().text(1, name).message(2, Message().message(1, tensor)));
}

ModelWriter& ModelWriter::output(const std::string& name) { return graph_field(12, Message().text(1, name)); }

ModelWriter& ModelWriter::graph_field(uint32_t field, const Message& inner) {
    graph_.message(field, inner);
    return *this;
}

ModelWriter& ModelWriter::model_field(uint32_t field, const Message& inner) {
    extra_.message(field, inner);
    return *this;
}

std::string ModelWriter::bytes() const {
    Message model;
    model.varint(1, 8).message(7, graph_);
    model.message(8, Message().text(1, "").varint(2, static_cast<uint64_t>(opset_)));
    return model.bytes() + extra_.bytes();
}

}  // namespace tenon::test
