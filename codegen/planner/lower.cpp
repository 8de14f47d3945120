#include "codegen/planner/lower.h"

#include <cstring>
#include <numeric>

#include "frontend/ops/op_rules.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// Appends nodes to a graph; the first failure waits in `status`.
class Writer {
  public:
    explicit Writer(GraphData& graph, const std::string& node) : graph_(graph), node_(node) {}

    ValueId apply(Op op, std::vector<ValueId> inputs, DataType type) {
        if (!status.is_ok()) return 0;
        const ValueId id = declare(op, inputs, type);
        if (status.is_ok()) append(std::move(op), std::move(inputs), id);
        return id;
    }
    ValueId pointwise(PointwiseKind kind, std::vector<ValueId> inputs, DataType type) {
        return apply(Pointwise{kind, {}}, std::move(inputs), type);
    }
    ValueId reduce(ReduceKind kind, ValueId x, const Dims& axes, DataType type) {
        return apply(Reduce{kind, axes, true}, {x}, type);
    }
    ValueId reshape(ValueId x, const Dims& dims) { return apply(Reshape{dims}, {x}, graph_.value(x).type); }

    /// The last step writes a value the user's graph already has.
    void finish(Op op, std::vector<ValueId> inputs, ValueId output) {
        if (!status.is_ok()) return;
        append(std::move(op), std::move(inputs), output);
    }

    ValueId number(double value, DataType type) {
        Value constant;
        constant.name = node_ + ".constant";
        constant.kind = ValueKind::Constant;
        constant.type = type;
        const float narrow = static_cast<float>(value);
        const bool wide = type == DataType::F64;
        auto data = std::make_shared<Bytes>(wide ? sizeof(double) : sizeof(float));
        std::memcpy(data->data(), wide ? static_cast<const void*>(&value) : &narrow, data->size());
        constant.data = std::move(data);
        graph_.values.push_back(std::move(constant));
        return static_cast<ValueId>(graph_.values.size() - 1);
    }

    Status status;

  private:
    ValueId declare(const Op& op, const std::vector<ValueId>& inputs, DataType type) {
        std::vector<const Value*> values;
        for (const ValueId id : inputs) values.push_back(&graph_.value(id));
        Result<std::vector<Value>> outputs = infer(op, values);
        if (!outputs.is_ok()) {
            status = outputs.status();
            return 0;
        }
        Value value = std::move(outputs->front());
        value.name = node_ + "." + std::string(name_of(op));
        value.kind = ValueKind::Computed;
        value.type = type;
        graph_.values.push_back(std::move(value));
        return static_cast<ValueId>(graph_.values.size() - 1);
    }

    void append(Op op, std::vector<ValueId> inputs, ValueId output) {
        graph_.values[static_cast<size_t>(output)].producer = static_cast<NodeId>(graph_.nodes.size());
        graph_.nodes.push_back({node_, std::move(op), std::move(inputs), {output}, Fusion::Allowed});
    }

    GraphData& graph_;
    std::string node_;
};

DataType inner_type(DataType type) { return type == DataType::F64 ? DataType::F64 : DataType::F32; }

int64_t positive_axis(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

Dims range(int64_t first, int64_t last) {
    Dims axes(static_cast<size_t>(last - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

/// Dims of scale and bias so that they broadcast against an image: [C, 1, 1…].
Dims per_channel_dims(const Dims& image) {
    Dims dims(image.size() - 1, 1);
    dims[0] = image[1];
    return dims;
}

Status lower_norm(GraphData& graph, const Node& node, const Norm& norm) {
    Writer write(graph, node.name);
    const ValueId x = node.inputs[0], y = node.outputs[0];
    const Dims dims = graph.value(x).dims;
    const int64_t rank = static_cast<int64_t>(dims.size());
    const DataType type = inner_type(graph.value(x).type);
    const bool rms = norm.kind == NormKind::Rms;
    const bool grouped = norm.kind == NormKind::Group;

    Dims view = dims;  // [N, G, C / G, spatial…] for Group
    Dims axes = norm.kind == NormKind::Instance ? range(2, rank) : range(positive_axis(norm.axis, dims.size()), rank);
    if (grouped) {
        view[1] = norm.groups;
        view.insert(view.begin() + 2, dims[1] / norm.groups);
        axes = range(2, rank + 1);
    }
    const ValueId seen = grouped ? write.reshape(x, view) : x;
    const ValueId mean = rms ? kNone : write.reduce(ReduceKind::Mean, seen, axes, type);
    const ValueId centred = rms ? seen : write.pointwise(PointwiseKind::Subtract, {seen, mean}, type);
    const ValueId square = write.pointwise(PointwiseKind::Square, {centred}, type);
    const ValueId variance = write.reduce(ReduceKind::Mean, square, axes, type);
    const ValueId shifted = write.pointwise(PointwiseKind::Add, {variance, write.number(norm.epsilon, type)}, type);
    const ValueId inverse = write.pointwise(PointwiseKind::Rsqrt, {shifted}, type);
    ValueId value = write.pointwise(PointwiseKind::Multiply, {centred, inverse}, type);
    if (grouped) value = write.reshape(value, dims);
    const bool channels = grouped || norm.kind == NormKind::Instance;
    const auto vector = [&](ValueId id) { return channels ? write.reshape(id, per_channel_dims(dims)) : id; };
    if (node.inputs.size() > 1) value = write.pointwise(PointwiseKind::Multiply, {value, vector(node.inputs[1])}, type);
    if (node.inputs.size() > 2) value = write.pointwise(PointwiseKind::Add, {value, vector(node.inputs[2])}, type);
    write.finish(Pointwise{PointwiseKind::Identity, {}}, {value}, y);
    if (norm.save_statistics && write.status.is_ok()) {
        size_t output = 1;
        if (!rms) {
            const Dims shape = graph.value(node.outputs[output]).dims;
            write.finish(Reshape{shape}, {mean}, node.outputs[output++]);
        }
        const Dims shape = graph.value(node.outputs[output]).dims;
        write.finish(Reshape{shape}, {inverse}, node.outputs[output]);
    }
    return write.status;
}

Status lower_batch_norm(GraphData& graph, const Node& node, const BatchNorm& norm) {
    Writer write(graph, node.name);
    const ValueId x = node.inputs[0], y = node.outputs[0];
    const Dims dims = graph.value(x).dims;
    const DataType type = inner_type(graph.value(x).type);
    const auto vector = [&](ValueId id) { return write.reshape(id, per_channel_dims(dims)); };
    const ValueId epsilon = write.number(norm.epsilon, type);

    ValueId mean = kNone, variance = kNone;
    if (norm.training) {
        Dims axes = range(2, static_cast<int64_t>(dims.size()));
        axes.insert(axes.begin(), 0);
        mean = write.reduce(ReduceKind::Mean, x, axes, type);
        const ValueId deviation = write.pointwise(PointwiseKind::Subtract, {x, mean}, type);
        variance =
            write.reduce(ReduceKind::Mean, write.pointwise(PointwiseKind::Square, {deviation}, type), axes, type);
    } else {
        mean = vector(node.inputs[3]);
        variance = vector(node.inputs[4]);
    }
    const ValueId inverse =
        write.pointwise(PointwiseKind::Rsqrt, {write.pointwise(PointwiseKind::Add, {variance, epsilon}, type)}, type);
    const ValueId centred = write.pointwise(PointwiseKind::Subtract, {x, mean}, type);
    const ValueId scale = write.pointwise(PointwiseKind::Multiply, {inverse, vector(node.inputs[1])}, type);
    const ValueId scaled = write.pointwise(PointwiseKind::Multiply, {centred, scale}, type);
    write.finish(Pointwise{PointwiseKind::Add, {}}, {scaled, vector(node.inputs[2])}, y);
    if (!norm.training) return write.status;

    // running = (1 - momentum) * running + momentum * batch, the variance unbiased
    const double count = static_cast<double>(element_count(dims)) / static_cast<double>(dims[1]);
    const ValueId momentum = node.inputs.size() > 5 ? node.inputs[5] : write.number(norm.momentum, type);
    const ValueId keep = write.pointwise(PointwiseKind::Subtract, {write.number(1.0, type), momentum}, type);
    const auto flat = [&](ValueId id) { return write.reshape(id, {dims[1]}); };
    const ValueId unbiased =
        write.pointwise(PointwiseKind::Multiply, {flat(variance), write.number(count / (count - 1.0), type)}, type);
    const auto blend = [&](ValueId running, ValueId batch, ValueId output) {
        const ValueId old = write.pointwise(PointwiseKind::Multiply, {running, keep}, type);
        const ValueId fresh = write.pointwise(PointwiseKind::Multiply, {batch, momentum}, type);
        write.finish(Pointwise{PointwiseKind::Add, {}}, {old, fresh}, output);
    };
    blend(node.inputs[3], flat(mean), node.outputs[1]);
    blend(node.inputs[4], unbiased, node.outputs[2]);
    write.finish(Pointwise{PointwiseKind::Identity, {}}, {flat(mean)}, node.outputs[3]);
    write.finish(Pointwise{PointwiseKind::Identity, {}}, {flat(inverse)}, node.outputs[4]);
    return write.status;
}

}  // namespace

Result<GraphData> lower(const GraphData& graph, std::vector<std::string>& done) {
    GraphData lowered = graph;
    lowered.nodes.clear();
    for (const Node& node : graph.nodes) {
        Status status;
        bool written_out = true;
        const auto* norm = std::get_if<Norm>(&node.op);
        if (norm != nullptr && element_count(graph.value(node.inputs[0]).dims) == 0) {
            status = lower_norm(lowered, node, *norm);
        } else if (const auto* batch_norm = std::get_if<BatchNorm>(&node.op); batch_norm && !batch_norm->training) {
            status = lower_batch_norm(lowered, node, *batch_norm);
        } else {
            written_out = false;
            for (const ValueId output : node.outputs) {
                lowered.values[static_cast<size_t>(output)].producer = static_cast<NodeId>(lowered.nodes.size());
            }
            lowered.nodes.push_back(node);
        }
        if (!status.is_ok()) return Status(status.code(), "lowering '" + node.name + "': " + status.message());
        if (written_out) done.push_back("write_out: " + node.name);
    }
    return lowered;
}

}  // namespace tenon::codegen
