#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <tenon/graph.h>

#include "tests/support/run.h"

namespace tenon::test {

/// One published case: a folder with a model, inputs and the outputs they must give.
struct OnnxCase {
    std::string name;  ///< "node/test_abs"
    std::filesystem::path folder;
};

/// A case as a graph with values. `first_error` says why there is none.
struct ImportedCase {
    Graph graph;
    std::map<std::string, Numbers> inputs, expected;  ///< By tensor name.
    bool is_loose = false;                            ///< Compared with ONNX's own tolerance.
};

/// The folder that holds the cases: $TENON_ONNX_DATA, else where Debian's libonnx-testdata puts them.
std::filesystem::path onnx_data_folder();

/// All cases of the four groups, sorted by name. Empty if the data is not there.
std::vector<OnnxCase> all_onnx_cases();

std::string read_file(const std::filesystem::path& path);

/// Imports the model and reads the first data set. Inputs that the import needs to know (extents, axes) become
/// constants.
Result<ImportedCase> import_case(const OnnxCase& onnx_case);

/// Why a case that can be imported does not count: what it expects is not what ONNX's own text and the widely used
/// runtimes say. Empty for all others.
std::string known_difference(const OnnxCase& onnx_case);

/// Empty if `found` is what the case expects: |found - expected| <= absolute + relative * |expected| by the type of the
/// output (f64 1e-7, f32 1e-5 and 1e-4, f16 and bf16 one unit in the last place; integers and bool equal; ONNX itself
/// allows 1e-3, which only cases that ask for it get). NaN and infinities must be there where they are expected,
/// nowhere else.
std::string difference(const ImportedCase& imported, const std::map<std::string, Numbers>& found);

/// Runs every `step`-th case from `first` on that can be imported, counts them in `ran`, and says which are wrong: name
/// and difference.
std::vector<std::string> wrong_cases(CpuDevice device, size_t first, size_t step, size_t& ran);

}  // namespace tenon::test
