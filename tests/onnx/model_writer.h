#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::test {

/// Writes protocol-buffer messages, so that tests can say what a model holds without files.
class Message {
  public:
    Message& varint(uint32_t field, uint64_t number);
    Message& text(uint32_t field, const std::string& bytes);
    Message& message(uint32_t field, const Message& inner) { return text(field, inner.bytes_); }
    Message& fixed32(uint32_t field, float number);

    const std::string& bytes() const { return bytes_; }

  private:
    void raw_varint(uint64_t number);

    std::string bytes_;
};

Message tensor_message(const std::string& name, int element_type, const std::vector<int64_t>& dims,
                       const std::string& raw);
Message int64_tensor(const std::string& name, const std::vector<int64_t>& values);
Message float_tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values);

Message int_attribute(const std::string& name, int64_t value);
Message ints_attribute(const std::string& name, const std::vector<int64_t>& values);
Message float_attribute(const std::string& name, float value);
Message text_attribute(const std::string& name, const std::string& value);
Message tensor_attribute(const std::string& name, const Message& tensor);

/// A node; `name` empty leaves it out.
Message node_message(const std::string& op_type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {},
                     const std::string& name = {});

/// A graph being written. An extent below 0 has no value; a symbol is given by name.
class ModelWriter {
  public:
    explicit ModelWriter(int64_t opset = 17) : opset_(opset) {}

    ModelWriter& node(const Message& node);
    ModelWriter& initializer(const Message& tensor);
    ModelWriter& input(const std::string& name, const std::vector<std::string>& extents, int element_type = 1);
    ModelWriter& output(const std::string& name);
    /// A field of the GraphProto or ModelProto as it is.
    ModelWriter& graph_field(uint32_t field, const Message& inner);
    ModelWriter& model_field(uint32_t field, const Message& inner);

    std::string bytes() const;

  private:
    int64_t opset_;
    Message graph_, extra_;
};

}  // namespace tenon::test
