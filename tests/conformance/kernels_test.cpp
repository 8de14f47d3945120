// The published ONNX cases as fused plans: their kernels give the expected outputs on the emulator. The GPU tests
// contain this file too, with a GPU in the emulator's place.

#include <gtest/gtest.h>

#include "tests/conformance/onnx_case.h"

namespace tenon::test {
namespace {

constexpr size_t kShards = 16;

class ConformanceShard : public testing::TestWithParam<size_t> {};

TEST_P(ConformanceShard, KernelsGiveTheExpectedOutputs) {
    if (all_onnx_cases().empty()) GTEST_SKIP() << "no test data in " << onnx_data_folder() << "; set TENON_ONNX_DATA";
    size_t ran = 0;
    for (const std::string& wrong : wrong_cases(CpuDevice::Emulator, GetParam(), kShards, ran)) ADD_FAILURE() << wrong;
    EXPECT_GT(ran, 0u);
}

INSTANTIATE_TEST_SUITE_P(Onnx, ConformanceShard, testing::Range<size_t>(0, kShards));

}  // namespace
}  // namespace tenon::test
