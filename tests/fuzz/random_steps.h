#pragma once

#include <string>
#include <vector>

#include <tenon/graph.h>

#include "tests/fuzz/dice.h"
#include "tests/fuzz/random_graph.h"

namespace tenon::testing {

/// Grows a random graph operation by operation. A throw that makes no valid operation changes nothing.
class RandomSteps {
  public:
    RandomSteps(Dice& dice, NumberKind numbers);

    /// Tries one operation; false if the throw did not fit.
    bool step();
    /// Marks what nobody reads, and some inner results, as outputs with random layouts.
    void mark_outputs();
    Graph take_graph() { return std::move(graph_); }

  private:
    /// A tensor that later operations may read. `bound`: no number of it is larger (integers).
    struct Known {
        Tensor tensor;
        double bound = 3.0;
    };

    // Tensors to read.
    Known fresh(Dims dims, DataType type, const std::string& suffix = "");
    Known known();
    Known of_rank(size_t least, size_t most);
    Known floating(Known x);
    Known kept_small(Known x, double bound);
    Dims dims_of(const Known& x) const;
    DataType type_of(const Known& x) const;
    Dims random_dims(size_t rank);
    Dims broadcastable(Dims dims);
    Dims random_strides(const Dims& dims, bool may_broadcast);
    DataType random_type();
    As random_wishes(const Dims& dims, DataType type);

    // Operations, one family each.
    void unary();
    void binary();
    void cast();
    void select();
    void contraction(bool transposed);
    void matmul();
    void norm();
    void batch_norm();
    void softmax();
    void reduce();
    void pool();
    void adaptive_pool();
    void resize();
    void reshape();
    void transpose();
    void expand();
    void slice();
    void concat();
    void pad();
    void gather();
    void index_along();

    void add(Op op, const std::vector<Known>& inputs, double bound, bool wishes = true);
    void add_pointwise(PointwiseKind kind, std::array<double, 3> parameters, const std::vector<Known>& inputs,
                       double bound);

    Dice& dice_;
    NumberKind numbers_;
    Graph graph_;
    std::vector<Known> known_;
    int names_ = 0;
};

}  // namespace tenon::testing
