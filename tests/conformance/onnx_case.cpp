#include "tests/conformance/onnx_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <tenon/onnx.h>

#include "frontend/onnx/model.h"
#include "frontend/status_macros.h"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

/// Elements of a tensor file as numbers, whatever their type.
Result<onnx::Known> read_tensor(const fs::path& path) {
    TENON_ASSIGN(onnx::NamedKnown tensor, onnx::decode_tensor(read_file(path)));
    return std::move(tensor.value);
}

Numbers as_numbers(const onnx::Known& known) {
    if (is_floating(known.type)) return onnx::numbers_of(known);
    const std::vector<int64_t> integers = onnx::integers_of(known);
    return Numbers(integers.begin(), integers.end());
}

/// Inputs of the model that are no initializers: those that the data set has files for, in order.
std::vector<std::string> free_inputs(const onnx::Model& model) {
    std::vector<std::string> names;
    for (const onnx::ValueInfo& input : model.inputs) {
        const bool has_value = std::any_of(model.initializers.begin(), model.initializers.end(),
                                           [&](const onnx::NamedKnown& known) { return known.name == input.name; });
        if (!has_value) names.push_back(input.name);
    }
    return names;
}

struct Allowed {
    double absolute, relative;
};

Allowed allowed(DataType type) {
    switch (type) {
        case DataType::F64:
            return {1e-7, 1e-7};
        case DataType::F32:
            return {1e-5, 1e-4};
        case DataType::F16:
            return {0x1p-24, 0x1p-10};
        case DataType::BF16:
            return {0x1p-20, 0x1p-7};
        default:
            return {0.0, 0.0};
    }
}

bool is_right(double found, double expected, Allowed error) {
    if (std::isnan(expected)) return std::isnan(found);
    if (std::isinf(expected)) return found == expected;
    return std::fabs(found - expected) <= error.absolute + error.relative * std::fabs(expected);
}

}  // namespace

std::string known_difference(const OnnxCase& onnx_case) {
    // The positions come from (extent * scale - 1), a fraction; we take the extent of the output, as its text does.
    for (const char* name : {"node/test_resize_downsample_scales_cubic_align_corners",
                             "node/test_resize_downsample_scales_linear_align_corners"}) {
        if (onnx_case.name == name) return "expects align_corners with a fractional output extent";
    }
    return {};
}

fs::path onnx_data_folder() {
    const char* named = std::getenv("TENON_ONNX_DATA");
    return named != nullptr && *named != '\0' ? named : "/usr/share/libonnx-testdata/data";
}

std::vector<OnnxCase> all_onnx_cases() {
    std::vector<OnnxCase> cases;
    for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(onnx_data_folder() / group, error)) {
            if (fs::exists(entry.path() / "model.onnx"))
                cases.push_back({group + std::string("/") + entry.path().filename().string(), entry.path()});
        }
    }
    std::sort(cases.begin(), cases.end(), [](const OnnxCase& a, const OnnxCase& b) { return a.name < b.name; });
    return cases;
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Result<ImportedCase> import_case(const OnnxCase& onnx_case) {
    const std::string bytes = read_file(onnx_case.folder / "model.onnx");
    TENON_ASSIGN(const onnx::Model model, onnx::decode_model(bytes));
    const std::vector<std::string> names = free_inputs(model);
    const fs::path data = onnx_case.folder / "test_data_set_0";
    OnnxOptions options;
    Result<Graph> graph = graph_from_onnx(bytes, options);
    std::map<std::string, onnx::Known> given;
    for (size_t i = 0; i < names.size(); ++i) {
        const Result<onnx::Known> known = read_tensor(data / ("input_" + std::to_string(i) + ".pb"));
        if (known.is_ok()) given.emplace(names[i], *known);
    }
    // Extents that the model leaves open are those of the data.
    if (!graph.is_ok() && graph.status().code() == ErrorCode::InvalidArgument) {
        for (const auto& [name, known] : given) options.dims[name] = known.dims;
        graph = graph_from_onnx(bytes, options);
    }
    for (size_t i = names.size(); i-- > 0 && !graph.is_ok() && graph.status().code() == ErrorCode::InvalidArgument;) {
        const auto known = given.find(names[i]);
        if (known == given.end()) break;
        options.constants[names[i]] = {known->second.dims, *known->second.bytes};
        graph = graph_from_onnx(bytes, options);
    }
    if (!graph.is_ok()) return graph.status();
    ImportedCase imported{std::move(*graph), {}, {}};
    // The written-out windows take pi with five digits, their outputs were made with all.
    imported.is_loose = onnx_case.name.find("window") != std::string::npos;
    for (const auto& [name, known] : given) imported.inputs[name] = as_numbers(known);
    for (const Tensor input : imported.graph.inputs()) {
        const std::string name = imported.graph.spec(input).name;
        if (imported.inputs.count(name) == 0)
            return Status(ErrorCode::NotFound, "the case has no readable value for input '" + name + "'");
    }
    for (size_t i = 0; i < model.outputs.size(); ++i) {
        TENON_ASSIGN(const onnx::Known known, read_tensor(data / ("output_" + std::to_string(i) + ".pb")));
        imported.expected[model.outputs[i].name] = as_numbers(known);
        const std::optional<Tensor> output = imported.graph.find(model.outputs[i].name);
        if (!output) continue;
        const TensorSpec spec = imported.graph.spec(*output);
        if (spec.dims != known.dims || spec.type != known.type) {
            return Status(ErrorCode::InvalidGraph, "output '" + spec.name + "' is " +
                                                       std::string(to_string(spec.type)) + " " + to_text(spec.dims) +
                                                       ", the case expects " + std::string(to_string(known.type)) +
                                                       " " + to_text(known.dims));
        }
    }
    return imported;
}

std::string difference(const ImportedCase& imported, const std::map<std::string, Numbers>& found) {
    for (const Tensor output : imported.graph.outputs()) {
        const TensorSpec spec = imported.graph.spec(output);
        const Numbers& expected = imported.expected.at(spec.name);
        const Numbers& numbers = found.at(spec.name);
        if (numbers.size() != expected.size())
            return spec.name + " has " + std::to_string(numbers.size()) + " elements";
        for (size_t i = 0; i < expected.size(); ++i) {
            if (is_right(numbers[i], expected[i], imported.is_loose ? Allowed{1e-5, 1e-3} : allowed(spec.type)))
                continue;
            return spec.name + "[" + std::to_string(i) + "] is " + std::to_string(numbers[i]) + ", expected " +
                   std::to_string(expected[i]);
        }
    }
    return {};
}

std::vector<std::string> wrong_cases(CpuDevice device, size_t first, size_t step, size_t& ran) {
    const std::vector<OnnxCase> cases = all_onnx_cases();
    std::vector<std::string> wrong;
    for (size_t i = first; i < cases.size(); i += step) {
        const Result<ImportedCase> imported = import_case(cases[i]);
        if (!imported.is_ok() || !known_difference(cases[i]).empty()) continue;
        ++ran;
        const auto found = run(imported->graph, device, imported->inputs);
        const std::string problem = found.is_ok() ? difference(*imported, *found) : found.status().message();
        if (!problem.empty()) wrong.push_back(cases[i].name + ": " + problem);
    }
    return wrong;
}

}  // namespace tenon::test
