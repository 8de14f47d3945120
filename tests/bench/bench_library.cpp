// Tenon's side of side_by_side.py: plans by a C interface, run on the caller's memory and stream.

#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <tenon/tenon.h>

#include "samples/mobilenet_v2/mobilenet_v2.h"
#include "samples/resnet50/resnet50.h"
#include "tests/bench/window_list.h"

namespace {

using namespace tenon;

struct Bench {
    Plan plan;
    ReadyPlan ready;
    std::vector<ReadyPlan> copies;  ///< Each with constants of its own.
    std::vector<Tensor> tensors;    ///< Inputs, then outputs, in the order of the graph.
    std::string text;
};

thread_local std::string last_error;

void* refused(const Status& status);

/// Plans the graph for the GPU at hand and loads it.
void* made(const Graph& graph, int candidate) {
    const Result<Target> target = Target::current();
    if (!target.is_ok()) return refused(target.status());
    Result<Plan> plan = Plan::build(graph, *target, {.candidate = candidate});
    if (!plan.is_ok()) return refused(plan.status());
    Result<ReadyPlan> ready = plan->prepare();
    if (!ready.is_ok()) return refused(ready.status());
    auto bench = std::make_unique<Bench>(Bench{*plan, *ready, {}, {}, plan->explain()});
    bench->tensors = graph.inputs();
    for (const Tensor output : graph.outputs()) bench->tensors.push_back(output);
    return bench.release();
}

void* refused(const Status& status) {
    last_error = status.message();
    return nullptr;
}

}  // namespace

extern "C" {

/// A convolution layer: all integers of conv2d.json in its order, N first. `type` as to_string writes it; the bias is
/// f32.
struct ConvSpec {
    int64_t n, c, h, w, k, r, s, stride, pad, dilation, groups, residual, nchw;
};

__attribute__((visibility("default"))) const char* bench_error() { return last_error.c_str(); }

/// `weights`: host memory of the filter, which is a constant of the plan as in inference.
__attribute__((visibility("default"))) void* bench_conv(const ConvSpec* spec, int type, int tf32, int candidate,
                                                        const void* weights) {
    Graph graph;
    const auto data = static_cast<DataType>(type);
    const Layout layout = spec->nchw != 0 ? Layout::NCHW : Layout::NHWC;
    const Tensor x = graph.input({"x", {spec->n, spec->c, spec->h, spec->w}, data, layout});
    const Tensor w =
        graph.constant({"w", {spec->k, spec->c / spec->groups, spec->r, spec->s}, data, layout}, weights,
                       static_cast<size_t>(spec->k * spec->c / spec->groups * spec->r * spec->s * bytes_of(data)));
    const Tensor bias = graph.input({"bias", {1, spec->k, 1, 1}, DataType::F32});
    Tensor y = graph.conv2d(x, w,
                            {.stride = {spec->stride, spec->stride},
                             .dilation = {spec->dilation, spec->dilation},
                             .pad = {spec->pad, spec->pad, spec->pad, spec->pad},
                             .groups = spec->groups});
    y = graph.add(y, bias);
    const auto extent = [&](int64_t in, int64_t window) {
        return (in + 2 * spec->pad - spec->dilation * (window - 1) - 1) / spec->stride + 1;
    };
    if (spec->residual != 0) {
        const Tensor residual = graph.input(
            {"residual", {spec->n, spec->k, extent(spec->h, spec->r), extent(spec->w, spec->s)}, data, layout});
        y = graph.add(y, residual);
    }
    graph.output(graph.relu(y, {.name = "y", .type = data}));
    graph.set_numerics({.relaxed = true, .tf32 = tf32 != 0});
    return made(graph, candidate);
}

/// a [m, k] times b [k, n], or b [n, k] transposed, then bias and GELU.
__attribute__((visibility("default"))) void* bench_matmul(int64_t m, int64_t n, int64_t k, int type, int transposed,
                                                          int candidate) {
    Graph graph;
    const auto data = static_cast<DataType>(type);
    const Tensor a = graph.input({"a", {m, k}, data});
    const Tensor b = graph.input({"b", transposed != 0 ? Dims{n, k} : Dims{k, n}, data});
    const Tensor bias = graph.input({"bias", {n}, DataType::F32});
    const Tensor product = graph.matmul(a, transposed != 0 ? graph.transpose(b, {1, 0}) : b);
    graph.output(graph.gelu(graph.add(product, bias), {.name = "y", .type = data}));
    graph.set_numerics({.relaxed = true});
    return made(graph, candidate);
}

/// A whole network by its sample's name, pictures of 224 x 224 in f16.
__attribute__((visibility("default"))) void* bench_network(const char* name, int64_t batch) {
    if (std::string(name) == "mobilenet_v2") return made(samples::MobileNetV2(DataType::F16).build(batch), 0);
    if (std::string(name) != "resnet50") return refused(Status(ErrorCode::NotFound, "no network " + std::string(name)));
    return made(samples::ResNet50(DataType::F16).build(batch), 0);
}

/// A row of window_list.h; `bytes` receives what counts for its rate.
__attribute__((visibility("default"))) void* bench_window(const char* name, int candidate, double* bytes) {
    for (const bench::WindowRow& row : bench::window_rows()) {
        if (row.name != name) continue;
        *bytes = row.bytes;
        return made(row.graph, candidate);
    }
    return refused(Status(ErrorCode::NotFound, "no row " + std::string(name)));
}
/// Name of row `i`, or null past the last.
__attribute__((visibility("default"))) const char* bench_window_name(int i) {
    static const std::vector<bench::WindowRow> rows = bench::window_rows();
    return i >= 0 && static_cast<size_t>(i) < rows.size() ? rows[static_cast<size_t>(i)].name.c_str() : nullptr;
}

__attribute__((visibility("default"))) const char* bench_explain(const void* bench) {
    return static_cast<const Bench*>(bench)->text.c_str();
}
__attribute__((visibility("default"))) int64_t bench_workspace_bytes(const void* bench) {
    return static_cast<const Bench*>(bench)->ready.workspace_bytes();
}

__attribute__((visibility("default"))) int64_t bench_constant_bytes(const void* bench) {
    return static_cast<const Bench*>(bench)->ready.constant_bytes();
}
/// Adds a copy of the plan with its constants in `memory`.
__attribute__((visibility("default"))) int bench_add_copy(void* handle, void* memory) {
    auto* bench = static_cast<Bench*>(handle);
    bench->copies.push_back(bench->ready);
    const Status status = bench->copies.back().upload_constants(memory, nullptr);
    last_error = status.message();
    return status.is_ok() ? 0 : 1;
}

/// `memory` in the order inputs, outputs; `copy` in the order they were added.
__attribute__((visibility("default"))) int bench_run(const void* handle, int copy, void** memory, void* workspace,
                                                     void* stream) {
    const auto* bench = static_cast<const Bench*>(handle);
    const ReadyPlan& plan = bench->copies[static_cast<size_t>(copy)];
    const std::span<void* const> tensors(memory, bench->tensors.size());
    const Status status = plan.run(tensors, {workspace, plan.workspace_bytes()}, static_cast<Stream>(stream));
    if (status.is_ok()) return 0;
    last_error = status.message();
    return 1;
}

__attribute__((visibility("default"))) void bench_release(void* bench) { delete static_cast<Bench*>(bench); }
}
