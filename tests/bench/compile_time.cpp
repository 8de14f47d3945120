// How long a first user waits: plan and compile of conv + bias + relu for an H200, then the same from the disk and from
// memory. Prints medians over runs, each with a compiler and a folder of its own.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <vector>

#include <tenon/tenon.h>

namespace {

using Clock = std::chrono::steady_clock;

tenon::Graph block(int64_t channels) {
    tenon::Graph graph;
    const tenon::Tensor x = graph.input({"x", {32, channels, 56, 56}, tenon::DataType::F16, tenon::Layout::NHWC});
    const tenon::Tensor w = graph.input({"w", {channels, channels, 3, 3}, tenon::DataType::F16, tenon::Layout::NHWC});
    const tenon::Tensor bias = graph.input({"bias", {1, channels, 1, 1}});
    graph.output(graph.relu(graph.add(graph.conv2d(x, w, {.pad = {1, 1, 1, 1}}), bias)));
    return graph;
}

/// Milliseconds of plan and compile; negative if one failed.
double plan_and_compile(const tenon::Graph& graph, const tenon::Compiler& compiler) {
    const auto begin = Clock::now();
    const tenon::Result<tenon::Plan> plan = tenon::Plan::build(graph, *tenon::Target::named("h200"));
    if (!plan.is_ok() || !plan->compile("sm_90a", compiler).is_ok()) return -1.0;
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main() {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tenon-compile-time";
    const tenon::Graph graph = block(64);
    std::vector<double> cold, processor, disk, memory;
    for (int run = 0; run < 7; ++run) {
        std::filesystem::remove_all(folder);
        tenon::Settings settings;
        settings.cache_folder = folder.string();
        const std::clock_t begin = std::clock();
        cold.push_back(plan_and_compile(graph, tenon::Compiler(settings)));
        processor.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        const tenon::Compiler second(settings);
        disk.push_back(plan_and_compile(graph, second));
        memory.push_back(plan_and_compile(graph, second));
    }
    std::filesystem::remove_all(folder);
    std::printf(
        "plan and compile conv + bias + relu for sm_90a, median of 7, ms: first in this process %.1f, cold %.1f, "
        "from disk %.2f, from memory %.2f\n",
        cold.front(), median(cold), median(disk), median(memory));
    return *std::min_element(cold.begin(), cold.end()) < 0.0 ? 1 : 0;
}
