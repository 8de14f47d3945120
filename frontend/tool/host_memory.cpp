#include "frontend/tool/host_memory.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "frontend/graph/elements.h"
#include "frontend/status_macros.h"
#include "frontend/tool/files.h"

namespace tenon::tool {
namespace {

Status bad(std::string text) { return Status(ErrorCode::BadFile, std::move(text)); }

/// Calls `visit(number, offset)` for each element in row-major order; offset in elements.
template <typename Visit>
void each_element(const TensorSpec& spec, Visit visit) {
    Dims at(spec.dims.size(), 0);
    const int64_t count = element_count(spec.dims);
    for (int64_t number = 0; number < count; ++number) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * spec.strides[axis];
        visit(number, offset);
        for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == spec.dims[axis];) at[axis] = 0;
    }
}

double random_number(DataType type, std::mt19937_64& random) {
    const int64_t draw = static_cast<int64_t>(random() >> 40);  // 24 bits
    if (type == DataType::Bool) return static_cast<double>(draw % 2);
    if (type == DataType::U8) return static_cast<double>(draw % 8);
    if (is_integer(type)) return static_cast<double>(draw % 15 - 7);
    return static_cast<double>(draw) / static_cast<double>(1 << 23) - 1.0;
}

/// Copies one element, exactly where both types are whole numbers.
void convert(const std::byte* from, DataType from_type, int64_t from_at, std::byte* to, DataType to_type,
             int64_t to_at) {
    if (is_floating(to_type))
        store_element(to, to_type, to_at, load_element(from, from_type, from_at));
    else
        store_whole_element(to, to_type, to_at, load_whole_element(from, from_type, from_at));
}

Result<Array> raw_array(const TensorSpec& spec, std::string_view bytes) {
    const int64_t needed = element_count(spec.dims) * bytes_of(spec.type);
    if (static_cast<int64_t>(bytes.size()) != needed)
        return bad("has " + std::to_string(bytes.size()) + " bytes, needs " + std::to_string(needed));
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    return Array{spec.type, spec.dims, std::vector<std::byte>(begin, begin + bytes.size())};
}

}  // namespace

HostMemory::HostMemory(const Graph& graph) : graph_(&graph) {
    std::vector<Tensor> tensors = graph.inputs();
    for (const Tensor output : graph.outputs()) tensors.push_back(output);
    for (const Tensor tensor : tensors) {
        const TensorSpec spec = graph.spec(tensor);
        const size_t bytes = static_cast<size_t>(span_of(spec.dims, spec.strides) * bytes_of(spec.type));
        memory_[tensor].assign(std::max<size_t>(bytes, 1), std::byte{0xff});  // An empty tensor has an address too.
    }
    for (const Tensor input : graph.inputs()) {
        std::vector<std::byte>& memory = memory_[input];
        std::fill(memory.begin(), memory.end(), std::byte{0});
    }
}

Bindings HostMemory::bindings() {
    Bindings bindings;
    for (auto& [tensor, memory] : memory_) bindings[tensor] = memory.data();
    return bindings;
}

void HostMemory::fill_inputs(uint64_t seed) {
    for (const Tensor input : graph_->inputs()) {
        const TensorSpec spec = graph_->spec(input);
        std::mt19937_64 random(seed * 1000003 + static_cast<uint64_t>(input.id));
        each_element(spec, [&](int64_t, int64_t offset) {
            store_element(memory_[input].data(), spec.type, offset, random_number(spec.type, random));
        });
    }
}

Status HostMemory::read_input(const std::string& name, const std::string& path) {
    const std::vector<Tensor> inputs = graph_->inputs();
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&](Tensor input) { return graph_->spec(input).name == name; });
    if (found == inputs.end()) {
        std::string known;
        for (const Tensor input : inputs) known += (known.empty() ? "" : ", ") + graph_->spec(input).name;
        return Status(ErrorCode::InvalidArgument, "the graph has no input '" + name + "'; there are " + known);
    }
    const TensorSpec spec = graph_->spec(*found);
    const std::string where = path + " for input '" + name + "': ";
    TENON_ASSIGN(const std::string bytes, read_file(path));
    const Result<Array> array = path.ends_with(".npy") ? array_from_npy(bytes) : raw_array(spec, bytes);
    if (!array.is_ok()) return bad(where + array.status().message());
    if (array->dims != spec.dims) return bad(where + "is " + to_text(array->dims) + ", needs " + to_text(spec.dims));
    if (array->type != spec.type && !(is_floating(array->type) && is_floating(spec.type)))
        return bad(where + "is " + std::string(to_string(array->type)) + ", needs " +
                   std::string(to_string(spec.type)));
    each_element(spec, [&](int64_t number, int64_t offset) {
        convert(array->bytes.data(), array->type, number, memory_[*found].data(), spec.type, offset);
    });
    return {};
}

Array HostMemory::array_of(Tensor tensor) const {
    const TensorSpec spec = graph_->spec(tensor);
    Array array{spec.type, spec.dims, {}};
    array.bytes.resize(static_cast<size_t>(element_count(spec.dims) * bytes_of(spec.type)));
    each_element(spec, [&](int64_t number, int64_t offset) {
        convert(memory_.at(tensor).data(), spec.type, offset, array.bytes.data(), spec.type, number);
    });
    return array;
}

Status HostMemory::write_outputs(const std::string& folder) const {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return bad("cannot make '" + folder + "': " + error.message());
    for (const Tensor output : graph_->outputs()) {
        std::string name = graph_->spec(output).name;
        std::replace(name.begin(), name.end(), '/', '_');
        TENON_TRY(write_file(folder + "/" + name + ".npy", npy_of(array_of(output))));
    }
    return {};
}

std::vector<double> HostMemory::values(Tensor tensor) const {
    const TensorSpec spec = graph_->spec(tensor);
    std::vector<double> values;
    each_element(spec, [&](int64_t, int64_t offset) {
        values.push_back(load_element(memory_.at(tensor).data(), spec.type, offset));
    });
    return values;
}

void HostMemory::set_values(Tensor tensor, const std::vector<double>& values) {
    const TensorSpec spec = graph_->spec(tensor);
    each_element(spec, [&](int64_t number, int64_t offset) {
        store_element(memory_[tensor].data(), spec.type, offset, values[static_cast<size_t>(number)]);
    });
}

}  // namespace tenon::tool
