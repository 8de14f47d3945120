// The five real networks whole, as fused plans, kernel by kernel on the emulator. The GPU tests contain this file too,
// with a GPU in the emulator's place.

#include <gtest/gtest.h>

#include "tests/networks/networks.h"

namespace tenon::test {
namespace {

class NetworkKernels : public testing::TestWithParam<size_t> {};

TEST_P(NetworkKernels, GiveTheGoldenOutputs) {
    if (!has_models()) GTEST_SKIP() << "no models in " << models_folder() << "; run .ci/fetch_models there";
    EXPECT_EQ(wrong_output(networks()[GetParam()], CpuDevice::Emulator, 1e-3), "");
}

INSTANTIATE_TEST_SUITE_P(Onnx, NetworkKernels, testing::Range<size_t>(0, 5));

}  // namespace
}  // namespace tenon::test
