#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tenon/plan.h>

#include "tests/support/host_tensor.h"

namespace tenon::testing {

/// Tensors by name.
using NamedTensors = std::map<std::string, HostTensor>;
using NamedValues = std::map<std::string, std::vector<double>>;
/// A device: runs a graph on host memory.
using Runner = std::function<Status(const Graph& graph, const Bindings& bindings)>;

/// Makes a tensor of every input and host scalar from its values.
Result<NamedTensors> make_inputs(const Graph& graph, const NamedValues& values);
/// Runs the graph and returns its outputs by name. Names in `shared` (tensor -> tensor) share memory: the output or
/// input on the left lies in the memory of the input on the right.
Result<NamedTensors> run_graph(const Runner& runner, const Graph& graph, NamedTensors inputs,
                               const std::map<std::string, std::string>& shared = {});

/// The double-precision reference as a device.
Status reference_runner(const Graph& graph, const Bindings& bindings);
/// `run_graph` on the reference.
Result<NamedTensors> run_on_reference(const Graph& graph, NamedTensors inputs);
Result<NamedTensors> run_on_reference(const Graph& graph, const NamedValues& inputs);

}  // namespace tenon::testing
