#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/ops.h>
#include <tenon/status.h>
#include <tenon/types.h>

namespace tenon {

struct GraphData;  // internal: frontend/graph/graph_data.h

/// A value of a graph. Cheap to copy; means something only to the graph that made it.
struct Tensor {
    int32_t id = -1;

    friend bool operator==(Tensor a, Tensor b) { return a.id == b.id; }
    friend bool operator<(Tensor a, Tensor b) { return a.id < b.id; }
};

/// What the user says about a tensor that enters the graph.
struct TensorSpec {
    std::string name;
    Dims dims;
    DataType type = DataType::F32;
    Layout layout = Layout::NCHW;
    Dims strides = {};  ///< In elements; overrides `layout`. 0 broadcasts an input.
};

/// What the user may say about a result. Unset fields follow the operation's rule: the type of the first data input;
/// packed in the layout of the first input of the same rank whose strides fit only one layout, gaps or not (a [1, C, 1,
/// 1] bias fits both and has no say), row-major if there is none. Results of other rank, and of matmul, reshape,
/// transpose, expand and gather, are row-major.
struct As {
    std::string name = {};
    std::optional<DataType> type = {};
    std::optional<Layout> layout = {};
    Dims strides = {};
};

/// Liberties a plan may take with numbers. All off by default.
struct Numerics {
    bool relaxed = false;  ///< Values that stay inside a kernel need not be rounded to their declared type.
    bool tf32 = false;     ///< f32 products may use tf32 tensor cores.

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("relaxed", self.relaxed);
        visit("tf32", self.tf32);
    }
};

/// Whether the planner may fuse the operation into the one that feeds it.
enum class Fusion { Allowed, Forbidden, Required };

/// An operation graph under construction. Calls return tensors and never fail; the first mistake waits in the graph and
/// comes out of `validate()` and `Plan::build`.
class Graph {
  public:
    Graph();
    ~Graph();
    Graph(const Graph& other);
    Graph(Graph&&) noexcept;
    Graph& operator=(const Graph& other);
    Graph& operator=(Graph&&) noexcept;

    Tensor input(TensorSpec spec);
    /// A tensor whose `bytes` are known now; they are copied. Packed in the strides of `spec`.
    Tensor constant(TensorSpec spec, const void* data, size_t bytes);
    /// A rank-0 constant, rounded to its type as Cast does.
    Tensor scalar(double value, DataType type = DataType::F32);
    /// A rank-0 input read from host memory when the plan runs.
    Tensor host_scalar(std::string name, DataType type = DataType::F32);

    /// Marks a result to be written to caller memory. Its name is `as.name` if given.
    void output(Tensor tensor, As as = {});
    /// Keeps an inner tensor in memory under its name, as if it were an output.
    void keep(Tensor tensor) { output(tensor); }
    /// About the node that gives `result`; a tensor that no node gives is a mistake.
    void set_fusion(Tensor result, Fusion fusion);
    void set_numerics(Numerics numerics);

    /// Any operation; the named calls below are spellings of this one. Always as many tensors as the operation has
    /// results; after a mistake they are of no graph.
    std::vector<Tensor> apply(Op op, const std::vector<Tensor>& inputs, As as = {});

    Tensor conv(Tensor x, Tensor w, Conv attributes = {}, As as = {});
    Tensor conv2d(Tensor x, Tensor w, Conv attributes = {}, As as = {}) { return conv(x, w, attributes, as); }
    Tensor conv_transpose(Tensor x, Tensor w, ConvTranspose attributes = {}, As as = {});
    Tensor matmul(Tensor a, Tensor b, As as = {});
    Tensor pointwise(PointwiseKind kind, const std::vector<Tensor>& inputs, std::array<double, 3> parameters,
                     As as = {});
    /// With the parameters of the table.
    Tensor pointwise(PointwiseKind kind, const std::vector<Tensor>& inputs, As as = {});
    Tensor add(Tensor a, Tensor b, As as = {}) { return pointwise(PointwiseKind::Add, {a, b}, as); }
    Tensor subtract(Tensor a, Tensor b, As as = {}) { return pointwise(PointwiseKind::Subtract, {a, b}, as); }
    Tensor multiply(Tensor a, Tensor b, As as = {}) { return pointwise(PointwiseKind::Multiply, {a, b}, as); }
    Tensor divide(Tensor a, Tensor b, As as = {}) { return pointwise(PointwiseKind::Divide, {a, b}, as); }
    Tensor relu(Tensor x, As as = {}) { return pointwise(PointwiseKind::Relu, {x}, as); }
    Tensor clip(Tensor x, double lower, double upper, As as = {}) {
        return pointwise(PointwiseKind::Clip, {x}, {lower, upper, 0.0}, as);
    }
    Tensor sigmoid(Tensor x, As as = {}) { return pointwise(PointwiseKind::Sigmoid, {x}, as); }
    Tensor silu(Tensor x, As as = {}) { return pointwise(PointwiseKind::Swish, {x}, as); }
    Tensor gelu(Tensor x, As as = {}) { return pointwise(PointwiseKind::Gelu, {x}, as); }
    Tensor tanh(Tensor x, As as = {}) { return pointwise(PointwiseKind::Tanh, {x}, as); }
    Tensor cast(Tensor x, DataType type, As as = {});
    std::vector<Tensor> norm(const std::vector<Tensor>& inputs, Norm attributes, As as = {});
    Tensor batch_norm(Tensor x, Tensor scale, Tensor bias, Tensor mean, Tensor variance, double epsilon = 1e-5,
                      As as = {});
    Tensor reduce(Tensor x, Reduce attributes, As as = {});
    Tensor softmax(Tensor x, Softmax attributes = {}, As as = {});
    Tensor pool(Tensor x, Pool attributes, As as = {});
    Tensor reshape(Tensor x, Dims dims, As as = {});
    Tensor transpose(Tensor x, Dims permutation, As as = {});
    Tensor concat(const std::vector<Tensor>& inputs, int64_t axis, As as = {});

    /// The first mistake, or Ok after every node and tensor was checked.
    Status validate() const;
    /// One line per tensor and node.
    std::string to_text() const;

    /// The tensor with this name, if there is exactly one.
    std::optional<Tensor> find(std::string_view name) const;
    std::vector<Tensor> inputs() const;   ///< Inputs and host scalars, in order of creation.
    std::vector<Tensor> outputs() const;  ///< In the order they were marked.
    /// Name, dims, type and strides of a tensor, as given or inferred.
    TensorSpec spec(Tensor tensor) const;

    const GraphData& data() const { return *data_; }
    GraphData& data() { return *data_; }

  private:
    std::unique_ptr<GraphData> data_;
};

}  // namespace tenon
