#include "tests/emulator/kernel_run.h"

namespace tenon::engine {

template <typename T>
Status run_small(const SmallKernel& small, const std::vector<T>& x, std::vector<T>& y, uint64_t seed) {
    codegen::KernelSource kernel;
    kernel.name = "small";
    for (const std::string& include : small.includes) kernel.text += "#include <" + include + ">\n";
    kernel.arguments = {{.role = "x"}, {.role = "y", .written = true}};
    void* input = const_cast<T*>(x.data());
    std::vector<EmulatedArgument> arguments{
        {input, input, static_cast<int64_t>(x.size() * sizeof(T)), false, false},
        {y.data(), y.data(), static_cast<int64_t>(y.size() * sizeof(T)), false, true}};
    std::string maps;
    const auto add_map = [&](const std::string& role, const codegen::TensorMapShape& map, size_t argument) {
        maps += ", const __grid_constant__ TensorMap " + role;
        kernel.arguments.push_back({.kind = codegen::KernelArgument::Kind::TensorMap,
                                    .role = role,
                                    .type = small.map_type,
                                    .written = argument == 1,
                                    .map = map});
        arguments.push_back(arguments[argument]);
    };
    if (small.map_x) add_map("map_x", *small.map_x, 0);
    if (small.map_y) add_map("map_y", *small.map_y, 1);
    kernel.text += "using namespace tenon;\n" + small.declarations + "\nextern \"C\" __global__ __launch_bounds__(" +
                   std::to_string(small.launch.block[0]) + ") void small(const " + small.element + "* x, " +
                   small.element + "* y" + maps + ") {\n" + small.body + "\n}\n";
    kernel.launch = small.launch;
    return run_emulated(kernel, arguments, {.seed = seed});
}

template Status run_small(const SmallKernel&, const std::vector<float>&, std::vector<float>&, uint64_t);
template Status run_small(const SmallKernel&, const std::vector<int32_t>&, std::vector<int32_t>&, uint64_t);
template Status run_small(const SmallKernel&, const std::vector<uint16_t>&, std::vector<uint16_t>&, uint64_t);

std::string fault_of(const SmallKernel& kernel, uint64_t seed) {
    const std::vector<float> x(64, 1.0f);
    std::vector<float> y(64, 0.0f);
    return run_small(kernel, x, y, seed).message();
}

}  // namespace tenon::engine
