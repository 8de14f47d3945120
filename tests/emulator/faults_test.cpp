// Plants each fault the emulator must catch in a kernel of a few lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/emulator/emulator.h"

namespace tenon::engine {
namespace {

using testing::HasSubstr;

/// Runs `body` with x and y, 64 floats each, in one block of 32 threads.
Status run_body(const std::string& name, const std::string& body) {
    codegen::KernelSource kernel;
    kernel.name = name;
    kernel.text =
        "#include <tenon/memory.cuh>\nusing namespace tenon;\nextern \"C\" __global__ __launch_bounds__(32) void " +
        name + "(const float* x, float* y) {\n    " + body + "\n}\n";
    kernel.launch.block = {32, 1, 1};
    kernel.arguments = {{.role = "x"}, {.role = "y", .written = true}};
    alignas(16) static thread_local float x[64], y[64];
    return run_emulated(kernel, {{x, x, sizeof x, false, false}, {y, y, sizeof y, false, true}}, {.seed = 3});
}

TEST(Emulator, RunsASoundKernel) {
    EXPECT_TRUE(run_body("sound", "store_element(y + thread_index(), load_element(x + thread_index()));").is_ok());
}

TEST(Emulator, ReportsAReadOutsideEveryArgument) {
    const Status status =
        run_body("outside", "if (thread_index() == 5) store_element(y, load_element(x + (1 << 20)));");
    EXPECT_EQ(status.code(), ErrorCode::DriverFailed);
    EXPECT_THAT(status.message(), HasSubstr("outside every argument (block 0, thread 5)"));
}

TEST(Emulator, ReportsAWriteToAnInput) {
    EXPECT_THAT(run_body("writes_input", "store_element(const_cast<float*>(x), 1.0f);").message(),
                HasSubstr("'x' + 0 bytes is a write to an input"));
}

TEST(Emulator, ReportsAMisalignedVector) {
    EXPECT_THAT(run_body("misaligned", "store_vector<4>(y, load_vector<4>(x + 1));").message(),
                HasSubstr("16 bytes at 'x' + 4 bytes is misaligned"));
}

TEST(Emulator, RefusesLaunchesItCannotRunWhole) {
    codegen::KernelSource kernel;
    kernel.name = "two_rows";
    for (const bool by_grid : {true, false}) {
        kernel.launch = {};
        (by_grid ? kernel.launch.grid[1] : kernel.launch.shared_bytes) = 2;
        EXPECT_EQ(run_emulated(kernel, {}, {}).code(), ErrorCode::Unsupported);
    }
}

TEST(Emulator, NamesTheFirstErrorOfAKernelThatDoesNotCompile) {
    const Status status = run_body("broken", "y[0] = undeclared;");
    EXPECT_EQ(status.code(), ErrorCode::CompileFailed);
    EXPECT_THAT(status.message(), HasSubstr("undeclared"));
}

}  // namespace
}  // namespace tenon::engine
