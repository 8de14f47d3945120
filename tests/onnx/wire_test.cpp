#include <gtest/gtest.h>

#include "frontend/onnx/model.h"
#include "frontend/onnx/wire.h"
#include "tests/onnx/model_writer.h"

namespace tenon::test {
namespace {

using onnx::WireReader;

TEST(Wire, ReadsEveryKindOfField) {
    const std::string bytes = Message().varint(1, 300).text(2, "abc").fixed32(3, 1.0f).bytes() +
                              std::string("\x21\x01\x02\x03\x04\x05\x06\x07\x08", 9);
    WireReader reader(bytes);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.field(), 1u);
    EXPECT_EQ(reader.bits(), 300u);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.bytes(), "abc");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.kind(), WireReader::Kind::Fixed32);
    EXPECT_EQ(reader.bits(), 0x3f800000u);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.field(), 4u);
    EXPECT_EQ(reader.bits(), 0x0807060504030201u);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.is_damaged());
}

TEST(Wire, StopsAtDamage) {
    const std::string too_long(11, '\xff');
    for (const std::string& bytes : {std::string("\x08"), std::string("\x08\x80"), std::string("\x12\x05zz"),
                                     std::string("\x0d\x01\x02"), std::string("\x09\x01"), std::string("\x0b"),
                                     std::string("\x00\x00", 2), too_long, "\x08" + too_long, "\x12" + too_long}) {
        WireReader reader(bytes);
        EXPECT_FALSE(reader.next());
        EXPECT_TRUE(reader.is_damaged());
        EXPECT_FALSE(reader.next());
    }
}

Status decoded(const Message& tensor) { return onnx::decode_tensor(tensor.bytes()).status(); }

TEST(Tensor, RawAndTypedDataAreTheSame) {
    const float values[] = {1.5f, -2.0f};
    const Message raw = float_tensor("t", {2}, {values[0], values[1]});
    const Message typed = Message().varint(1, 2).varint(2, 1).fixed32(4, values[0]).fixed32(4, values[1]).text(8, "t");
    const auto a = onnx::decode_tensor(raw.bytes()), b = onnx::decode_tensor(typed.bytes());
    ASSERT_TRUE(a.is_ok() && b.is_ok());
    EXPECT_EQ(*a->value.bytes, *b->value.bytes);
    EXPECT_EQ(onnx::numbers_of(a->value), (std::vector<double>{1.5, -2.0}));
    // int32_data holds whatever is narrower; f16 as bits.
    const Message halves = Message().varint(1, 2).varint(2, 10).varint(5, 0x3c00).varint(5, 0xc000);
    const auto half = onnx::decode_tensor(halves.bytes());
    ASSERT_TRUE(half.is_ok()) << half.status().message();
    EXPECT_EQ(onnx::numbers_of(half->value), (std::vector<double>{1.0, -2.0}));
    const Message bools = Message().varint(1, 2).varint(2, 9).varint(5, 7).varint(5, 0);
    EXPECT_EQ(onnx::integers_of(onnx::decode_tensor(bools.bytes())->value), (std::vector<int64_t>{1, 0}));
}

TEST(Tensor, RefusesWhatItCannotHold) {
    EXPECT_EQ(decoded(float_tensor("t", {3}, {1.0f})).message(),
              "onnx: tensor 't' has 4 bytes of data, needs 12 for f32 3");
    EXPECT_EQ(decoded(float_tensor("t", {-1}, {1.0f})).code(), ErrorCode::BadFile);
    EXPECT_EQ(decoded(float_tensor("t", {int64_t{1} << 62, 4}, {1.0f})).code(), ErrorCode::BadFile);
    EXPECT_EQ(decoded(float_tensor("t", std::vector<int64_t>(9, 1), {1.0f})).code(), ErrorCode::Unsupported);
    const Status text = decoded(tensor_message("t", 8, {0}, ""));
    EXPECT_EQ(text.code(), ErrorCode::Unsupported);
    EXPECT_EQ(text.message(), "onnx: the element type string is not supported (tensor 't')");
    Message external = float_tensor("t", {1}, {1.0f});
    external.varint(14, 1);
    EXPECT_EQ(decoded(external).code(), ErrorCode::Unsupported);
    EXPECT_NE(decoded(external).message().find("another file"), std::string::npos);
}

}  // namespace
}  // namespace tenon::test
