#pragma once

#include <array>
#include <string_view>

#include <tenon/graph.h>

#include "frontend/graph/graph_data.h"

namespace tenon {

/// Names of the enumerators of an enumeration, in their order. One without a row does not compile.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kEnumNames = {};

template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<Layout> = {"nchw", "nhwc"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<Fusion> = {"allowed", "forbidden", "required"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ValueKind> = {"input", "host_scalar", "constant",
                                                                          "computed"};
template <>
inline constexpr std::array<std::string_view, 9> kEnumNames<DataType> = {"f16", "bf16", "f32", "f64", "i8",
                                                                         "u8",  "i32",  "i64", "bool"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<NormKind> = {"layer", "rms", "instance", "group"};
template <>
inline constexpr std::array<std::string_view, 10> kEnumNames<ReduceKind> = {
    "sum", "mean", "max", "min", "prod", "amax", "norm1", "norm2", "argmax", "argmin"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<PoolKind> = {"max", "average"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<ResizeMode> = {"nearest", "linear"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<ResizeCoordinates> = {"half_pixel", "align_corners",
                                                                                  "asymmetric"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ResizeRounding> = {"prefer_floor", "prefer_ceil", "floor",
                                                                               "ceil"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<PadMode> = {"constant", "reflect", "edge"};
template <>
inline constexpr auto kEnumNames<PointwiseKind> = [] {
    std::array<std::string_view, kPointwise.size()> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = kPointwise[i].name;
    return names;
}();

}  // namespace tenon
