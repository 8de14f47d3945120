#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::onnx {

/// Reads the fields of one protocol-buffer message, front to back, without ever leaving its bytes. A message that ends
/// early, a number longer than 10 bytes or a group (an obsolete form) stops the reading and leaves `is_damaged()` set.
///
///     for (WireReader reader(bytes); reader.next();) {
///         if (reader.field() == 1) name = reader.bytes();
///     }
class WireReader {
  public:
    enum class Kind { Varint, Fixed64, Bytes, Fixed32 };

    explicit WireReader(std::string_view message) : left_(message) {}

    /// Goes to the next field; false at the end or at damage.
    bool next();
    bool is_damaged() const { return damaged_; }

    uint32_t field() const { return field_; }
    Kind kind() const { return kind_; }
    /// The payload of a field of kind Bytes, which lies in the message; empty for others.
    std::string_view bytes() const { return bytes_; }
    /// The payload of a field of another kind, as unsigned bits.
    uint64_t bits() const { return bits_; }

    /// Takes one varint (fixed number of `width` bytes) off the front of packed numbers; false if there is none left.
    static bool take_varint(std::string_view& packed, uint64_t& number);
    static bool take_fixed(std::string_view& packed, int width, uint64_t& number);

  private:
    std::string_view left_;
    std::string_view bytes_;
    uint64_t bits_ = 0;
    uint32_t field_ = 0;
    Kind kind_ = Kind::Varint;
    bool damaged_ = false;
};

}  // namespace tenon::onnx
