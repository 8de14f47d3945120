// MobileNetV2 as one plan: how many kernels it becomes, and whether they compute what the definition says.
//
//     sample_mobilenet_v2 [size]      pictures of size x size pixels; 32 unless given

#include "mobilenet_v2.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace {

using namespace tenon;

int fail(const Status& status) {
    std::cerr << status.message() << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const int64_t size = argc > 1 ? std::atoll(argv[1]) : 32;
    const Result<Target> target = Target::named("h200");
    if (!target.is_ok()) return fail(target.status());
    const Graph graph = samples::MobileNetV2(DataType::F32).build(1, size);
    const Result<Plan> plan = Plan::build(graph, *target);
    if (!plan.is_ok()) return fail(plan.status());
    std::cout << "MobileNetV2, " << size << " x " << size << ": " << plan->kernel_count() << " kernels, "
              << plan->workspace_bytes() / 1024 << " KiB of workspace\n";

    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> picture(static_cast<size_t>(3 * size * size));
    for (float& value : picture) value = uniform(generator);
    std::vector<float> found(1000), expected(1000);
    const Tensor input = graph.inputs()[0], output = graph.outputs()[0];
    const Status emulated = plan->run_on_cpu(CpuDevice::Emulator, {{input, picture.data()}, {output, found.data()}});
    if (!emulated.is_ok()) return fail(emulated);
    const Status defined = plan->run_on_cpu(CpuDevice::Reference, {{input, picture.data()}, {output, expected.data()}});
    if (!defined.is_ok()) return fail(defined);
    float difference = 0.0f, largest = 0.0f;
    for (size_t i = 0; i < found.size(); ++i) {
        difference = std::max(difference, std::fabs(found[i] - expected[i]));
        largest = std::max(largest, std::fabs(expected[i]));
    }
    std::cout << "largest score " << largest << ", largest difference from the reference " << difference << "\n";
    return difference <= 1e-3f * largest ? 0 : 1;
}
