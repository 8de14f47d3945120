#include <tenon/types.h>

namespace tenon {

int64_t bytes_of(DataType type) {
    switch (type) {
        case DataType::I8:
        case DataType::U8:
        case DataType::Bool:
            return 1;
        case DataType::F16:
        case DataType::BF16:
            return 2;
        case DataType::F32:
        case DataType::I32:
            return 4;
        case DataType::F64:
        case DataType::I64:
            return 8;
    }
    return 0;
}

std::string_view to_string(DataType type) {
    switch (type) {
        case DataType::F16:
            return "f16";
        case DataType::BF16:
            return "bf16";
        case DataType::F32:
            return "f32";
        case DataType::F64:
            return "f64";
        case DataType::I8:
            return "i8";
        case DataType::U8:
            return "u8";
        case DataType::I32:
            return "i32";
        case DataType::I64:
            return "i64";
        case DataType::Bool:
            return "bool";
    }
    return {};
}

bool is_floating(DataType type) {
    return type == DataType::F16 || type == DataType::BF16 || type == DataType::F32 || type == DataType::F64;
}

bool is_integer(DataType type) { return !is_floating(type) && type != DataType::Bool; }

namespace {

/// Products and sums of extents stop at the largest number: such a tensor is refused, and nothing overflows before.
int64_t product(int64_t a, int64_t b) {
    int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}
int64_t sum(int64_t a, int64_t b) {
    int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

}  // namespace

Dims packed_strides(const Dims& dims, Layout layout) {
    Dims strides(dims.size(), 1);
    int64_t stride = 1;
    const auto place = [&](size_t axis) {
        strides[axis] = stride;
        stride = product(stride, dims[axis]);
    };
    const bool channels_last = layout == Layout::NHWC && dims.size() >= 3;
    if (channels_last) place(1);
    for (size_t axis = dims.size(); axis-- > 0;) {
        if (!(channels_last && axis == 1)) place(axis);
    }
    return strides;
}

int64_t element_count(const Dims& dims) {
    int64_t count = 1;
    for (const int64_t extent : dims) {
        if (extent == 0) return 0;
        count = product(count, extent);
    }
    return count;
}

int64_t span_of(const Dims& dims, const Dims& strides) {
    int64_t span = 1;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] == 0) return 0;
        span = sum(span, product(dims[axis] - 1, strides[axis]));
    }
    return span;
}

std::string to_text(const Dims& dims) {
    if (dims.empty()) return "scalar";
    std::string text;
    for (const int64_t extent : dims) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

}  // namespace tenon
