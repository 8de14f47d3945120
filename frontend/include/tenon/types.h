#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Extents, strides (in elements) or per-axis attributes, outermost axis first.
using Dims = std::vector<int64_t>;

/// No tensor has more axes than this.
inline constexpr int kMaxRank = 8;

/// Element type of a tensor in memory. Bool is one byte, 0 or 1.
enum class DataType { F16, BF16, F32, F64, I8, U8, I32, I64, Bool };

/// Bytes of one element.
int64_t bytes_of(DataType type);
/// Lower-case name: "f16", "bf16", "f32", "f64", "i8", "u8", "i32", "i64", "bool".
std::string_view to_string(DataType type);
bool is_floating(DataType type);
/// I8, U8, I32 or I64.
bool is_integer(DataType type);

/// How the logical axes N, C, spatial… lie in memory. Dims are always written N, C, H, W.
enum class Layout {
    NCHW,  ///< Row-major: the last axis is contiguous. Any rank.
    NHWC,  ///< Channels (axis 1) contiguous, then the spatial axes from the last to the first, then N. Rank >= 3.
};

/// Strides in elements of a packed tensor; size-1 axes get the stride they would have in a larger tensor.
Dims packed_strides(const Dims& dims, Layout layout);
/// Product of the extents; 1 for rank 0. This and the two functions around it stop at INT64_MAX instead of overflowing.
int64_t element_count(const Dims& dims);
/// Number of elements from the first to one past the last touched: 1 + sum((dim - 1) * stride); 0 if any extent is 0.
int64_t span_of(const Dims& dims, const Dims& strides);
/// "2x3x4", or "scalar" for rank 0.
std::string to_text(const Dims& dims);

}  // namespace tenon
