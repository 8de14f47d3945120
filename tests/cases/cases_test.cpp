// Public faults of graph compilers as small inputs with right answers; run fused and unfused on the emulator and on the
// reference.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

/// Output y of the graph on every device.
void expect_everywhere(const Graph& graph, const std::map<std::string, Numbers>& inputs,
                       const std::map<std::string, Numbers>& expected) {
    for (const bool fuse : {true, false}) {
        for (const CpuDevice device : {CpuDevice::Reference, CpuDevice::Emulator}) {
            const auto outputs = run(graph, device, inputs, {.fuse = fuse});
            ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
            for (const auto& [name, numbers] : expected) {
                const Numbers& found = outputs->at(name);
                ASSERT_EQ(found.size(), numbers.size());
                for (size_t i = 0; i < numbers.size(); ++i) {
                    if (std::isnan(numbers[i]))
                        EXPECT_TRUE(std::isnan(found[i])) << name << "[" << i << "] is " << found[i];
                    else
                        EXPECT_EQ(found[i], numbers[i]) << name << "[" << i << "]";
                }
            }
        }
    }
}

Numbers counting(size_t count, double start = 0.0) {
    Numbers numbers(count);
    for (size_t i = 0; i < count; ++i) numbers[i] = start + static_cast<double>(i);
    return numbers;
}

TEST(Cases, case_01_full_map_addend_of_a_grouped_conv_is_no_bias) {
    Graph g;
    const Tensor conv = g.conv(g.input({"x", {1, 4, 2, 2}}), g.input({"w", {4, 2, 1, 1}}), {.groups = 2});
    g.output(g.add(conv, g.input({"z", {1, 4, 2, 2}}), {.name = "y"}));
    Numbers z;
    for (int k = 0; k < 4; ++k)
        for (int h = 0; h < 2; ++h)
            for (int w = 0; w < 2; ++w) z.push_back(100 * k + 10 * h + w);
    expect_everywhere(g, {{"x", counting(16)}, {"w", Numbers(8, 1.0)}, {"z", z}},
                      {{"y", {4, 7, 18, 21, 104, 107, 118, 121, 220, 223, 234, 237, 320, 323, 334, 337}}});
}

TEST(Cases, case_02_every_broadcast_of_the_addend) {
    const auto graph = [](Dims z) {
        Graph g;
        const Tensor conv = g.conv(g.input({"x", {2, 2, 2, 2}}), g.input({"w", {3, 2, 1, 1}}));
        g.output(g.relu(g.add(conv, g.input({"z", std::move(z)})), {.name = "y"}));
        return g;
    };
    Numbers x(16, 1.0);
    std::fill(x.begin() + 8, x.end(), 2.0);
    const auto each4 = [](const Numbers& values) {
        Numbers out;
        for (const double v : values) out.insert(out.end(), 4, v);
        return out;
    };
    expect_everywhere(graph({1, 3, 1, 1}), {{"x", x}, {"w", Numbers(6, 1.0)}, {"z", {0, -3, 10}}},
                      {{"y", each4({2, 0, 12, 4, 1, 14})}});
    expect_everywhere(graph({2, 1, 1, 1}), {{"x", x}, {"w", Numbers(6, 1.0)}, {"z", {0, -5}}},
                      {{"y", each4({2, 2, 2, 0, 0, 0})}});
}

TEST(Cases, case_04_equal_sizes_do_not_decide_the_axis) {
    for (const bool rows : {true, false}) {
        Graph g;
        g.output(g.add(g.matmul(g.input({"a", {3, 2}}), g.input({"b", {2, 3}})),
                       g.input({"z", rows ? Dims{3, 1} : Dims{1, 3}}), {.name = "y"}));
        const Numbers by_row{102, 102, 102, 202, 202, 202, 302, 302, 302},
            by_column{102, 202, 302, 102, 202, 302, 102, 202, 302};
        expect_everywhere(g, {{"a", Numbers(6, 1.0)}, {"b", Numbers(6, 1.0)}, {"z", {100, 200, 300}}},
                          {{"y", rows ? by_row : by_column}});
    }
}

TEST(Cases, case_07_strides_never_say_which_axis_is_the_channel) {
    Graph g;
    g.output(g.conv(g.input({"x", {1, 4, 4, 4}}), g.input({"w", {1, 4, 1, 1}}), {}, {.name = "y"}));
    expect_everywhere(g, {{"x", counting(64)}, {"w", {1, 0, 0, 0}}}, {{"y", counting(16)}});
}

TEST(Cases, case_11_asymmetric_padding) {
    Graph g;
    g.output(g.conv(g.input({"x", {1, 1, 3, 3}}), g.input({"w", {1, 1, 2, 2}}), {.stride = {2, 2}, .pad = {1, 1, 2, 2}},
                    {.name = "y"}));
    expect_everywhere(g, {{"x", counting(9, 1.0)}, {"w", Numbers(4, 1.0)}}, {{"y", {1, 5, 0, 11, 28, 0, 0, 0, 0}}});
}

TEST(Cases, case_13_transposed_conv_with_stride_and_dilation) {
    Graph g;
    g.output(g.conv_transpose(g.input({"x", {1, 1, 2, 2}}), g.input({"w", {1, 1, 3, 3}}),
                              {.stride = {2, 2}, .dilation = {2, 2}, .pad = {1, 1, 1, 1}}, {.name = "y"}));
    Numbers y(25, 0.0);
    y[6] = 23, y[8] = 33, y[16] = 53, y[18] = 63;
    expect_everywhere(g, {{"x", counting(4, 1.0)}, {"w", counting(9, 1.0)}}, {{"y", y}});
}

TEST(Cases, case_19_average_pool_divides_by_what_lies_inside) {
    for (const bool counting_padding : {true, false}) {
        Graph g;
        g.output(g.pool(g.input({"x", {1, 1, 6}}), {PoolKind::Average, {3}, {2}, {}, {1, 1}, true, counting_padding},
                        {.name = "y"}));
        expect_everywhere(g, {{"x", counting(6, 1.0)}},
                          {{"y", counting_padding ? Numbers{1, 3, 5, 3} : Numbers{1.5, 3, 5, 6}}});
    }
}

TEST(Cases, case_20_nan_and_infinities_in_max_pool) {
    Graph g;
    g.output(g.pool(g.input({"x", {1, 3, 2, 2, 2}}), {PoolKind::Max, {2, 2, 2}}, {.name = "y"}));
    Numbers x(24, NAN);
    std::fill(x.begin() + 8, x.begin() + 16, 5.0);
    x[11] = NAN;
    std::fill(x.begin() + 16, x.end(), -INFINITY);
    expect_everywhere(g, {{"x", x}}, {{"y", {NAN, NAN, -INFINITY}}});
}

TEST(Cases, case_22_means_of_ones_stay_one) {
    Graph g;
    g.output(g.pool(g.input({"x", {1, 1, 240, 273}, DataType::F16}), {PoolKind::Average}, {.name = "y"}));
    expect_everywhere(g, {{"x", Numbers(65520, 1.0)}}, {{"y", {1.0}}});
}

TEST(Cases, case_23_nan_propagates_in_any_operand) {
    for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
        Graph g;
        const Tensor a = g.input({"a", {6}, type}), b = g.input({"b", {6}, type});
        g.output(g.pointwise(PointwiseKind::Maximum, {a, b}, {.name = "max"}));
        g.output(g.pointwise(PointwiseKind::Minimum, {a, b}, {.name = "min"}));
        g.output(g.relu(a, {.name = "relu"}));
        g.output(g.clip(a, 0, 6, {.name = "clip"}));
        expect_everywhere(g, {{"a", {NAN, 1, NAN, 0, -0.0, -INFINITY}}, {"b", {1, NAN, NAN, -1, 0.0, 2}}},
                          {{"max", {NAN, NAN, NAN, 0, 0, 2}},
                           {"min", {NAN, NAN, NAN, -1, 0, -INFINITY}},
                           {"relu", {NAN, 1, NAN, 0, 0, 0}},
                           {"clip", {NAN, 1, NAN, 0, 0, 0}}});
    }
}

TEST(Cases, case_31_rounds_at_a_declared_type_fused_or_not) {
    for (const DataType middle : {DataType::BF16, DataType::F32}) {
        Graph g;
        const Tensor conv = g.conv(g.input({"x", {1, 2, 1, 1}, DataType::BF16}),
                                   g.input({"w", {1, 2, 1, 1}, DataType::BF16}), {}, {.type = middle});
        g.output(g.add(conv, g.input({"z", {1, 1, 1, 1}, DataType::BF16}), {.name = "y", .type = DataType::BF16}));
        expect_everywhere(g, {{"x", {1, 1.0 / 256}}, {"w", {1, 1}}, {"z", {1.0 / 256}}},
                          {{"y", {middle == DataType::F32 ? 1.0078125 : 1.0}}});
    }
}

TEST(Cases, case_32_saturates_once_and_casts_by_the_contract) {
    Graph g;
    const Tensor conv = g.conv(g.input({"x", {1, 2, 1, 1}, DataType::I8}), g.input({"w", {1, 2, 1, 1}, DataType::I8}));
    const Tensor z = g.cast(g.input({"z", {1, 1, 1, 1}, DataType::I8}), DataType::I32);
    const Tensor sum = g.cast(g.add(conv, z), DataType::F32);
    g.output(g.cast(sum, DataType::I8, {.name = "y"}));
    g.output(g.cast(g.input({"f", {7}}), DataType::I8, {.name = "c"}));
    expect_everywhere(
        g, {{"x", {100, 100}}, {"w", {1, 1}}, {"z", {-73}}, {"f", {2.5, 3.5, -2.5, 300, -200, NAN, INFINITY}}},
        {{"y", {127}}, {"c", {2, 4, -2, 127, -128, 0, 127}}});
}

TEST(Cases, case_40_an_empty_image_with_padding_gives_the_bias) {
    Graph g;
    const Tensor conv = g.conv(g.input({"x", {2, 3, 0, 5}}), g.input({"w", {2, 3, 2, 2}}), {.pad = {1, 1, 1, 1}});
    g.output(g.relu(g.add(conv, g.input({"bias", {2, 1, 1}})), {.name = "y"}));
    Numbers y;
    for (int n = 0; n < 2; ++n) {
        y.insert(y.end(), 6, 7.0);
        y.insert(y.end(), 6, 0.0);
    }
    expect_everywhere(g, {{"x", {}}, {"w", Numbers(24, 1.0)}, {"bias", {7, -7}}}, {{"y", y}});
}

TEST(Cases, case_43_a_branch_beside_the_activation_keeps_its_values) {
    Graph g;
    const Tensor c = g.conv(g.input({"x", {1, 1, 1, 4}}), g.input({"w", {1, 1, 1, 1}}), {}, {.name = "c"});
    const Tensor r = g.relu(c, {.name = "r"});
    g.output(g.add(c, r, {.name = "s"}));
    g.output(r);
    g.output(c);
    expect_everywhere(g, {{"x", {-2, -1, 1, 2}}, {"w", {1}}},
                      {{"c", {-2, -1, 1, 2}}, {"r", {0, 0, 1, 2}}, {"s", {-2, -1, 2, 4}}});
}

TEST(Cases, case_44_transposed_conv_groups_and_channel_scale) {
    Graph g;
    const Tensor conv = g.conv_transpose(g.input({"x", {1, 4, 1, 1}}), g.input({"w", {4, 2, 1, 1}}), {.groups = 2});
    g.output(g.multiply(conv, g.input({"scale", {4, 1, 1}}), {.name = "y"}));
    expect_everywhere(g, {{"x", counting(4, 1.0)}, {"w", counting(8, 1.0)}, {"scale", {10, 100, 1000, 10000}}},
                      {{"y", {70, 1000, 43000, 500000}}});
}

TEST(Cases, case_59_infinite_bounds_compile) {
    Graph g;
    g.output(g.clip(g.input({"a/b.c:0", {3}}), -INFINITY, 6.0, {.name = "int"}));
    expect_everywhere(g, {{"a/b.c:0", {-1e30f, 7, -0.0}}}, {{"int", {-1e30f, 6, 0}}});
}

}  // namespace
}  // namespace tenon::test
