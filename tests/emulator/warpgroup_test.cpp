// Products of warpgroups, against plain loops and places worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int kRows = 64, kColumns = 32, kDepth = 64;

/// y = a b^T for small integers as halves: a is 64 x 64, b is 32 x 64, both swizzled in shared memory row by row. The
/// body runs with tiles `a` and `b` filled, sums `c`, and `store` behind it.
SmallKernel product_kernel(const std::string& body, const std::string& fence = "fence_async_shared();") {
    return {
        .body =
            "uint8* a = shared_memory(); uint8* b = a + 8192; const uint32 i = thread_index();"
            "for (uint32 n = i; n < 96 * 64; n += 128) {"
            "    const uint32 row = n / 64, place = row * 128 + n % 64 * 2, swizzled = place ^ (row % 8 * 16);"
            "    store_shared(reinterpret_cast<uint16*>(a + swizzled), float_to_half_bits(float(int(n * 7 % 11) - 5)));"
            "}" +
            fence +
            "block_barrier();"
            "float c[16]; for (int j = 0; j < 16; ++j) c[j] = 0.5f;" +
            body +
            "for (int j = 0; j < 16; ++j)"
            "    store_element(y + (i / 32 * 16 + i % 32 / 4 + j / 2 % 2 * 8) * 32 + j / 4 * 8 + i % 4 * 2 + j % 2, "
            "c[j]);",
        .launch = {.block = {128, 1, 1}, .shared_bytes = 12288},
        .includes = {"tenon/memory.cuh", "tenon/arch/warpgroup_matrix.cuh", "tenon/arch/tensor_copy.cuh"}};
}

/// Steps of 16 along k; the first keeps c only if told so.
std::string products(bool keep) {
    return "for (int k = 0; k < 4; ++k) WarpgroupProduct<half, 32>::start(c, matrix_descriptor(a + 32 * k),"
           "matrix_descriptor(b + 32 * k), k > 0 || " +
           std::string(keep ? "true" : "false") + ");";
}

float value(int row, int k) { return static_cast<float>((row * 64 + k) * 7 % 11 - 5); }

std::vector<float> expected(float start, int first_b_row = kRows) {
    std::vector<float> sums;
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            float sum = start;
            for (int k = 0; k < kDepth; ++k) sum += value(row, k) * value(first_b_row + column, k);
            sums.push_back(sum);
        }
    }
    return sums;
}

std::vector<float> run(const std::string& body) {
    std::vector<float> y(kRows * kColumns, -1.0f);
    const Status status = run_small(product_kernel(body), {0.0f}, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return y;
}

std::string fault_in(const std::string& body, const std::string& fence = "fence_async_shared();") {
    std::vector<float> y(kRows * kColumns);
    return run_small(product_kernel(body, fence), {0.0f}, y).message();
}

TEST(Warpgroup, MultipliesSwizzledTiles) {
    EXPECT_EQ(run("warpgroup_fence();" + products(false) + "commit_products(); wait_products<0>();"), expected(0.0f));
    EXPECT_EQ(run("warpgroup_fence();" + products(true) + "commit_products(); wait_products<0>();"), expected(0.5f));
}

TEST(Warpgroup, GroupsEndInOrder) {
    EXPECT_EQ(run("warpgroup_fence();" + products(false) +
                  "commit_products();"
                  "float d[16]; for (int j = 0; j < 16; ++j) d[j] = 0.0f; warpgroup_fence();"
                  "WarpgroupProduct<half, 32>::start(d, matrix_descriptor(a), matrix_descriptor(b), false); "
                  "commit_products();"
                  "wait_products<1>();"),
              expected(0.0f));
}

TEST(Warpgroup, SumsArePoisonUntilTheWait) {
    const std::vector<float> y = run("warpgroup_fence();" + products(false) +
                                     "commit_products();"
                                     "float early[16]; for (int j = 0; j < 16; ++j) early[j] = c[j];"
                                     "wait_products<0>(); for (int j = 0; j < 16; ++j) c[j] = early[j];");
    EXPECT_TRUE(std::all_of(y.begin(), y.end(), [](float v) { return v != v; }));
}

// A tile that starts at any row of the swizzle pattern: rows of b from its second on, by address alone.
TEST(Warpgroup, TilesMayStartAtAnyRow) {
    EXPECT_EQ(run("warpgroup_fence();"
                  "for (int k = 0; k < 4; ++k) WarpgroupProduct<half, 32>::start(c, matrix_descriptor(a + 32 * k),"
                  "matrix_descriptor(b - 128 * 3 + 32 * k), k > 0);"
                  "commit_products(); wait_products<0>();"),
              expected(0.0f, kRows - 3));
}

TEST(Warpgroup, MissingFencesAreFound) {
    EXPECT_THAT(fault_in(products(false)), HasSubstr("needs a warpgroup_fence in front"));
    EXPECT_THAT(fault_in("warpgroup_fence();" + products(false) + "commit_products(); wait_products<0>();", ""),
                HasSubstr("not fenced for asynchronous use since a write by thread"));
}

TEST(Warpgroup, OverwritingOperandsIsFound) {
    EXPECT_THAT(fault_in("warpgroup_fence();" + products(false) +
                         "commit_products(); if (i == 5) store_shared(a, uint8(0)); wait_products<0>();"),
                HasSubstr("an asynchronous copy or product still reads: a wait is missing"));
    EXPECT_THAT(
        fault_in("warpgroup_fence();" + products(false) + "wait_products<0>(); if (i == 5) store_shared(a, uint8(0));"),
        HasSubstr("a wait is missing"));  // never committed
}

TEST(Warpgroup, ThreadsThatPartAreFound) {
    EXPECT_THAT(fault_in("warpgroup_fence(); if (i < 96) {" + products(false) + "}"),
                AnyOf(HasSubstr("wait for the other threads of the warpgroup"), HasSubstr("still reads")));
    EXPECT_THAT(fault_in("warpgroup_fence(); WarpgroupProduct<half, 32>::start(c, matrix_descriptor(a), "
                         "matrix_descriptor(b), i < 64);"),
                HasSubstr("start different products"));
}

TEST(Warpgroup, RegistersAreCounted) {
    const auto with = [](const std::string& body) {
        return fault_of({.body = "const uint32 group = thread_index() / 128;" + body,
                         .launch = {.block = {384, 1, 1}},
                         .includes = {"tenon/arch/warpgroup_matrix.cuh"}});
    };
    EXPECT_EQ(with("if (group == 0) give_registers<40>(); else take_registers<232>();"), "");
    EXPECT_THAT(with("if (group == 0) give_registers<40>(); else take_registers<240>();"),
                HasSubstr("its warpgroups take 66560 registers, a block has 65536"));
}

/// Other types: one element of a and b each.
TEST(Warpgroup, ReadsBfloat16AndTf32) {
    const auto run_type = [](const std::string& type, const std::string& bits, const std::string& word) {
        std::vector<float> y(64 * 8, -1.0f);
        // a(37, 5) = 2 and b(6, 5) = 2 in rows of 128 bytes.
        const Status status = run_small(
            {.body = "uint8* a = shared_memory(); uint8* b = a + 8192; const uint32 i = thread_index();"
                     "for (uint32 n = i; n < 72 * 32; n += 128) store_shared(reinterpret_cast<uint32*>(a) + n, 0u);"
                     "block_barrier(); const uint32 size = sizeof(" +
                     word +
                     ");"
                     "if (i == 0) { store_shared(reinterpret_cast<" +
                     word + "*>(a + ((37 * 128 + 5 * size) ^ (37 % 8 * 16))), " + word + "(" + bits +
                     "));"
                     "store_shared(reinterpret_cast<" +
                     word + "*>(b + ((6 * 128 + 5 * size) ^ (6 * 16))), " + word + "(" + bits +
                     ")); }"
                     "fence_async_shared(); block_barrier(); warpgroup_fence(); float c[4] = {};"
                     "WarpgroupProduct<" +
                     type +
                     ", 8>::start(c, matrix_descriptor(a), matrix_descriptor(b), false);"
                     "commit_products(); wait_products<0>();"
                     "for (int j = 0; j < 4; ++j) store_element(y + (i / 32 * 16 + i % 32 / 4 + j / 2 * 8) * 8 + i % 4 "
                     "* 2 + j % 2, c[j]);",
             .launch = {.block = {128, 1, 1}, .shared_bytes = 9216},
             .includes = {"tenon/memory.cuh", "tenon/arch/warpgroup_matrix.cuh", "tenon/arch/tensor_copy.cuh"}},
            {0.0f}, y);
        EXPECT_TRUE(status.is_ok()) << status.message();
        std::vector<float> wanted(64 * 8, 0.0f);
        wanted[37 * 8 + 6] = 4.0f;
        EXPECT_EQ(y, wanted) << type;
    };
    run_type("half", "0x4000", "uint16");
    run_type("bfloat16", "0x4000", "uint16");
    run_type("tf32", "0x40000000", "uint32");
}

}  // namespace
}  // namespace tenon::engine
