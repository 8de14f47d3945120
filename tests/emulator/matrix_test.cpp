// Matrix fragments against places worked out by hand from the PTX manual's tables.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using Integers = std::vector<int32_t>;

/// Runs one warp over x and gives the first `count` values of y. `i` is the lane.
Integers run_warp(const std::string& body, const Integers& x, size_t count) {
    Integers y(count, 0);
    const Status status = run_small({.body = "const uint32 i = thread_index(); uint8* shared = shared_memory();" + body,
                                     .launch = {.block = {32, 1, 1}, .shared_bytes = 1024},
                                     .includes = {"tenon/memory.cuh", "tenon/arch/matrix.cuh"},
                                     .element = "int32"},
                                    x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return y;
}

/// 256 16-bit numbers 0, 1, … in shared memory: row r of matrix m begins with 64 * m + 8 * r.
constexpr const char* kFill =
    "for (uint32 n = i; n < 256; n += 32) store_shared(reinterpret_cast<uint16*>(shared) + n, uint16(n)); "
    "warp_barrier();";

TEST(MatrixLoads, GiveEachLaneTwoNeighbours) {
    const Integers y = run_warp(std::string(kFill) +
                                    "uint32 m[4]; load_matrices<4>(m, shared + 16 * i);"
                                    "for (int j = 0; j < 4; ++j) store_element(y + 4 * i + j, int32(m[j]));",
                                {}, 128);
    // Lane 6 holds row 1, columns 4 and 5: 12 and 13 in matrix 0; 64 more in each next one.
    EXPECT_EQ(y[4 * 6], 12 | 13 << 16);
    EXPECT_EQ(y[4 * 6 + 3], (192 + 12) | (192 + 13) << 16);
    EXPECT_EQ(y[4 * 31 + 1], (64 + 62) | (64 + 63) << 16);
}

TEST(MatrixLoads, Transpose) {
    const Integers y = run_warp(std::string(kFill) +
                                    "uint32 m[2]; load_matrices_transposed<2>(m, shared + 16 * i);"
                                    "for (int j = 0; j < 2; ++j) store_element(y + 2 * i + j, int32(m[j]));",
                                {}, 64);
    // Lane 6 holds row 1, columns 4 and 5 of the transpose: elements (4, 1) and (5, 1), which are 33 and 41.
    EXPECT_EQ(y[2 * 6], 33 | 41 << 16);
    EXPECT_EQ(y[2 * 6 + 1], (64 + 33) | (64 + 41) << 16);
}

TEST(MatrixLoads, IgnoreAddressesOfLanesWithoutARow) {
    const Integers y = run_warp(std::string(kFill) +
                                    "uint32 m[1]; load_matrices<1>(m, i < 8 ? shared + 16 * i : shared + 5000);"
                                    "store_element(y + i, int32(m[0]));",
                                {}, 32);
    EXPECT_EQ(y[5], 10 | 11 << 16);
}

TEST(MatrixStores, UndoLoads) {
    for (const std::string kind : {"", "_transposed"}) {
        const Integers y = run_warp(
            std::string(kFill) + "uint32 m[4]; load_matrices" + kind + "<4>(m, shared + 16 * i); store_matrices" +
                kind +
                "(shared + 512 + 16 * i, m); warp_barrier();"
                "for (uint32 n = i; n < 256; n += 32)"
                "    store_element(y + n, int32(load_shared(reinterpret_cast<const uint16*>(shared + 512) + n)));",
            {}, 256);
        Integers expected(256);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(y, expected);
    }
}

/// Registers of all lanes: a[lane][4], b[lane][2], c[lane][4] as words of x; returns c.
Integers multiply(const std::string& call, const Integers& a, const Integers& b, const Integers& c,
                  const std::string& sum) {
    Integers x = a;
    x.insert(x.end(), b.begin(), b.end());
    x.insert(x.end(), c.begin(), c.end());
    return run_warp("uint32 a[4], b[2]; " + sum +
                        " c[4];"
                        "for (int j = 0; j < 4; ++j) a[j] = uint32(load_element(x + 4 * i + j));"
                        "for (int j = 0; j < 2; ++j) b[j] = uint32(load_element(x + 128 + 2 * i + j));"
                        "for (int j = 0; j < 4; ++j) c[j] = bit_cast<" +
                        sum + ">(load_element(x + 192 + 4 * i + j));" + call +
                        "for (int j = 0; j < 4; ++j) store_element(y + 4 * i + j, bit_cast<int32>(c[j]));",
                    x, 128);
}

/// One element of a and one of b set: their product must appear at one place of c.
struct Place {
    size_t a_lane, a_register;
    int a_element;
    size_t b_lane, b_register;
    int b_element;
    size_t c_lane, c_register;
};

/// `one` are the bits of 1 in elements of `bits` bits.
void expect_place(const std::string& call, int one, int bits, const Place& place, bool is_float) {
    Integers a(128, 0), b(64, 0), c(128, 0);
    const auto set = [&](Integers& words, size_t at, int element) {
        words[at] = static_cast<int32_t>(static_cast<uint32_t>(one) << (bits * element % 32));
    };
    set(a, 4 * place.a_lane + place.a_register, place.a_element);
    set(b, 2 * place.b_lane + place.b_register, place.b_element);
    Integers expected(128, 0);
    expected[4 * place.c_lane + place.c_register] = is_float ? 0x3f800000 : 1;
    EXPECT_EQ(multiply(call, a, b, c, is_float ? "float" : "int32"), expected) << call;
}

TEST(Products, HalvesLieWhereTheManualSays) {
    const std::string call = "multiply_m16n8k16<half>(c, a, b);";
    // a(0, 0) b(0, 0) -> c(0, 0).
    expect_place(call, 0x3c00, 16, {0, 0, 0, 0, 0, 0, 0, 0}, true);
    // a(11, 5): row 3 + 8, columns 4..5: lane 3 * 4 + 2, register 1, element 1. b(5, 6): lane 6 * 4 + 2. c(11, 6): lane
    // 3 * 4 + 3, register 2.
    expect_place(call, 0x3c00, 16, {14, 1, 1, 26, 0, 1, 15, 2}, true);
    // a(2, 14): columns 14..15: lane 2 * 4 + 3, register 2. b(14, 1): lane 1 * 4 + 3, register 1. c(2, 1): lane 8, 1.
    expect_place(call, 0x3c00, 16, {11, 2, 0, 7, 1, 0, 8, 1}, true);
    // a(15, 8), b(8, 7) -> c(15, 7).
    expect_place(call, 0x3c00, 16, {28, 3, 0, 28, 1, 0, 31, 3}, true);
    // A mismatch along k gives nothing.
    Integers a(128, 0), b(64, 0);
    a[0] = 0x3c00;
    b[0] = 0x3c00 << 16;
    EXPECT_EQ(multiply(call, a, b, Integers(128, 0), "float"), Integers(128, 0));
}

TEST(Products, Bfloat16LiesLikeHalf) {
    expect_place("multiply_m16n8k16<bfloat16>(c, a, b);", 0x3f80, 16, {14, 1, 1, 26, 0, 1, 15, 2}, true);
}

TEST(Products, ShortHalvesLieWhereTheManualSays) {
    // a(11, 5): lane 14, register 1, element 1. b(5, 6): lane 26.
    expect_place("const uint32 two[2] = {a[0], a[1]}; multiply_m16n8k8_half(c, two, b[0]);", 0x3c00, 16,
                 {14, 1, 1, 26, 0, 1, 15, 2}, true);
}

TEST(Products, Tf32LiesWhereTheManualSays) {
    const std::string call = "multiply_m16n8k8_tf32(c, a, b);";
    // a(11, 2): lane 3 * 4 + 2, register 1. b(2, 6): lane 6 * 4 + 2. c(11, 6): lane 15, register 2.
    expect_place(call, 0x3f800000, 32, {14, 1, 0, 26, 0, 0, 15, 2}, true);
    // a(3, 6): register 2. b(6, 6): register 1. c(3, 6): lane 15, register 0.
    expect_place(call, 0x3f800000, 32, {14, 2, 0, 26, 1, 0, 15, 0}, true);
}

TEST(Products, BytesLieWhereTheManualSays) {
    const std::string call = "multiply_m16n8k32<int8, int8>(c, a, b);";
    // a(11, 10): columns 8..11: lane 3 * 4 + 2, register 1, element 2. b(10, 6): lane 26, element 2.
    expect_place(call, 1, 8, {14, 1, 2, 26, 0, 2, 15, 2}, false);
    // a(3, 27): columns 24..27: register 2, element 3. b(27, 6): register 1.
    expect_place(call, 1, 8, {14, 2, 3, 26, 1, 3, 15, 0}, false);
}

TEST(Products, BytesHaveTheirSigns) {
    const Integers ones(128, -1), b(64, -1), c(128, 7);  // every byte 0xff
    EXPECT_EQ(multiply("multiply_m16n8k32<int8, int8>(c, a, b);", ones, b, c, "int32"), Integers(128, 7 + 32));
    EXPECT_EQ(multiply("multiply_m16n8k32<uint8, int8>(c, a, b);", ones, b, c, "int32"), Integers(128, 7 - 32 * 255));
    EXPECT_EQ(multiply("multiply_m16n8k32<int8, uint8>(c, a, b);", ones, b, c, "int32"), Integers(128, 7 - 32 * 255));
    EXPECT_EQ(multiply("multiply_m16n8k32<uint8, uint8>(c, a, b);", ones, b, c, "int32"),
              Integers(128, 7 + 32 * 255 * 255));
}

TEST(Products, HalvesOfEveryKindConvert) {
    // a(0, 0) is the half, b(0, 0) is 1.
    const auto convert = [](int half) {
        Integers a(128, 0), b(64, 0);
        a[0] = half;
        b[0] = 0x3c00;
        return std::bit_cast<float>(multiply("multiply_m16n8k16<half>(c, a, b);", a, b, Integers(128, 0), "float")[0]);
    };
    EXPECT_EQ(convert(0x0001), 0x1p-24f);
    EXPECT_EQ(convert(0x83ff), -1023 * 0x1p-24f);
    EXPECT_EQ(convert(0x0400), 0x1p-14f);
    EXPECT_EQ(convert(0x7bff), 65504.0f);
    EXPECT_EQ(convert(0xfc00), -INFINITY);
    EXPECT_TRUE(std::isnan(convert(0x7e00)));
}

TEST(Products, Tf32OperandsLoseTheirLowBits) {
    Integers a(128, 0), b(64, 0);
    a[0] = 0x3f801fff;
    b[0] = 0x3f800000;
    EXPECT_EQ(multiply("multiply_m16n8k8_tf32(c, a, b);", a, b, Integers(128, 0), "float")[0], 0x3f800000);
}

TEST(Products, Tf32RoundsToNearestAwayFromZero) {
    const Integers y =
        run_warp("if (i < 6) store_element(y + i, int32(float_to_tf32_bits(bit_cast<float>(load_element(x + i)))));",
                 {0x3f800fff, 0x3f801000, static_cast<int32_t>(0xbf801000), 0x7f800000, 0x7f7fffff, 0x7fc00001}, 6);
    EXPECT_EQ(y,
              (Integers{0x3f800000, 0x3f802000, static_cast<int32_t>(0xbf802000), 0x7f800000, 0x7f800000, 0x7fffffff}));
}

}  // namespace
}  // namespace tenon::engine
