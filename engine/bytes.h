#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon::engine {

/// Appends numbers, as they lie in memory, and length-prefixed text.
class ByteWriter {
  public:
    template <typename Number>
    void number(Number value) {
        static_assert(std::is_arithmetic_v<Number>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    void text(std::string_view value) {
        number<uint64_t>(value.size());
        bytes_.append(value);
    }
    void raw(std::string_view value) { bytes_.append(value); }

    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

/// Reads what a ByteWriter wrote from bytes that nobody vouches for. The first read past the end makes it, and all that
/// follow, give zeros; ask `is_ok` before using anything.
class ByteReader {
  public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    template <typename Number>
    Number number() {
        static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
        Number value{};
        const std::string_view read = raw(sizeof(value));
        if (is_ok_) std::memcpy(&value, read.data(), sizeof(value));
        return value;
    }
    /// A view into the bytes.
    std::string_view text() { return raw(number<uint64_t>()); }
    std::string_view raw(uint64_t size) {
        if (size > bytes_.size()) fail();
        if (!is_ok_) return {};
        const std::string_view read = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return read;
    }
    /// A count of things of at least one byte each, so that a damaged one cannot ask for memory the bytes do not back.
    uint64_t count() {
        const uint64_t value = number<uint64_t>();
        if (value > bytes_.size()) fail();
        return is_ok_ ? value : 0;
    }
    void fail() {
        is_ok_ = false;
        bytes_ = {};
    }

    bool is_ok() const { return is_ok_; }
    size_t remaining() const { return bytes_.size(); }

  private:
    std::string_view bytes_;
    bool is_ok_ = true;
};

/// XXH3-128 of the bytes as 16 bytes.
std::array<char, 16> hash_of(std::string_view bytes);
/// The same as 32 hexadecimal digits.
std::string hash_text(std::string_view bytes);

}  // namespace tenon::engine
