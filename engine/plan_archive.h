#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/bytes.h"
#include "engine/plan_fields.h"

namespace tenon::engine {

/// The last enumerator of an enumeration that stands in a plan file.
template <typename Enum>
constexpr Enum last_of();
template <>
constexpr DataType last_of() {
    return DataType::Bool;
}
template <>
constexpr ValueKind last_of() {
    return ValueKind::Computed;
}
template <>
constexpr Fusion last_of() {
    return Fusion::Required;
}
template <>
constexpr PointwiseKind last_of() {
    return kPointwise.back().kind;
}
template <>
constexpr NormKind last_of() {
    return NormKind::Group;
}
template <>
constexpr ReduceKind last_of() {
    return ReduceKind::Argmin;
}
template <>
constexpr PoolKind last_of() {
    return PoolKind::Average;
}
template <>
constexpr ResizeMode last_of() {
    return ResizeMode::Linear;
}
template <>
constexpr ResizeCoordinates last_of() {
    return ResizeCoordinates::Asymmetric;
}
template <>
constexpr ResizeRounding last_of() {
    return ResizeRounding::Ceil;
}
template <>
constexpr PadMode last_of() {
    return PadMode::Edge;
}
template <>
constexpr codegen::Buffer::Kind last_of() {
    return codegen::Buffer::Kind::Workspace;
}
template <>
constexpr codegen::KernelArgument::Kind last_of() {
    return codegen::KernelArgument::Kind::TensorMap;
}

/// Writes the parts of a plan. Constants are kept aside and written once each, whoever shares them.
class PlanWriter {
  public:
    template <typename... Parts>
    void operator()(const Parts&... parts) {
        (write(parts), ...);
    }

    /// The constants, then everything else.
    std::string bytes() const;

  private:
    template <typename T>
    void write(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            out_.number<uint8_t>(value ? 1 : 0);
        } else if constexpr (std::is_enum_v<T>) {
            out_.number<int32_t>(static_cast<int32_t>(value));
        } else if constexpr (std::is_arithmetic_v<T>) {
            out_.number(value);
        } else {
            fields(*this, value);
        }
    }
    void write(const std::string& value) { out_.text(value); }
    template <typename T>
    void write(const std::vector<T>& values) {
        out_.number<uint64_t>(values.size());
        for (const T& value : values) write(value);
    }
    template <typename T, size_t N>
    void write(const std::array<T, N>& values) {
        for (const T& value : values) write(value);
    }
    void write(const std::shared_ptr<const Bytes>& data);
    void write(const Op& op) {
        out_.number<uint32_t>(static_cast<uint32_t>(op.index()));
        std::visit(
            [this](const auto& kind) { kind.fields(kind, [this](const char*, const auto& field) { write(field); }); },
            op);
    }

    ByteWriter out_;
    std::map<const Bytes*, int64_t> numbers_;
    std::vector<std::shared_ptr<const Bytes>> constants_;
};

/// Reads what a PlanWriter wrote from bytes that nobody vouches for: enumerators are in range, counts are backed by
/// bytes. What the numbers mean is checked elsewhere.
class PlanReader {
  public:
    explicit PlanReader(std::string_view bytes);

    template <typename... Parts>
    void operator()(Parts&... parts) {
        (read(parts), ...);
    }
    uint64_t count() { return in_.count(); }
    /// Everything was there and nothing is left over.
    bool is_whole() const { return in_.is_ok() && in_.remaining() == 0; }

  private:
    template <typename T>
    void read(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            const auto byte = in_.number<uint8_t>();
            if (byte > 1) in_.fail();
            value = byte == 1;
        } else if constexpr (std::is_enum_v<T>) {
            const auto number = in_.number<int32_t>();
            if (number < 0 || number > static_cast<int32_t>(last_of<T>())) in_.fail();
            value = in_.is_ok() ? static_cast<T>(number) : T{};
        } else if constexpr (std::is_arithmetic_v<T>) {
            value = in_.number<T>();
        } else {
            fields(*this, value);
        }
    }
    void read(std::string& value) { value = in_.text(); }
    template <typename T>
    void read(std::vector<T>& values) {
        // Grows as the bytes come, so a count alone costs nothing.
        for (uint64_t left = in_.count(); left > 0 && in_.is_ok(); --left) read(values.emplace_back());
    }
    template <typename T, size_t N>
    void read(std::array<T, N>& values) {
        for (T& value : values) read(value);
    }
    void read(std::shared_ptr<const Bytes>& data);
    void read(Op& op) { read_op<0>(op, in_.number<uint32_t>()); }
    template <size_t Index>
    void read_op(Op& op, uint32_t index) {
        if constexpr (Index == std::variant_size_v<Op>) {
            in_.fail();
        } else if (index != Index) {
            read_op<Index + 1>(op, index);
        } else {
            auto& kind = op.emplace<Index>();
            kind.fields(kind, [this](const char*, auto& field) { read(field); });
        }
    }

    ByteReader in_;
    std::vector<std::shared_ptr<const Bytes>> constants_;
};

}  // namespace tenon::engine
