#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenon/plan.h>

#include "frontend/tool/npy.h"

namespace tenon::tool {

/// Host memory of every input, host scalar and output of a graph, laid out in their strides. Outputs start as NaN.
class HostMemory {
  public:
    explicit HostMemory(const Graph& graph);

    Bindings bindings();
    /// Floats about ±1, small whole numbers, both truths; the same for one seed on every machine.
    void fill_inputs(uint64_t seed);
    /// Elements of an input from NAME.npy or raw row-major bytes (any other ending) of its own type. Floating arrays
    /// are rounded to a floating tensor; otherwise types must agree. A failure names tensor, found and needed.
    Status read_input(const std::string& name, const std::string& path);
    /// Every output as FOLDER/NAME.npy; the folder is made. A '/' in a name becomes '_'.
    Status write_outputs(const std::string& folder) const;

    /// Elements in row-major order.
    std::vector<double> values(Tensor tensor) const;
    void set_values(Tensor tensor, const std::vector<double>& values);

  private:
    Array array_of(Tensor tensor) const;

    const Graph* graph_;
    std::map<Tensor, std::vector<std::byte>> memory_;
};

}  // namespace tenon::tool
