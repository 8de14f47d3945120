// Every pointwise function on NaN, infinities, zeros, the smallest and the largest numbers: kernels against reference.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/support/run.h"

namespace tenon::test {
namespace {

/// Least and greatest number of a type.
std::pair<double, double> ends(DataType type) {
    if (type == DataType::F16) return {0x1p-24, 65504.0};
    if (type == DataType::BF16) return {0x1p-133, 0x1.fep127};
    if (type == DataType::F32) return {0x1p-149, std::numeric_limits<float>::max()};
    return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
}

/// Every pair of special numbers: a runs slowly, b fast.
std::pair<Numbers, Numbers> pairs_of_special_numbers(DataType type) {
    const auto [least, greatest] = ends(type);
    const Numbers special = {NAN,  INFINITY, -INFINITY, 0.0,   -0.0,   1.0,      -1.0,     0.5,
                             -2.5, 3.0,      -7.0,      least, -least, greatest, -greatest};
    Numbers a, b;
    for (const double left : special) {
        for (const double right : special) {
            a.push_back(left);
            b.push_back(right);
        }
    }
    return {a, b};
}

/// NaN with NaN, infinity with infinity; finite numbers within the error of short formulas in the type, as a part of
/// `scale` if that is larger than the number.
bool agree(double found, double expected, DataType type, double scale) {
    if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
    if (std::isinf(found) || std::isinf(expected)) return found == expected;
    const double unit = type == DataType::F16    ? 0x1p-10
                        : type == DataType::BF16 ? 0x1p-7
                        : type == DataType::F32  ? 0x1p-18
                                                 : 0x1p-46;
    return std::fabs(found - expected) <= unit * std::max(scale, std::fabs(expected));
}

class SpecialNumbers : public testing::TestWithParam<DataType> {};

TEST_P(SpecialNumbers, AgreeWithTheReferenceInEveryFunction) {
    const DataType type = GetParam();
    const auto [a_numbers, b_numbers] = pairs_of_special_numbers(type);
    const Dims dims{static_cast<int64_t>(a_numbers.size())};
    Graph graph;
    const Tensor a = graph.input({"a", dims, type}), b = graph.input({"b", dims, type});
    for (const PointwiseInfo& row : kPointwise) {
        if (row.domain == PointwiseDomain::Integer || row.domain == PointwiseDomain::Boolean || row.inputs > 2)
            continue;
        const std::vector<Tensor> inputs = row.inputs == 1 ? std::vector<Tensor>{a} : std::vector<Tensor>{a, b};
        graph.output(graph.pointwise(row.kind, inputs, {.name = std::string(row.name)}));
    }
    const auto expected = run(graph, CpuDevice::Reference, {{"a", a_numbers}, {"b", b_numbers}});
    const auto found = run(graph, CpuDevice::Emulator, {{"a", a_numbers}, {"b", b_numbers}});
    ASSERT_TRUE(expected.is_ok()) << expected.status().message();
    ASSERT_TRUE(found.is_ok()) << found.status().message();
    for (const auto& [name, numbers] : *expected) {
        std::ostringstream wrong;
        for (size_t i = 0; i < numbers.size(); ++i) {
            // A gradient is a slope of about 1 times a, whose error grows with it.
            const bool is_gradient = name.find("_backward") != std::string::npos && std::isfinite(a_numbers[i]);
            const double scale = is_gradient ? std::max(1.0, std::fabs(a_numbers[i])) : 1.0;
            if (agree(found->at(name)[i], numbers[i], type, scale)) continue;
            wrong << "\n    " << name << "(" << a_numbers[i] << ", " << b_numbers[i] << ") is " << found->at(name)[i]
                  << ", needs " << numbers[i];
        }
        EXPECT_EQ(wrong.str(), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Types, SpecialNumbers, testing::Values(DataType::F16, DataType::F32, DataType::F64),
                         [](const auto& info) { return std::string(to_string(info.param)); });

/// Empty integer reductions and windows of padding only have the lowest or highest integer of the type.
TEST(NothingToCompare, GivesTheNeutralElementOfTheType) {
    for (const DataType type : {DataType::I8, DataType::U8, DataType::I64, DataType::F32}) {
        Graph graph;
        const Tensor empty = graph.input({"empty", {2, 0, 3}, type});
        const Tensor image = graph.input({"image", {1, 1, 2, 2}, type});
        for (const ReduceKind kind : {ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Max, ReduceKind::Min,
                                      ReduceKind::Prod, ReduceKind::Amax, ReduceKind::Norm1, ReduceKind::Norm2}) {
            const std::string name = "reduce_" + std::to_string(static_cast<int>(kind));
            graph.output(graph.reduce(empty, {kind, {1}}, {.name = name}));
        }
        const std::vector<Tensor> pooled = graph.apply(
            Pool{PoolKind::Max, {1, 1}, {}, {}, {1, 1, 1, 1}, false, false, true}, {image}, {.name = "pooled"});
        for (const Tensor result : pooled) graph.output(result);
        ASSERT_TRUE(graph.validate().is_ok()) << graph.validate().message();
        EXPECT_EQ(disagreement(graph, {{"empty", {}}, {"image", {3, 1, 2, 4}}}), "") << to_string(type);
        const auto outputs = run(graph, CpuDevice::Emulator, {{"empty", {}}, {"image", {3, 1, 2, 4}}});
        ASSERT_TRUE(outputs.is_ok()) << outputs.status().message();
        const double lowest = is_floating(type)      ? -INFINITY
                              : type == DataType::U8 ? 0.0
                              : type == DataType::I8 ? -128.0
                                                     : -0x1p63;
        EXPECT_EQ(outputs->at("reduce_2").front(), lowest) << to_string(type);
        EXPECT_EQ(outputs->at("pooled").front(), lowest) << to_string(type);
    }
}

}  // namespace
}  // namespace tenon::test
