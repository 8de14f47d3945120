// Graphs of the C interface.

#include <tenon/json.h>

#include "engine/c_api/handles.h"
#include "frontend/graph/graph_data.h"
#include "frontend/status_macros.h"

namespace tenon::c_api {
namespace {

Status read_dims(const int64_t* given, int32_t rank, Dims& dims) {
    if (rank < 0 || rank > kMaxRank)
        return Status(ErrorCode::InvalidArgument,
                      "rank " + std::to_string(rank) + ", at most " + std::to_string(kMaxRank) + " is possible");
    if (given == nullptr && rank > 0) return missing("dims");
    dims.assign(given, given + rank);
    return {};
}

Result<TensorSpec> spec_of(const tenon_tensor_desc* given) {
    tenon_tensor_desc desc;
    if (given == nullptr) return missing("desc");
    TENON_TRY(read_struct(given, desc));
    TensorSpec spec;
    spec.name = text_of(desc.name);
    TENON_TRY(read_dims(desc.dims, desc.rank, spec.dims));
    TENON_TRY(read_enum(desc.type, DataType::Bool, spec.type));
    TENON_TRY(read_enum(desc.layout, Layout::NHWC, spec.layout));
    if (desc.strides != nullptr) TENON_TRY(read_dims(desc.strides, desc.rank, spec.strides));
    return spec;
}

Result<As> wishes_of(const tenon_result_desc* given) {
    tenon_result_desc desc;
    TENON_TRY(read_struct(given, desc));
    As as;
    as.name = text_of(desc.name);
    if (desc.has_type != 0) TENON_TRY(read_enum(desc.type, DataType::Bool, as.type.emplace()));
    if (desc.has_layout != 0) TENON_TRY(read_enum(desc.layout, Layout::NHWC, as.layout.emplace()));
    if (desc.strides != nullptr) TENON_TRY(read_dims(desc.strides, desc.rank, as.strides));
    return as;
}

Status give(Tensor made, tenon_tensor* tensor) {
    if (tensor != nullptr) *tensor = made.id;
    return {};
}

}  // namespace
}  // namespace tenon::c_api

using namespace tenon;
using namespace tenon::c_api;

tenon_status tenon_graph_create(tenon_graph** graph) {
    return guarded([&] {
        if (graph == nullptr) return missing("graph");
        *graph = new tenon_graph{};
        return Status();
    });
}

void tenon_graph_destroy(tenon_graph* graph) { delete graph; }

tenon_status tenon_graph_input(tenon_graph* graph, const tenon_tensor_desc* desc, tenon_tensor* tensor) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        TENON_ASSIGN(TensorSpec spec, spec_of(desc));
        return give(graph->graph.input(std::move(spec)), tensor);
    });
}

tenon_status tenon_graph_constant(tenon_graph* graph, const tenon_tensor_desc* desc, const void* data, size_t bytes,
                                  tenon_tensor* tensor) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        if (data == nullptr && bytes > 0) return missing("data");
        TENON_ASSIGN(TensorSpec spec, spec_of(desc));
        return give(graph->graph.constant(std::move(spec), data, bytes), tensor);
    });
}

tenon_status tenon_graph_scalar(tenon_graph* graph, double value, int32_t type, tenon_tensor* tensor) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        DataType read = DataType::F32;
        TENON_TRY(read_enum(type, DataType::Bool, read));
        return give(graph->graph.scalar(value, read), tensor);
    });
}

tenon_status tenon_graph_host_scalar(tenon_graph* graph, const char* name, int32_t type, tenon_tensor* tensor) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        DataType read = DataType::F32;
        TENON_TRY(read_enum(type, DataType::Bool, read));
        return give(graph->graph.host_scalar(text_of(name), read), tensor);
    });
}

tenon_status tenon_graph_op(tenon_graph* graph, const char* op, const char* attributes, const tenon_tensor* inputs,
                            size_t input_count, const tenon_result_desc* desc, tenon_tensor* results, size_t capacity,
                            size_t* count) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        if (inputs == nullptr && input_count > 0) return missing("inputs");
        if (results == nullptr && capacity > 0) return missing("results");
        TENON_ASSIGN(Op parsed, op_from_json(text_of(op), attributes != nullptr ? attributes : "{}"));
        TENON_ASSIGN(const As as, wishes_of(desc));
        std::vector<Tensor> tensors;
        for (size_t i = 0; i < input_count; ++i) tensors.push_back(Tensor{inputs[i]});
        const std::vector<Tensor> made = graph->graph.apply(std::move(parsed), tensors, as);
        for (size_t i = 0; i < std::min(made.size(), capacity); ++i) results[i] = made[i].id;
        if (count != nullptr) *count = made.size();
        return {};
    });
}

tenon_status tenon_graph_output(tenon_graph* graph, tenon_tensor tensor, const char* name) {
    return guarded([&] {
        if (graph == nullptr) return missing("graph");
        graph->graph.output(Tensor{tensor}, {.name = text_of(name)});
        return Status();
    });
}

tenon_status tenon_graph_set_fusion(tenon_graph* graph, tenon_tensor result, int32_t fusion) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        Fusion read = Fusion::Allowed;
        TENON_TRY(read_enum(fusion, Fusion::Required, read));
        graph->graph.set_fusion(Tensor{result}, read);
        return {};
    });
}

tenon_status tenon_graph_set_numerics(tenon_graph* graph, int32_t relaxed, int32_t tf32) {
    return guarded([&] {
        if (graph == nullptr) return missing("graph");
        graph->graph.set_numerics({.relaxed = relaxed != 0, .tf32 = tf32 != 0});
        return Status();
    });
}

tenon_status tenon_graph_validate(const tenon_graph* graph) {
    return guarded([&] { return graph != nullptr ? graph->graph.validate() : missing("graph"); });
}

tenon_status tenon_graph_find(const tenon_graph* graph, const char* name, tenon_tensor* tensor) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        const std::optional<Tensor> found = graph->graph.find(text_of(name));
        if (!found) return Status(ErrorCode::NotFound, "no single tensor is called '" + text_of(name) + "'");
        return give(*found, tensor);
    });
}

tenon_status tenon_graph_from_json(const char* text, tenon_graph** graph) {
    return guarded([&]() -> Status {
        if (graph == nullptr) return missing("graph");
        TENON_ASSIGN(Graph read, graph_from_json(text_of(text)));
        *graph = new tenon_graph{std::move(read)};
        return {};
    });
}

tenon_status tenon_graph_to_json(const tenon_graph* graph, tenon_blob** text) {
    return guarded([&] { return graph != nullptr ? give_blob(to_json(graph->graph), text) : missing("graph"); });
}
