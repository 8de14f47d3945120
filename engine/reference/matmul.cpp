#include "engine/reference/number.h"
#include "engine/reference/operations.h"
#include "engine/reference/rows.h"

namespace tenon::engine {

void write_sums(const Source& factor, const Sink& sink, const std::vector<double>& sums) {
    if (is_floating(factor.value.type)) return write(sink, sums);
    std::vector<int64_t> integers;
    integers.reserve(sums.size());
    // Products of bytes: exact in double for any tensor that fits in memory.
    for (const double sum : sums) integers.push_back(wrapped(static_cast<int64_t>(sum), DataType::I32));
    write(sink, integers);
}

Status evaluate(const Matmul&, const Sources& inputs, const Sinks& outputs) {
    const Dims& dims = outputs[0].value.dims;
    const size_t batch_axes = dims.size() - 2;
    const int64_t rows = dims[batch_axes], columns = dims[batch_axes + 1], depth = inputs[0].value.dims.back();
    const std::vector<double> a = read<double>(inputs[0]), b = read<double>(inputs[1]);

    // First element of the matrices of every batch, in the row-major order of `read`.
    const auto batch_strides = [&](const Value& value) {
        Value batch;
        batch.dims.assign(value.dims.begin(), value.dims.end() - 2);
        const Dims packed = packed_strides(value.dims, Layout::NCHW);
        batch.strides.assign(packed.begin(), packed.end() - 2);
        return broadcast_strides(batch, Dims(dims.begin(), dims.end() - 2));
    };
    std::vector<std::array<int64_t, 2>> first;
    walk<2>(Dims(dims.begin(), dims.end() - 2), {batch_strides(inputs[0].value), batch_strides(inputs[1].value)},
            [&](const auto& at) { first.push_back(at); });

    std::vector<double> sums(static_cast<size_t>(element_count(dims)), 0.0);
    const int64_t all_rows = static_cast<int64_t>(first.size()) * rows;
    for_each_row(all_rows, static_cast<double>(sums.size()) * static_cast<double>(depth), [&](int64_t row) {
        const auto& [a_first, b_first] = first[static_cast<size_t>(row / rows)];
        const double* left = a.data() + a_first + row % rows * depth;
        double* sum = sums.data() + row * columns;
        for (int64_t k = 0; k < depth; ++k) {
            const double* right = b.data() + b_first + k * columns;
            for (int64_t n = 0; n < columns; ++n) sum[n] += left[k] * right[n];
        }
    });
    write_sums(inputs[0], outputs[0], sums);
    return {};
}

}  // namespace tenon::engine
