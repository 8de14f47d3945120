#include "tests/support/run_graph.h"

#include "engine/reference/reference.h"
#include "frontend/status_macros.h"

namespace tenon::testing {
namespace {

Status refuse(std::string text) { return Status(ErrorCode::InvalidArgument, std::move(text)); }

/// A zero-sized tensor needs an address all the same.
void* address(HostTensor& tensor, std::byte& spare) { return tensor.memory() == nullptr ? &spare : tensor.memory(); }

}  // namespace

Result<NamedTensors> make_inputs(const Graph& graph, const NamedValues& values) {
    NamedTensors tensors;
    for (const Tensor input : graph.inputs()) {
        TensorSpec spec = graph.spec(input);
        const auto found = values.find(spec.name);
        if (found == values.end()) return refuse("no values for input '" + spec.name + "'");
        if (static_cast<int64_t>(found->second.size()) != element_count(spec.dims)) {
            return refuse("input '" + spec.name + "' got " + std::to_string(found->second.size()) + " values, needs " +
                          to_text(spec.dims));
        }
        tensors.emplace(spec.name, HostTensor(spec, found->second));
    }
    return tensors;
}

Result<NamedTensors> run_graph(const Runner& runner, const Graph& graph, NamedTensors inputs,
                               const std::map<std::string, std::string>& shared) {
    TENON_TRY(graph.validate());
    std::byte spare{};
    Bindings bindings;
    NamedTensors outputs;
    for (const Tensor input : graph.inputs()) {
        const std::string name = graph.spec(input).name;
        const auto owner = shared.find(name);
        const auto found = inputs.find(owner == shared.end() ? name : owner->second);
        if (found == inputs.end()) return refuse("no tensor for input '" + name + "'");
        bindings[input] = address(found->second, spare);
    }
    for (const Tensor output : graph.outputs()) {
        const TensorSpec spec = graph.spec(output);
        const auto owner = shared.find(spec.name);
        HostTensor& own = outputs.emplace(spec.name, HostTensor(spec)).first->second;
        if (owner == shared.end()) {
            bindings[output] = address(own, spare);
        } else {
            const auto found = inputs.find(owner->second);
            if (found == inputs.end()) return refuse("output '" + spec.name + "' shares memory with no input");
            if (found->second.bytes().size() != own.bytes().size())
                return refuse("'" + spec.name + "' does not fit into '" + owner->second + "'");
            bindings[output] = address(found->second, spare);
        }
    }
    TENON_TRY(runner(graph, bindings));
    for (auto& [name, tensor] : outputs) {
        const auto owner = shared.find(name);
        if (owner != shared.end()) tensor.set(inputs.at(owner->second).values());
        if (owner == shared.end() && !tensor.gaps_are_untouched())
            return refuse("'" + name + "': bytes between the elements were written");
    }
    return outputs;
}

Status reference_runner(const Graph& graph, const Bindings& bindings) {
    std::map<ValueId, void*> memory;
    for (const auto& [tensor, pointer] : bindings) memory[tensor.id] = pointer;
    return engine::run_reference(graph.data(), memory);
}

Result<NamedTensors> run_on_reference(const Graph& graph, NamedTensors inputs) {
    return run_graph(reference_runner, graph, std::move(inputs));
}

Result<NamedTensors> run_on_reference(const Graph& graph, const NamedValues& inputs) {
    TENON_ASSIGN(NamedTensors tensors, make_inputs(graph, inputs));
    return run_on_reference(graph, std::move(tensors));
}

}  // namespace tenon::testing
