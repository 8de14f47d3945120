#include "tests/reference/expect_values.h"

namespace tenon::testing {
namespace {

TEST(ReferenceConv, SlidesWithoutFlippingTheFilter) {
    expect_op(Conv{}, {{"", {1, 1, 2, 3}}, {"", {1, 1, 1, 2}}}, {counting(6), {1, 10}}, {{10, 21, 43, 54}});
}

TEST(ReferenceConv, SkipsCellsOutsideInsteadOfMultiplyingThemByZero) {
    const double infinity = std::numeric_limits<double>::infinity();
    // Output 0 sees only the middle and right tap; the infinite left one lies on padding.
    expect_op(Conv{.pad = {1, 0}}, {{"", {1, 1, 3}}, {"", {1, 1, 3}}}, {{1, 2, 3}, {infinity, 1, 1}}, {{3, infinity}});
}

TEST(ReferenceConv, TakesThreeSpatialAxesWithOwnStridesAndPads) {
    // Corners of a 2x2x2 cube of 1..8; stride 2 over the padded 4x4x4 leaves one cell each.
    expect_op(Conv{.stride = {2, 2, 2}, .pad = {1, 1, 1, 1, 1, 1}}, {{"", {1, 1, 2, 2, 2}}, {"", {1, 1, 2, 2, 2}}},
              {counting(8, 1.0), Values(8, 1.0)}, {{1, 2, 3, 4, 5, 6, 7, 8}});
}

TEST(ReferenceConv, DividesChannelsIntoGroupsWithSeveralFiltersEach) {
    expect_op(Conv{.groups = 2}, {{"", {2, 2, 1}}, {"", {4, 1, 1}}}, {{1, 2, 3, 4}, {1, 10, 100, 1000}},
              {{1, 10, 200, 2000, 3, 30, 400, 4000}});
}

TEST(ReferenceConv, SumsBytesExactlyInThirtyTwoBits) {
    expect_op(Conv{}, {{"", {1, 4, 1}, DataType::U8}, {"", {1, 4, 1}, DataType::I8}},
              {Values(4, 255.0), Values(4, -128.0)}, {{-130560.0}});
}

TEST(ReferenceConv, GivesTheSameWithOneLongRowAsWithMany) {
    // A 1x1 filter takes the joined path, the same filter inside a 3x3 one does not.
    NamedValues values{{"x", counting(2 * 3 * 5 * 7)}, {"w", {1, -2, 3}}};
    Values padded(27, 0.0);
    for (size_t c = 0; c < 3; ++c) padded[c * 9 + 4] = values["w"][c];
    values["padded"] = padded;
    Graph graph;
    const Tensor x = graph.input({"x", {2, 3, 5, 7}});
    graph.output(graph.conv(x, graph.input({"w", {1, 3, 1, 1}}), {}, {.name = "joined"}));
    graph.output(graph.conv(x, graph.input({"padded", {1, 3, 3, 3}}), {.pad = {1, 1, 1, 1}}, {.name = "rows"}));
    auto outputs = run_on_reference(graph, values);
    ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
    EXPECT_TRUE(is_close(outputs->at("joined"), outputs->at("rows").values(), kExact));
}

TEST(ReferenceConv, DoesNotDependOnThreads) {
    // 5 million products: enough for the threaded path. Every sum is exact.
    Graph graph;
    const Tensor y =
        graph.conv(graph.input({"x", {1, 16, 64, 64}}), graph.input({"w", {8, 16, 3, 3}}), {.pad = {1, 1, 1, 1}});
    graph.output(y, {.name = "y"});
    auto outputs =
        run_on_reference(graph, NamedValues{{"x", Values(16 * 64 * 64, 1.0)}, {"w", Values(8 * 16 * 9, 1.0)}});
    ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
    const Values found = outputs->at("y").values();
    for (size_t i = 0; i < found.size(); ++i) {
        const size_t row = i / 64 % 64, column = i % 64;
        const double taps = (row % 63 == 0 ? 2.0 : 3.0) * (column % 63 == 0 ? 2.0 : 3.0);
        ASSERT_EQ(found[i], 16.0 * taps) << coordinates_text({1, 8, 64, 64}, static_cast<int64_t>(i));
    }
}

TEST(ReferenceConvTranspose, AddsOverlapsAndOutputPadding) {
    expect_op(ConvTranspose{.stride = {2}, .output_padding = {1}}, {{"", {1, 1, 2}}, {"", {1, 1, 3}}},
              {{1, 10}, {1, 2, 3}}, {{1, 2, 13, 20, 30, 0}});
}

TEST(ReferenceMatmul, BroadcastsBatchesFromTheEnd) {
    expect_op(Matmul{}, {{"", {2, 1, 1, 2}}, {"", {2, 2, 1}}}, {{1, 2, 3, 4}, {1, 10, 100, 1000}},
              {{21, 2100, 43, 4300}});
}

TEST(ReferenceMatmul, SumsOfNothingAreZero) {
    expect_op(Matmul{}, {{"", {2, 0}}, {"", {0, 2}}}, {{}, {}}, {Values(4, 0.0)});
}

TEST(ReferenceMatmul, WrapsBytesThatOverflowThirtyTwoBits) {
    // 131,073 * 128 * 128 = 2^31 + 2^14.
    const size_t depth = 131073;
    expect_op(Matmul{}, {{"", {1, 131073}, DataType::I8}, {"", {131073, 1}, DataType::I8}},
              {Values(depth, -128.0), Values(depth, -128.0)}, {{-2147467264.0}});
}

}  // namespace
}  // namespace tenon::testing
