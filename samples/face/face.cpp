// Finds the face in a picture with the BlazeFace network and draws a box around it.
//
//     .ci/fetch_models build/models
//     build/samples/sample_face build/models samples/face/astronaut.ppm boxed.ppm [emulator]
//
// Prints the box in pixels: left, top, right, bottom, and how sure the network is.

#include <algorithm>
#include <cmath>
#include <iostream>

#include <tenon/onnx.h>
#include <tenon/tenon.h>

#include "samples/picture.h"

namespace {

constexpr int kSide = 128;  // the network sees 128 x 128 pixels

struct Box {
    float left = 0, top = 0, right = 0, bottom = 0;  // in parts of the picture, 0 to 1
    float certainty = 0;
};

/// [1, 128, 128, 3] in [-1, 1].
std::vector<float> network_input(const Picture& picture) {
    std::vector<float> values;
    const float across = static_cast<float>(picture.width) / kSide, down = static_cast<float>(picture.height) / kSide;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            for (int channel = 0; channel < 3; ++channel) {
                const float left = (static_cast<float>(x) + 0.5f) * across - 0.5f;
                const float top = (static_cast<float>(y) + 0.5f) * down - 0.5f;
                values.push_back(sample(picture, left, top, channel) / 127.5f - 1.0f);
            }
        }
    }
    return values;
}

/// The best box of one of the two grids. Every cell of a grid has `each` candidates: a score (before the sigmoid) and
/// 16 numbers, the first four of which are centre and size in pixels, the centre counted from the middle of the cell.
Box best_box(const std::vector<float>& scores, const std::vector<float>& boxes, int grid, int each) {
    const auto best = static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    const int cell = best / each;
    const float* numbers = boxes.data() + best * 16;
    const float x = numbers[0] / kSide + (static_cast<float>(cell % grid) + 0.5f) / static_cast<float>(grid);
    const float y = numbers[1] / kSide + (static_cast<float>(cell / grid) + 0.5f) / static_cast<float>(grid);
    const float width = numbers[2] / kSide, height = numbers[3] / kSide;
    return {x - width / 2, y - height / 2, x + width / 2, y + height / 2,
            1.0f / (1.0f + std::exp(-scores[static_cast<size_t>(best)]))};
}

void draw(Picture& picture, int left, int top, int right, int bottom) {
    for (int y = std::max(top, 0); y <= std::min(bottom, picture.height - 1); ++y) {
        for (int x = std::max(left, 0); x <= std::min(right, picture.width - 1); ++x) {
            const bool is_edge = x < left + 2 || x > right - 2 || y < top + 2 || y > bottom - 2;
            uint8_t* pixel = picture.pixels.data() + (y * picture.width + x) * picture.channels;
            if (is_edge) std::fill(pixel, pixel + picture.channels, uint8_t{255});
        }
    }
}

int fail(const std::string& what) {
    std::cerr << "sample_face: " << what << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return fail("usage: sample_face <folder of models> <picture.ppm> <boxed.ppm> [emulator]");
    Picture picture = read_picture(argv[2]);
    if (picture.pixels.empty()) return fail(std::string("cannot read '") + argv[2] + "'");
    const std::string model = std::string(argv[1]) + "/face_detection_front_128x128_barracuda.onnx";
    const auto graph = tenon::graph_from_onnx(read_file(model));
    if (!graph.is_ok()) return fail(graph.status().message());
    const auto plan = tenon::Plan::build(*graph, *tenon::Target::named("h200"));
    if (!plan.is_ok()) return fail(plan.status().message());

    std::vector<float> input = network_input(picture);
    tenon::Bindings bindings{{graph->inputs().front(), input.data()}};
    std::vector<std::vector<float>> outputs;  // scores and boxes of the fine grid and the coarse one
    for (const tenon::Tensor output : graph->outputs())
        outputs.emplace_back(static_cast<size_t>(tenon::element_count(graph->spec(output).dims)));
    for (size_t i = 0; i < outputs.size(); ++i) bindings[graph->outputs()[i]] = outputs[i].data();
    if (outputs.size() != 4) return fail("the model has " + std::to_string(outputs.size()) + " outputs, needs 4");
    const bool emulate = argc > 4 && argv[4] == std::string("emulator");
    const tenon::Status ran =
        plan->run_on_cpu(emulate ? tenon::CpuDevice::Emulator : tenon::CpuDevice::Reference, bindings);
    if (!ran.is_ok()) return fail(ran.message());

    const Box fine = best_box(outputs[0], outputs[2], 16, 2), coarse = best_box(outputs[1], outputs[3], 8, 6);
    const Box& box = fine.certainty > coarse.certainty ? fine : coarse;
    if (box.certainty < 0.5f) return fail("there is no face");
    const auto across = [&](float part) { return static_cast<int>(std::lround(part * picture.width)); };
    const auto down = [&](float part) { return static_cast<int>(std::lround(part * picture.height)); };
    std::cout << "face: " << across(box.left) << " " << down(box.top) << " " << across(box.right) << " "
              << down(box.bottom) << ", certainty " << box.certainty << "\n";
    draw(picture, across(box.left), down(box.top), across(box.right), down(box.bottom));
    return write_picture(picture, argv[3]) ? 0 : fail(std::string("cannot write '") + argv[3] + "'");
}
