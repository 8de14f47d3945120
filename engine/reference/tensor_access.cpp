#include "engine/reference/tensor_access.h"

#include <cstring>

#include "engine/reference/number.h"

namespace tenon::engine {

Dims broadcast_strides(const Value& value, const Dims& dims) {
    Dims strides(dims.size(), 0);
    const size_t missing = dims.size() - value.dims.size();
    for (size_t axis = 0; axis < value.dims.size(); ++axis) {
        if (value.dims[axis] != 1) strides[missing + axis] = value.strides[axis];
    }
    return strides;
}

template <typename T>
std::vector<T> read(const Source& source) {
    std::vector<T> elements;
    elements.reserve(static_cast<size_t>(element_count(source.value.dims)));
    walk<1>(source.value.dims, {source.value.strides}, [&](const auto& at) {
        if constexpr (std::is_same_v<T, double>)
            elements.push_back(load(source.memory, source.value.type, at[0]));
        else
            elements.push_back(load_integer(source.memory, source.value.type, at[0]));
    });
    return elements;
}

template <typename T>
void write(const Sink& sink, const std::vector<T>& elements) {
    size_t next = 0;
    walk<1>(sink.value.dims, {sink.value.strides}, [&](const auto& at) {
        if constexpr (std::is_same_v<T, double>)
            store(sink.memory, sink.value.type, at[0], elements[next++]);
        else
            store_integer(sink.memory, sink.value.type, at[0], elements[next++]);
    });
}

template std::vector<double> read(const Source& source);
template std::vector<int64_t> read(const Source& source);
template void write(const Sink& sink, const std::vector<double>& elements);
template void write(const Sink& sink, const std::vector<int64_t>& elements);

void copy_element(const Source& source, int64_t from, const Sink& sink, int64_t to) {
    const DataType type = source.value.type;
    if (type == sink.value.type) {
        const int64_t bytes = bytes_of(type);
        std::memcpy(sink.memory + to * bytes, source.memory + from * bytes, static_cast<size_t>(bytes));
    } else if (is_floating(type)) {
        store(sink.memory, sink.value.type, to, load(source.memory, type, from));
    } else {
        store_integer(sink.memory, sink.value.type, to, load_integer(source.memory, type, from));
    }
}

}  // namespace tenon::engine
