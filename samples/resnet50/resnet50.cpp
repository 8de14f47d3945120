// ResNet-50 as one plan: how many kernels it becomes, and whether they compute what the definition says.
//
//     sample_resnet50 [size]      pictures of size x size pixels; 32 unless given

#include "resnet50.h"

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
    const Graph graph = samples::ResNet50(DataType::F32).build(1, size);
    const Result<Plan> plan = Plan::build(graph, *target);
    if (!plan.is_ok()) return fail(plan.status());
    std::cout << "ResNet-50, " << size << " x " << size << ": " << graph.spec(graph.outputs()[0]).name << " in "
              << plan->kernel_count() << " kernels, " << plan->workspace_bytes() / 1024 << " KiB of workspace\n";

    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> picture(static_cast<size_t>(3 * size * size));
    for (float& value : picture) value = uniform(generator);
    std::vector<float> found(1000), expected(1000);
    const Tensor input = graph.inputs()[0], output = graph.outputs()[0];
    if (const Status ran = plan->run_on_cpu(CpuDevice::Emulator, {{input, picture.data()}, {output, found.data()}});
        !ran.is_ok())
        return fail(ran);
    if (const Status ran = plan->run_on_cpu(CpuDevice::Reference, {{input, picture.data()}, {output, expected.data()}});
        !ran.is_ok())
        return fail(ran);
    float difference = 0.0f, largest = 0.0f;
    for (size_t i = 0; i < found.size(); ++i) {
        difference = std::max(difference, std::fabs(found[i] - expected[i]));
        largest = std::max(largest, std::fabs(expected[i]));
    }
    std::cout << "largest score " << largest << ", largest difference from the reference " << difference << "\n";
    return difference <= 1e-3f * largest ? 0 : 1;
}
