// The published ONNX cases (Debian's libonnx-testdata): every case whose operators are supported gives the expected
// outputs on the reference. What is left out, and why, is pinned in skipped.txt.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/conformance/onnx_case.h"

namespace tenon::test {
namespace {

/// Fewer importable cases than this means that the data or the importer lost some.
constexpr size_t kLeastCases = 750;

/// A folder that was packed holds only the cases that run.
bool data_is_whole() { return all_onnx_cases().size() > 1000; }

std::string skipped_text(const std::vector<OnnxCase>& cases, size_t& imported) {
    std::string text;
    for (const OnnxCase& one : cases) {
        const Result<ImportedCase> result = import_case(one);
        const std::string reason = result.is_ok() ? known_difference(one) : result.status().message();
        if (reason.empty()) ++imported;
        if (!reason.empty()) text += one.name + ": " + reason + "\n";
    }
    return text;
}

TEST(Conformance, SkippedCasesAreThePinnedOnes) {
    if (!data_is_whole()) GTEST_SKIP() << "no whole test data in " << onnx_data_folder();
    const std::vector<OnnxCase> cases = all_onnx_cases();
    size_t imported = 0;
    const std::string found = skipped_text(cases, imported);
    std::printf("conformance: %zu cases, %zu run, %zu skipped\n", cases.size(), imported, cases.size() - imported);
    const std::filesystem::path pinned = std::filesystem::path(TENON_SOURCE_ROOT) / "tests/conformance/skipped.txt";
    if (std::getenv("TENON_UPDATE_PINNED") != nullptr) std::ofstream(pinned, std::ios::binary) << found;
    EXPECT_EQ(found, read_file(pinned)) << "run this test once with TENON_UPDATE_PINNED=1 and look at the change";
    EXPECT_GE(imported, kLeastCases);
}

TEST(Conformance, DataIsInstalled) {
    EXPECT_FALSE(all_onnx_cases().empty())
        << "install libonnx-testdata, or set TENON_ONNX_DATA to a folder with its cases";
}

TEST(Conformance, ReferenceGivesTheExpectedOutputs) {
    size_t ran = 0;
    for (const std::string& wrong : wrong_cases(CpuDevice::Reference, 0, 1, ran)) ADD_FAILURE() << wrong;
    EXPECT_GE(ran, kLeastCases);
}

}  // namespace
}  // namespace tenon::test
