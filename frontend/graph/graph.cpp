#include <tenon/graph.h>

#include <algorithm>
#include <cstring>

#include "frontend/graph/elements.h"
#include "frontend/graph/graph_data.h"
#include "frontend/graph/validate.h"
#include "frontend/ops/op_rules.h"

namespace tenon {
namespace {

std::vector<const Value*> values_of(const GraphData& graph, const std::vector<ValueId>& ids) {
    std::vector<const Value*> values;
    for (const ValueId id : ids) values.push_back(&graph.value(id));
    return values;
}

Tensor append(GraphData& graph, Value value) {
    graph.values.push_back(std::move(value));
    return {static_cast<int32_t>(graph.values.size() - 1)};
}

Value value_of(const TensorSpec& spec, ValueKind kind) {
    Value value;
    value.name = spec.name;
    value.kind = kind;
    value.type = spec.type;
    value.dims = spec.dims;
    value.strides = spec.strides;
    return value;
}

}  // namespace

Graph::Graph() : data_(std::make_unique<GraphData>()) {}
Graph::~Graph() = default;
Graph::Graph(const Graph& other) : data_(std::make_unique<GraphData>(*other.data_)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(const Graph& other) {
    if (this != &other) data_ = std::make_unique<GraphData>(*other.data_);
    return *this;
}
Graph& Graph::operator=(Graph&&) noexcept = default;

Tensor Graph::input(TensorSpec spec) {
    if (!data_->first_mistake.is_ok()) return {};
    Value value = value_of(spec, ValueKind::Input);
    if (value.name.empty()) value.name = "input_" + std::to_string(data_->values.size());
    data_->first_mistake = check_extents(value);
    if (!data_->first_mistake.is_ok()) return {};
    if (spec.strides.empty()) value.strides = packed_strides(value.dims, spec.layout);
    data_->first_mistake = check_strides(value);
    return data_->first_mistake.is_ok() ? append(*data_, std::move(value)) : Tensor{};
}

Tensor Graph::constant(TensorSpec spec, const void* data, size_t bytes) {
    if (!data_->first_mistake.is_ok()) return {};
    const Tensor tensor = input(std::move(spec));
    if (!data_->first_mistake.is_ok()) return {};
    Value& value = data_->values[static_cast<size_t>(tensor.id)];
    value.kind = ValueKind::Constant;
    const int64_t needed = span_of(value.dims, value.strides) * bytes_of(value.type);
    if (static_cast<int64_t>(bytes) != needed) {
        data_->first_mistake =
            Status(ErrorCode::InvalidGraph, "constant '" + value.name + "' has " + std::to_string(bytes) +
                                                " bytes, needs " + std::to_string(needed));
        return {};
    }
    if (bytes > 0 && data == nullptr) {
        data_->first_mistake = Status(ErrorCode::InvalidGraph, "constant '" + value.name + "' has no data");
        return {};
    }
    auto copy = std::make_shared<Bytes>(bytes);
    if (bytes > 0) std::memcpy(copy->data(), data, bytes);
    value.data = std::move(copy);
    return tensor;
}

Tensor Graph::scalar(double number, DataType type) {
    std::array<std::byte, sizeof(double)> element{};
    store_element(element.data(), type, 0, number);
    return constant({"scalar_" + std::to_string(data_->values.size()), {}, type}, element.data(),
                    static_cast<size_t>(bytes_of(type)));
}

Tensor Graph::host_scalar(std::string name, DataType type) {
    const Tensor tensor = input({std::move(name), {}, type});
    if (tensor.id >= 0) data_->values[static_cast<size_t>(tensor.id)].kind = ValueKind::HostScalar;
    return tensor;
}

void Graph::output(Tensor tensor, As as) {
    if (!data_->first_mistake.is_ok()) return;
    const auto refuse = [&](std::string text) {
        data_->first_mistake = Status(ErrorCode::InvalidGraph, std::move(text));
    };
    if (tensor.id < 0 || tensor.id >= static_cast<int32_t>(data_->values.size()))
        return refuse("output: no such tensor");
    Value& value = data_->values[static_cast<size_t>(tensor.id)];
    if (!as.name.empty()) value.name = as.name;
    if (value.kind != ValueKind::Computed) return refuse("output '" + value.name + "' is not computed by any node");
    if (as.type && *as.type != value.type)
        return refuse("output '" + value.name + "' is " + std::string(to_string(value.type)) + "; cast it to " +
                      std::string(to_string(*as.type)));
    if (data_->is_output(tensor.id)) return refuse("output '" + value.name + "' is marked twice");
    if (as.layout) value.strides = packed_strides(value.dims, *as.layout);
    if (!as.strides.empty()) value.strides = as.strides;
    data_->first_mistake = check_strides(value);
    data_->outputs.push_back(tensor.id);
}

void Graph::set_fusion(Tensor result, Fusion fusion) {
    if (!data_->first_mistake.is_ok()) return;
    const bool exists = result.id >= 0 && result.id < static_cast<int32_t>(data_->values.size());
    const NodeId producer = exists ? data_->value(result.id).producer : kNone;
    if (producer != kNone) {
        data_->nodes[static_cast<size_t>(producer)].fusion = fusion;
        return;
    }
    const std::string tensor =
        exists ? "'" + data_->value(result.id).name + "'" : "tensor " + std::to_string(result.id);
    data_->first_mistake = Status(ErrorCode::InvalidGraph, "set_fusion: " + tensor + " is the result of no node");
}

void Graph::set_numerics(Numerics numerics) { data_->numerics = numerics; }

std::vector<Tensor> Graph::apply(Op op, const std::vector<Tensor>& inputs, As as) {
    GraphData& graph = *data_;
    const std::vector<Tensor> nothing(result_count(op));
    if (!graph.first_mistake.is_ok()) return nothing;
    Node node;
    node.name = as.name.empty() ? std::string(name_of(op)) + "_" + std::to_string(graph.nodes.size()) : as.name;
    node.op = std::move(op);
    const auto refuse = [&](const Status& status) {
        graph.first_mistake = about_node(node, status);
        return nothing;
    };
    for (const Tensor input : inputs) {
        if (input.id < 0 || input.id >= static_cast<int32_t>(graph.values.size()))
            return refuse(Status(ErrorCode::InvalidGraph, "an input is no tensor of this graph"));
        node.inputs.push_back(input.id);
    }
    Result<std::vector<Value>> results = infer(node.op, values_of(graph, node.inputs));
    if (!results.is_ok()) return refuse(results.status());
    for (size_t i = 0; i < results->size(); ++i) {
        Value& value = (*results)[i];
        value.name = i == 0 ? node.name : node.name + ":" + std::to_string(i);
        value.producer = static_cast<NodeId>(graph.nodes.size());
        const Status status = apply_wishes(i == 0 ? as : As{}, node.op, value);
        if (!status.is_ok()) return refuse(status);
    }
    std::vector<Tensor> tensors;
    for (Value& value : *results) {
        tensors.push_back(append(graph, std::move(value)));
        node.outputs.push_back(tensors.back().id);
    }
    graph.nodes.push_back(std::move(node));
    return tensors;
}

Tensor Graph::conv(Tensor x, Tensor w, Conv attributes, As as) {
    return apply(std::move(attributes), {x, w}, std::move(as)).front();
}
Tensor Graph::conv_transpose(Tensor x, Tensor w, ConvTranspose attributes, As as) {
    return apply(std::move(attributes), {x, w}, std::move(as)).front();
}
Tensor Graph::matmul(Tensor a, Tensor b, As as) { return apply(Matmul{}, {a, b}, std::move(as)).front(); }

Tensor Graph::pointwise(PointwiseKind kind, const std::vector<Tensor>& inputs, std::array<double, 3> parameters,
                        As as) {
    return apply(Pointwise{kind, parameters}, inputs, std::move(as)).front();
}

Tensor Graph::pointwise(PointwiseKind kind, const std::vector<Tensor>& inputs, As as) {
    return pointwise(kind, inputs, initial_parameters(kind), std::move(as));
}

Tensor Graph::cast(Tensor x, DataType type, As as) { return apply(Cast{type}, {x}, std::move(as)).front(); }
std::vector<Tensor> Graph::norm(const std::vector<Tensor>& inputs, Norm attributes, As as) {
    return apply(attributes, inputs, std::move(as));
}

Tensor Graph::batch_norm(Tensor x, Tensor scale, Tensor bias, Tensor mean, Tensor variance, double epsilon, As as) {
    return apply(BatchNorm{.epsilon = epsilon}, {x, scale, bias, mean, variance}, std::move(as)).front();
}

Tensor Graph::reduce(Tensor x, Reduce attributes, As as) {
    return apply(std::move(attributes), {x}, std::move(as)).front();
}
Tensor Graph::softmax(Tensor x, Softmax attributes, As as) { return apply(attributes, {x}, std::move(as)).front(); }
Tensor Graph::pool(Tensor x, Pool attributes, As as) {
    return apply(std::move(attributes), {x}, std::move(as)).front();
}
Tensor Graph::reshape(Tensor x, Dims dims, As as) {
    return apply(Reshape{std::move(dims)}, {x}, std::move(as)).front();
}
Tensor Graph::transpose(Tensor x, Dims permutation, As as) {
    return apply(Transpose{std::move(permutation)}, {x}, std::move(as)).front();
}
Tensor Graph::concat(const std::vector<Tensor>& inputs, int64_t axis, As as) {
    return apply(Concat{axis}, inputs, std::move(as)).front();
}

Status Graph::validate() const { return tenon::validate(*data_); }

std::optional<Tensor> Graph::find(std::string_view name) const {
    std::optional<Tensor> found;
    for (size_t id = 0; id < data_->values.size(); ++id) {
        if (data_->values[id].name != name) continue;
        if (found) return std::nullopt;
        found = Tensor{static_cast<int32_t>(id)};
    }
    return found;
}

std::vector<Tensor> Graph::inputs() const {
    std::vector<Tensor> tensors;
    for (size_t id = 0; id < data_->values.size(); ++id) {
        const ValueKind kind = data_->values[id].kind;
        if (kind == ValueKind::Input || kind == ValueKind::HostScalar) tensors.push_back({static_cast<int32_t>(id)});
    }
    return tensors;
}

std::vector<Tensor> Graph::outputs() const {
    std::vector<Tensor> tensors;
    for (const ValueId id : data_->outputs) tensors.push_back({id});
    return tensors;
}

TensorSpec Graph::spec(Tensor tensor) const {
    if (tensor.id < 0 || tensor.id >= static_cast<int32_t>(data_->values.size())) return {};
    const Value& value = data_->value(tensor.id);
    return {value.name, value.dims, value.type, Layout::NCHW, value.strides};
}

}  // namespace tenon
