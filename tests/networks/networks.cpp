#include "tests/networks/networks.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <tenon/onnx.h>

#include "frontend/status_macros.h"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Takes numbers off the front of a golden file. The files are our own; a short one gives zeros, which fail the test.
class Cursor {
  public:
    explicit Cursor(std::string bytes) : bytes_(std::move(bytes)) {}

    template <typename T>
    T take() {
        T value{};
        if (at_ + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::string text(size_t size) {
        const std::string part = at_ + size <= bytes_.size() ? bytes_.substr(at_, size) : "";
        at_ += size;
        return part;
    }

  private:
    std::string bytes_;
    size_t at_ = 0;
};

}  // namespace

const std::vector<Network>& networks() {
    static const std::vector<Network> all{{"face_detection_front_128x128_barracuda", {1, 128, 128, 3}},
                                          {"face_detection_back_256x256_barracuda", {1, 256, 256, 3}},
                                          {"ch_PP-OCRv4_det_infer", {1, 3, 64, 320}},
                                          {"ch_PP-OCRv4_rec_infer", {1, 3, 48, 64}},
                                          {"ch_ppocr_mobile_v2.0_cls_infer", {1, 3, 48, 96}}};
    return all;
}

fs::path models_folder() {
    const char* named = std::getenv("TENON_MODELS");
    return named != nullptr && *named != '\0' ? named : TENON_MODELS_FOLDER;
}

bool has_models() { return fs::exists(models_folder() / (networks().front().name + ".onnx")); }

Result<Graph> import_network(const Network& network) {
    const std::string input = network.input[3] == 3 ? "input:0" : "x";
    return graph_from_onnx(read(models_folder() / (network.name + ".onnx")), {.dims = {{input, network.input}}});
}

std::vector<GoldenOutput> read_golden(const std::string& name) {
    Cursor file(read(fs::path(TENON_SOURCE_ROOT) / "tests/networks/goldens" / (name + ".bin")));
    std::vector<GoldenOutput> outputs;
    if (file.text(4) != "TNGL") return outputs;
    for (uint32_t left = file.take<uint32_t>(); left > 0; --left) {
        GoldenOutput output;
        output.name = file.text(file.take<uint32_t>());
        for (uint32_t rank = file.take<uint32_t>(); rank > 0; --rank) output.dims.push_back(file.take<uint32_t>());
        output.step = file.take<uint32_t>();
        for (uint32_t count = file.take<uint32_t>(); count > 0; --count) output.samples.push_back(file.take<float>());
        output.mean = file.take<double>();
        output.mean_square = file.take<double>();
        outputs.push_back(std::move(output));
    }
    return outputs;
}

Numbers golden_input(const Network& network) {
    Numbers values;
    const int64_t count = element_count(network.input);
    if (network.input == Dims{1, 3, 64, 320}) {
        const std::string file = read(fs::path(TENON_SOURCE_ROOT) / "samples/ocr/fusion_engine_42.pgm");
        constexpr int64_t kWidth = 320, kPixels = kWidth * 48;
        for (int64_t i = 0; i < count; ++i) {
            const int64_t at = i % (64 * kWidth) - 8 * kWidth;
            const bool is_page = at < 0 || at >= kPixels;
            const auto from_end = static_cast<size_t>(kPixels - at);
            values.push_back((is_page ? 255 : static_cast<uint8_t>(file.at(file.size() - from_end))) / 127.5 - 1.0);
        }
        return values;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t h = (i + 1) * 2654435761u;
        h = (h ^ (h >> 15)) * 2246822519u;
        h = h ^ (h >> 13);
        values.push_back((h >> 8) / 8388608.0 - 1.0);
    }
    return values;
}

std::string difference(const GoldenOutput& golden, const Numbers& found, double relative) {
    const double allowed = relative * std::sqrt(golden.mean_square);
    double sum = 0.0, squares = 0.0;
    for (const double value : found) {
        sum += value;
        squares += value * value;
    }
    const double count = static_cast<double>(found.size());
    for (size_t i = 0; i < golden.samples.size(); ++i) {
        const double value = i * golden.step < found.size() ? found[i * golden.step] : std::nan("");
        if (!(std::fabs(value - golden.samples[i]) <= allowed))
            return golden.name + "[" + std::to_string(i * golden.step) + "] is " + std::to_string(value) +
                   ", expected " + std::to_string(golden.samples[i]) + " within " + std::to_string(allowed);
    }
    if (!(std::fabs(sum / count - golden.mean) <= allowed))
        return golden.name + " has the mean " + std::to_string(sum / count) + ", expected " +
               std::to_string(golden.mean);
    if (!(std::fabs(squares / count - golden.mean_square) <= 2.0 * relative * golden.mean_square))
        return golden.name + " has the mean square " + std::to_string(squares / count) + ", expected " +
               std::to_string(golden.mean_square);
    return {};
}

std::string wrong_output(const Network& network, CpuDevice device, double relative) {
    const Result<Graph> graph = import_network(network);
    if (!graph.is_ok()) return graph.status().message();
    const std::string input = graph->spec(graph->inputs().front()).name;
    const auto found = run(*graph, device, {{input, golden_input(network)}});
    if (!found.is_ok()) return found.status().message();
    const std::vector<GoldenOutput> goldens = read_golden(network.name);
    if (goldens.size() != graph->outputs().size()) return "has " + std::to_string(goldens.size()) + " golden outputs";
    for (const GoldenOutput& golden : goldens) {
        if (found->count(golden.name) == 0) return "has no output '" + golden.name + "'";
        const Dims dims = graph->spec(*graph->find(golden.name)).dims;
        if (dims != golden.dims) return golden.name + " is " + to_text(dims) + ", expected " + to_text(golden.dims);
        const std::string problem = difference(golden, found->at(golden.name), relative);
        if (!problem.empty()) return problem;
    }
    return {};
}

}  // namespace tenon::test
