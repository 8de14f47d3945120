// Copies of boxes by the copy engine, against places worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engine/emulator/tensor_box.h"
#include "tests/emulator/kernel_run.h"

namespace tenon::engine {
namespace {

using codegen::TensorMapShape;
using testing::HasSubstr;

/// One warp loads one box into the start of shared memory (8 KiB), then `body` runs. `barrier` stands behind it.
SmallKernel load_kernel(const std::string& load, const std::string& body, const TensorMapShape& map) {
    return {.body =
                "uint8* shared = shared_memory(); const uint32 i = thread_index();"
                "Mbarrier* barrier = reinterpret_cast<Mbarrier*>(shared + 8192);"
                "if (i == 0) { mbarrier_init(barrier, 1); mbarrier_init_fence();" +
                load + "} warp_barrier(); mbarrier_wait(barrier, 0);" + body,
            .launch = {.block = {32, 1, 1}, .shared_bytes = 8200},
            .includes = {"tenon/memory.cuh", "tenon/arch/tensor_copy.cuh"},
            .map_x = map};
}

/// The floats of shared memory after the load; `count` of them, which are also the bytes it brings.
std::vector<float> loaded(const std::string& load, const TensorMapShape& map, size_t count,
                          const std::vector<float>& x) {
    std::vector<float> y(count, -1.0f);
    const std::string bytes = std::to_string(4 * count);
    const Status status =
        run_small(load_kernel("mbarrier_arrive_expect(barrier, " + bytes + ");" + load,
                              "for (uint32 n = i; n < " + std::to_string(count) +
                                  "; n += 32) store_element(y + n, load_shared(reinterpret_cast<float*>(shared) + n));",
                              map),
                  x, y);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return y;
}

std::vector<float> counted(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
}

TEST(Box, IsCutOutOfATensor) {
    // 6 rows of 8; a box of 2 rows of 4 from column 4, row 3.
    const TensorMapShape map{.dims = {8, 6}, .strides = {32}, .box = {4, 2}, .steps = {1, 1}};
    EXPECT_EQ(loaded("load_box(shared, &map_x, barrier, 4, 3);", map, 8, counted(48)),
              (std::vector<float>{29, 30, 31, 32, 37, 38, 39, 40}));
}

TEST(Box, IsZeroOutsideTheTensor) {
    const TensorMapShape map{.dims = {6, 6}, .strides = {32}, .box = {4, 3}, .steps = {1, 1}};
    // Column -2, row 4: two columns in front and one row behind are outside.
    EXPECT_EQ(loaded("load_box(shared, &map_x, barrier, -2, 4);", map, 12, counted(48)),
              (std::vector<float>{0, 0, 33, 34, 0, 0, 41, 42, 0, 0, 0, 0}));
    // Column 4: the row has only two more.
    EXPECT_EQ(loaded("load_box(shared, &map_x, barrier, 4, 0);", map, 12, counted(48)),
              (std::vector<float>{5, 6, 0, 0, 13, 14, 0, 0, 21, 22, 0, 0}));
}

TEST(Box, TakesSteps) {
    // Every second row: a box of 4 covers 2.
    const TensorMapShape map{.dims = {4, 8}, .strides = {16}, .box = {4, 4}, .steps = {1, 2}};
    EXPECT_EQ(loaded("load_box(shared, &map_x, barrier, 0, 1);", map, 8, counted(32)),
              (std::vector<float>{5, 6, 7, 8, 13, 14, 15, 16}));
}

TEST(Box, HasUpToFiveAxes) {
    const TensorMapShape map{
        .dims = {4, 2, 2, 2, 2}, .strides = {16, 32, 64, 128}, .box = {4, 1, 2, 1, 2}, .steps = {1, 1, 1, 1, 1}};
    // Axis 2 over both, axis 4 over both, from (0, 1, 0, 1, 0): elements 16 + 64 (axis 3 = 1: 16 floats) ...
    EXPECT_EQ(loaded("load_box(shared, &map_x, barrier, 0, 1, 0, 1, 0);", map, 16, counted(64)),
              (std::vector<float>{21, 22, 23, 24, 29, 30, 31, 32, 53, 54, 55, 56, 61, 62, 63, 64}));
}

TEST(Box, RoundsToTf32) {
    const TensorMapShape map{.dims = {4, 1}, .strides = {16}, .box = {4, 1}, .steps = {1, 1}, .rounds_to_tf32 = true};
    EXPECT_EQ(
        loaded("load_box(shared, &map_x, barrier, 0, 0);", map, 4, {1.0f + 0x1p-11f, 1.0f + 0x3p-11f, 0.0f, -3.0f}),
        (std::vector<float>{1.0f, 1.0f + 0x1p-9f, 0.0f, -3.0f}));
    EXPECT_EQ(rounded_to_tf32(0x3f801000), 0x3f800000u);
    EXPECT_EQ(rounded_to_tf32(0x3f803000), 0x3f804000u);
    EXPECT_EQ(rounded_to_tf32(0x7f7fffff), 0x7f800000u);
    EXPECT_EQ(rounded_to_tf32(0xffc00000), 0x7fffe000u);
}

/// Where 16-byte unit `unit` of row `row` lies.
TEST(Swizzle, FollowsTheManual) {
    const auto unit = [](int bytes, uint32_t row, uint32_t unit_of_row) {
        return swizzled(row * static_cast<uint32_t>(bytes) + unit_of_row * 16, bytes) / 16;
    };
    // 128 bytes: row r holds its units in the order u ^ r.
    EXPECT_EQ(unit(128, 0, 3), 3u);
    EXPECT_EQ(unit(128, 1, 0), 8u + 1u);
    EXPECT_EQ(unit(128, 6, 3), 6u * 8 + 5u);
    EXPECT_EQ(unit(128, 9, 0), 9u * 8 + 1u);
    // 64 bytes: the pattern changes every second row, with period 8.
    EXPECT_EQ(unit(64, 1, 2), 4u + 2u);
    EXPECT_EQ(unit(64, 2, 2), 8u + 3u);
    EXPECT_EQ(unit(64, 7, 1), 28u + 2u);
    // 32 bytes: every fourth row.
    EXPECT_EQ(unit(32, 3, 1), 7u);
    EXPECT_EQ(unit(32, 4, 1), 8u);
    EXPECT_EQ(unit(0, 5, 0), 0u);
}

TEST(Swizzle, IsAppliedToBoxes) {
    // 4 rows of 32 floats, swizzled by 128 bytes: row 1 begins with its units 1, 0, 3, 2 …
    const TensorMapShape map{.dims = {32, 4}, .strides = {128}, .box = {32, 4}, .steps = {1, 1}, .swizzle_bytes = 128};
    const std::vector<float> y = loaded("load_box(shared, &map_x, barrier, 0, 0);", map, 128, counted(128));
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[32], 33.0f + 4.0f);
    EXPECT_EQ(y[32 + 4], 33.0f);
    EXPECT_EQ(y[3 * 32], 97.0f + 12.0f);
    // By absolute address: the same box 640 bytes on begins in row 5 of the pattern, where unit 0 lies in place 5.
    std::vector<float> shifted(32, -1.0f);
    const Status status =
        run_small(load_kernel("mbarrier_arrive_expect(barrier, 512); load_box(shared + 640, &map_x, barrier, 0, 0);",
                              "store_element(y + i, load_shared(reinterpret_cast<float*>(shared + 640) + i));", map),
                  counted(128), shifted);
    EXPECT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(shifted[4 * 5], 1.0f);
}

TEST(Pixels, WalkOverWindowsAndImages) {
    // Two images of 2 rows x 3 columns x 4 channels, a 3x3 filter with one pixel of padding: windows -1 .. extent - 2.
    const TensorMapShape map{.dims = {4, 3, 2, 2},
                             .strides = {16, 48, 96},
                             .steps = {1, 1, 1, 1},
                             .is_im2col = true,
                             .lower_corner = {-1, -1},
                             .upper_corner = {-1, -1},
                             .channels_per_pixel = 4,
                             .pixels_per_column = 8};
    // Pixel p of the tensor holds 4p + 1 first. From window (1, 0) of image 0 (output pixel row 1, column 2), tap (1,
    // 1): the windows' own middle pixels: (row 1, column 2) of image 0, then all of image 1, then outside.
    const std::vector<float> y =
        loaded("load_pixels(shared, &map_x, barrier, 0, 1, 0, 0, 1, 1);", map, 32, counted(48));
    const std::vector<float> middle{21, 25, 29, 33, 37, 41, 45, 0};
    for (size_t p = 0; p < 8; ++p) EXPECT_EQ(y[4 * p], middle[p]) << p;
    // Tap (0, 2) is one column to the left and one row below: row 2 is outside for (1, 2) …
    const std::vector<float> z =
        loaded("load_pixels(shared, &map_x, barrier, 0, 1, 0, 0, 0, 2);", map, 32, counted(48));
    const std::vector<float> corner{0, 0, 37, 41, 0, 0, 0, 0};
    for (size_t p = 0; p < 8; ++p) EXPECT_EQ(z[4 * p], corner[p]) << p;
}

TEST(Pixels, StrideAndAsymmetricCorners) {
    // One image of 5 rows x 4 columns, filter 3 rows x 1 column, rows padded by 1, stride 2 along rows: windows at rows
    // -1, 1, 3 and columns 0 … 3.
    const TensorMapShape map{.dims = {4, 4, 5, 1},
                             .strides = {16, 64, 320},
                             .steps = {1, 1, 2, 1},
                             .is_im2col = true,
                             .lower_corner = {0, -1},
                             .upper_corner = {0, -1},
                             .channels_per_pixel = 4,
                             .pixels_per_column = 12};
    const std::vector<float> y =
        loaded("load_pixels(shared, &map_x, barrier, 0, 0, -1, 0, 0, 1);", map, 48, counted(80));
    for (size_t p = 0; p < 12; ++p) EXPECT_EQ(y[4 * p], static_cast<float>(4 * (p / 4 * 2 * 4 + p % 4) + 1)) << p;
}

TEST(Store, WritesWhatLiesInside) {
    const TensorMapShape map{.dims = {6, 3}, .strides = {32}, .box = {4, 2}, .steps = {1, 1}};
    const auto run = [&](const std::string& fence, const std::string& wait, std::vector<float>& y) {
        return run_small(
            {.body = "float* shared = reinterpret_cast<float*>(shared_memory()); const uint32 i = thread_index();"
                     "if (i < 8) store_shared(shared + i, float(i + 1));" +
                     fence +
                     "warp_barrier();"
                     "if (i == 0) { store_box(&map_y, shared, 4, 2); commit_stores();" +
                     wait + "}",
             .launch = {.block = {32, 1, 1}, .shared_bytes = 1024},
             .includes = {"tenon/memory.cuh", "tenon/arch/tensor_copy.cuh"},
             .map_y = map},
            {0.0f}, y);
    };
    std::vector<float> y(24, 0.0f), expected(24, 0.0f);
    expected[20] = 1.0f;
    expected[21] = 2.0f;
    EXPECT_EQ(run("fence_async_shared();", "wait_stores<0>();", y).message(), "");
    EXPECT_EQ(y, expected);
    EXPECT_EQ(run("fence_async_shared();", "wait_stores_read<0>();", y).message(), "");
    EXPECT_THAT(run("", "wait_stores<0>();", y).message(),
                HasSubstr("not fenced for asynchronous use since a write by thread"));
    EXPECT_THAT(run("fence_async_shared();", "", y).message(),
                HasSubstr("ends while its stores still read shared memory"));
    EXPECT_THAT(run("fence_async_shared();", "store_shared(shared, 1.0f);", y).message(),
                HasSubstr("still reads: a wait is missing"));
    EXPECT_THAT(run("fence_async_shared();", "wait_stores_read<1>(); store_shared(shared, 1.0f);", y).message(),
                HasSubstr("still reads: a wait is missing"));
    EXPECT_EQ(run("fence_async_shared();", "wait_stores_read<0>(); store_shared(shared, 9.0f);", y).message(), "");
    EXPECT_EQ(y, expected);
}

TEST(TensorMap, IsRefusedAsByTheDriver) {
    const TensorMapShape sound{
        .dims = {32, 4}, .strides = {128}, .box = {32, 4}, .steps = {1, 1}, .swizzle_bytes = 128};
    const auto why = [&](const auto& change) {
        codegen::KernelArgument argument{.kind = codegen::KernelArgument::Kind::TensorMap, .map = sound};
        change(argument);
        return why_refused(argument);
    };
    EXPECT_EQ(why([](auto&) {}), "");
    EXPECT_THAT(why([](auto& a) { a.map.dims.push_back(1); }), HasSubstr("differ in rank"));
    EXPECT_THAT(why([](auto& a) { a.map.dims[1] = 0; }), HasSubstr("an extent of 0"));
    EXPECT_THAT(why([](auto& a) { a.map.strides[0] = 136; }), HasSubstr("136 bytes is no multiple of 16"));
    EXPECT_THAT(why([](auto& a) { a.map.strides[0] = uint64_t{1} << 40; }), HasSubstr("below 2^40"));
    EXPECT_THAT(why([](auto& a) { a.map.steps[1] = 9; }), HasSubstr("a step of 9"));
    EXPECT_THAT(why([](auto& a) { a.map.box[1] = 257; }), HasSubstr("a box of 257"));
    EXPECT_THAT(why([](auto& a) { a.map.box[0] = 3; }), HasSubstr("rows of 12 bytes are no multiple of 16"));
    EXPECT_THAT(why([](auto& a) { a.map.box[0] = 64; }), HasSubstr("exceed the swizzle of 128"));
    EXPECT_THAT(why([](auto& a) { a.map.box[0] = 16; }), HasSubstr("narrower than the swizzle"));
    EXPECT_THAT(why([](auto& a) { a.map.swizzle_bytes = 48; }), HasSubstr("a swizzle of 48"));
    EXPECT_THAT(why([](auto& a) { a.type = DataType::F16, a.map.box[0] = 64, a.map.rounds_to_tf32 = true; }),
                HasSubstr("only f32"));
    const auto im2col = [](auto& a) {
        a.map = {.dims = {32, 4, 4, 1},
                 .strides = {128, 512, 2048},
                 .steps = {1, 1, 1, 1},
                 .swizzle_bytes = 128,
                 .is_im2col = true,
                 .channels_per_pixel = 32,
                 .pixels_per_column = 64};
    };
    EXPECT_EQ(why(im2col), "");
    EXPECT_THAT(why([&](auto& a) { im2col(a), a.map.pixels_per_column = 1025; }), HasSubstr("1025 pixels per column"));
    EXPECT_THAT(why([&](auto& a) { im2col(a), a.map.lower_corner[1] = -129; }), HasSubstr("a corner of -129"));
}

TEST(TensorMap, FaultsOfCopiesAreFound) {
    const TensorMapShape map{.dims = {8, 6}, .strides = {32}, .box = {4, 2}, .steps = {1, 1}};
    EXPECT_THAT(fault_of(load_kernel("load_box(shared + 64, &map_x, barrier, 0, 0);", "", map)),
                HasSubstr("shared memory + 64 is misaligned"));
    EXPECT_THAT(fault_of(load_kernel("load_box(shared, &map_x, barrier, 0, 0, 0);", "", map)),
                HasSubstr("has 2 axes; the copy is for 3"));
    EXPECT_THAT(fault_of(load_kernel("load_pixels(shared, &map_x, barrier, 0, 0, 0, 0, 0, 0);", "", map)),
                HasSubstr("the copy is for 4 in im2col mode"));
    TensorMapShape longer = map;
    longer.dims[1] = 12;
    EXPECT_THAT(fault_of(load_kernel("load_box(shared, &map_x, barrier, 0, 7);", "", longer)),
                HasSubstr("'map_x' + 256 bytes is outside of it"));
    TensorMapShape refused = map;
    refused.strides[0] = 20;
    EXPECT_THAT(fault_of(load_kernel("", "", refused)),
                HasSubstr("the tensor map 'map_x' is refused: a stride of 20 bytes"));
}

}  // namespace
}  // namespace tenon::engine
