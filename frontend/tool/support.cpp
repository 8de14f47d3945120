#include <iomanip>
#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

constexpr DataType kTypes[] = {DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::I8,
                               DataType::U8,  DataType::I32,  DataType::I64, DataType::Bool};

/// A use of an operation that is valid for some element types.
struct Use {
    Op op;
    std::vector<Dims> inputs;
    bool has_indices = false;  ///< The last input is I64 whatever the type.
};

std::vector<Use> uses() {
    const Dims image{1, 2, 4, 4}, channel{2}, matrix{4, 4};
    return {{Conv{}, {image, {2, 2, 1, 1}}},
            {ConvTranspose{}, {image, {2, 2, 1, 1}}},
            {Matmul{}, {matrix, matrix}},
            {Cast{}, {matrix}},
            {Norm{}, {matrix}},
            {BatchNorm{}, {image, channel, channel, channel, channel}},
            {Reduce{}, {matrix}},
            {Softmax{}, {matrix}},
            {Pool{PoolKind::Max}, {image}},
            {AdaptivePool{PoolKind::Average, {2, 2}}, {image}},
            {Resize{{2, 2}}, {image}},
            {Reshape{{16}}, {matrix}},
            {Transpose{{1, 0}}, {matrix}},
            {Expand{{2, 4, 4}}, {matrix}},
            {Slice{{0, 0}, {2, 2}, {1, 1}}, {matrix}},
            {Concat{}, {matrix, matrix}},
            {Pad{{1, 1}, {1, 1}}, {matrix}},
            {Gather{}, {matrix, {2}}, true},
            {IndexAlong{}, {matrix}}};
}

/// Whether a graph of this one node, with all inputs of one type, is valid.
bool takes(const Use& use, DataType type) {
    Graph graph;
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < use.inputs.size(); ++i) {
        const bool is_index = use.has_indices && i + 1 == use.inputs.size();
        inputs.push_back(graph.input({"input_" + std::to_string(i), use.inputs[i], is_index ? DataType::I64 : type}));
    }
    graph.output(graph.apply(use.op, inputs).front());
    return graph.validate().is_ok();
}

/// As in the table; the mask of select is always bool.
bool takes(const PointwiseInfo& row, DataType type) {
    if (row.kind == PointwiseKind::Select) return true;
    return takes(Use{Pointwise{row.kind, initial_parameters(row.kind)},
                     std::vector<Dims>(static_cast<size_t>(row.inputs), Dims{2})},
                 type);
}

template <typename Row>
void print(std::string_view name, const Row& row) {
    std::cout << std::left << std::setw(24) << name;
    for (const DataType type : kTypes) std::cout << std::setw(5) << (takes(row, type) ? to_string(type) : "-");
    std::cout << "\n";
}

}  // namespace

int support() {
    std::cout << "operations, with the element types they take (conv and matmul also u8 with i8 weights)\n";
    for (const Use& use : uses()) print(name_of(use.op), use);
    std::cout << "pointwise functions\n";
    for (const PointwiseInfo& row : kPointwise) print(row.name, row);
    std::cout << "Every valid graph has a plan; `tenon explain` says which kernel family took what.\n";
    return kRight;
}

}  // namespace tenon::tool
