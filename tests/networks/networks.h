#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tenon/graph.h>

#include "tests/support/run.h"

namespace tenon::test {

/// A published network and the input extents its golden was made for.
struct Network {
    std::string name;  ///< File name without ".onnx".
    Dims input;
};

/// The five networks of .ci/fetch_models.
const std::vector<Network>& networks();

/// $TENON_MODELS, else the folder "models" of the build.
std::filesystem::path models_folder();
bool has_models();

/// The model with the input extents of `network`, or others of the same rank.
Result<Graph> import_network(const Network& network);

/// What ONNX Runtime gave for an output: every `step`-th element, mean and mean square of all.
struct GoldenOutput {
    std::string name;
    Dims dims;
    size_t step = 1;
    Numbers samples;
    double mean = 0.0, mean_square = 0.0;
};

/// tests/networks/goldens/<name>.bin; its form stands in make_goldens.mjs.
std::vector<GoldenOutput> read_golden(const std::string& name);

/// The input that the golden was made with: multiples of 2^-23 in [-1, 1) by a hash of the index; for text detection a
/// picture of text.
Numbers golden_input(const Network& network);

/// Empty if the output is the golden within `relative` of the root mean square (every sample; mean and mean square
/// too).
std::string difference(const GoldenOutput& golden, const Numbers& found, double relative);

/// Empty if the whole network gives its golden outputs on the device, fused. `relative` as in `difference`.
std::string wrong_output(const Network& network, CpuDevice device, double relative);

}  // namespace tenon::test
