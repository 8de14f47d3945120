#include "engine/reference/number.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace tenon::engine {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Number, KeepsEveryHalfAndBfloat16) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const uint16_t narrow = static_cast<uint16_t>(bits);
        EXPECT_TRUE(std::isnan(half_value(narrow)) || half_bits(half_value(narrow)) == narrow) << bits;
        EXPECT_TRUE(std::isnan(bfloat16_value(narrow)) || bfloat16_bits(bfloat16_value(narrow)) == narrow) << bits;
    }
}

TEST(Number, RoundsHalfwayBetweenNeighboursToTheEvenOne) {
    for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
        const double below = half_value(bits), above = half_value(static_cast<uint16_t>(bits + 1)),
                     middle = (below + above) / 2;
        EXPECT_EQ(half_bits(middle), bits % 2 == 0 ? bits : bits + 1);
        EXPECT_EQ(half_bits(std::nextafter(middle, 0.0)), bits);
        EXPECT_EQ(half_bits(std::nextafter(middle, kInfinite)), bits + 1);
    }
    for (uint16_t bits = 0; bits < 0x7f7f; ++bits) {
        const double middle = (bfloat16_value(bits) + bfloat16_value(static_cast<uint16_t>(bits + 1))) / 2;
        EXPECT_EQ(bfloat16_bits(middle), bits % 2 == 0 ? bits : bits + 1);
    }
}

TEST(Number, OverflowsToInfinityFromHalfAStepPastTheLargest) {
    EXPECT_EQ(half_bits(65504.0), 0x7bff);
    EXPECT_EQ(half_bits(std::nextafter(65520.0, 0.0)), 0x7bff);
    EXPECT_EQ(half_bits(65520.0), 0x7c00);
    EXPECT_EQ(half_bits(-kInfinite), 0xfc00);
    EXPECT_EQ(bfloat16_bits(1e300), 0x7f80);
}

TEST(Number, KeepsDenormalsAndTheSignOfZero) {
    EXPECT_EQ(half_bits(0x1p-24), 0x0001);
    EXPECT_EQ(half_bits(0x1p-25), 0x0000);  // a tie: even
    EXPECT_EQ(half_bits(0x1.8p-24), 0x0002);
    EXPECT_EQ(half_bits(-0x1p-30), 0x8000);
    EXPECT_EQ(half_bits(-std::numeric_limits<double>::denorm_min()), 0x8000);
    EXPECT_EQ(bfloat16_bits(0x1p-133), 0x0001);
    EXPECT_EQ(half_value(0x0001), 0x1p-24);
}

TEST(Number, KeepsNan) {
    EXPECT_TRUE(std::isnan(half_value(half_bits(kNan))));
    EXPECT_TRUE(std::isnan(bfloat16_value(bfloat16_bits(kNan))));
    EXPECT_TRUE(std::isnan(half_value(0xfc01)));
}

TEST(Number, StoresFloatsInIntegersByTheRulesOfCast) {
    const auto as = [](DataType type, double value) { return rounded(type, value); };
    EXPECT_EQ(as(DataType::I8, 2.5), 2.0);
    EXPECT_EQ(as(DataType::I8, 3.5), 4.0);
    EXPECT_EQ(as(DataType::I8, -2.5), -2.0);
    EXPECT_EQ(as(DataType::I8, 300.0), 127.0);
    EXPECT_EQ(as(DataType::I8, -kInfinite), -128.0);
    EXPECT_EQ(as(DataType::U8, -1.0), 0.0);
    EXPECT_EQ(as(DataType::I32, 1e10), 2147483647.0);
    EXPECT_EQ(as(DataType::I32, kNan), 0.0);
    EXPECT_EQ(as(DataType::Bool, kNan), 1.0);
    EXPECT_EQ(as(DataType::Bool, -0.0), 0.0);
    EXPECT_EQ(to_integer(kInfinite), INT64_MAX);
    EXPECT_EQ(to_integer(-1e30), INT64_MIN);
}

TEST(Number, KeepsSixtyFourBitIntegersExact) {
    int64_t memory[2] = {};
    for (const int64_t value : {INT64_MAX, INT64_MIN, (int64_t{1} << 53) + 1}) {
        store_integer(memory, DataType::I64, 1, value);
        EXPECT_EQ(load_integer(memory, DataType::I64, 1), value);
    }
    EXPECT_EQ(memory[0], 0);
}

TEST(Number, WrapsIntegersThatDoNotFit) {
    EXPECT_EQ(wrapped(200, DataType::I8), -56);
    EXPECT_EQ(wrapped(-1, DataType::U8), 255);
    EXPECT_EQ(wrapped(int64_t{1} << 31, DataType::I32), INT32_MIN);
    EXPECT_EQ(wrapped(256, DataType::Bool), 1);
}

}  // namespace
}  // namespace tenon::engine
