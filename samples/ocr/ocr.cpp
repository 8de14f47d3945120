// Reads a line of text from a picture with PaddleOCR's recognition network.
//
//     .ci/fetch_models build/models
//     build/samples/sample_ocr build/models samples/ocr/fusion_engine_42.pgm [emulator]
//
// Runs on the reference device, or on the emulator: then it is the generated kernels that read.

#include <algorithm>
#include <iostream>

#include <tenon/onnx.h>
#include <tenon/tenon.h>

#include "samples/picture.h"

namespace {

constexpr int kHeight = 48;  // the network reads lines of this height

/// Width of the line at that height.
int64_t line_width(const Picture& picture) { return std::max(16, picture.width * kHeight / picture.height); }

/// [1, 3, 48, width] in [-1, 1].
std::vector<float> network_input(const Picture& picture) {
    const auto width = static_cast<int>(line_width(picture));
    const float step = static_cast<float>(picture.height) / kHeight;
    std::vector<float> values;
    for (int channel = 0; channel < 3; ++channel) {
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < width; ++x) {
                const float across = (static_cast<float>(x) + 0.5f) * step - 0.5f;
                const float down = (static_cast<float>(y) + 0.5f) * step - 0.5f;
                values.push_back(sample(picture, across, down, channel) / 127.5f - 1.0f);
            }
        }
    }
    return values;
}

/// The alphabet: class 0 says "nothing new", the last one is the space.
std::vector<std::string> read_alphabet(const std::string& path, size_t classes) {
    std::vector<std::string> alphabet{""};
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) alphabet.push_back(line);
    alphabet.resize(classes, " ");
    return alphabet;
}

/// The likeliest class of every position; a class that stands next to itself counts once. Spaces at the end go.
std::string decode(const std::vector<float>& scores, const std::vector<std::string>& alphabet) {
    std::string text;
    size_t previous = 0;
    for (size_t start = 0; start + alphabet.size() <= scores.size(); start += alphabet.size()) {
        const auto first = scores.begin() + static_cast<std::ptrdiff_t>(start);
        const auto best =
            static_cast<size_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(alphabet.size())) - first);
        if (best != previous) text += alphabet[best];
        previous = best;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

int fail(const std::string& what) {
    std::cerr << "sample_ocr: " << what << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return fail("usage: sample_ocr <folder of models> <picture.pgm> [emulator]");
    const std::string models = argv[1];
    const Picture picture = read_picture(argv[2]);
    if (picture.pixels.empty()) return fail(std::string("cannot read '") + argv[2] + "'");

    // The model leaves the width of the line open; a graph has fixed extents.
    const tenon::OnnxOptions options{.dims = {{"x", {1, 3, kHeight, line_width(picture)}}}};
    const auto graph = tenon::graph_from_onnx(read_file(models + "/ch_PP-OCRv4_rec_infer.onnx"), options);
    if (!graph.is_ok()) return fail(graph.status().message());
    const auto plan = tenon::Plan::build(*graph, *tenon::Target::named("h200"));
    if (!plan.is_ok()) return fail(plan.status().message());

    const tenon::Tensor x = graph->inputs().front(), y = graph->outputs().front();
    const tenon::Dims dims = graph->spec(y).dims;  // [1, positions, classes]
    std::vector<float> input = network_input(picture), scores(static_cast<size_t>(tenon::element_count(dims)));
    const bool emulate = argc > 3 && argv[3] == std::string("emulator");
    const auto device = emulate ? tenon::CpuDevice::Emulator : tenon::CpuDevice::Reference;
    const tenon::Status ran = plan->run_on_cpu(device, {{x, input.data()}, {y, scores.data()}});
    if (!ran.is_ok()) return fail(ran.message());

    const auto alphabet = read_alphabet(models + "/ppocr_keys_v1.txt", static_cast<size_t>(dims.back()));
    std::cout << decode(scores, alphabet) << "\n";
    return 0;
}
