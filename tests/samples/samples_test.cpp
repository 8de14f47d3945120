// The samples that read pictures, run as programs. Their networks come from .ci/fetch_models.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "samples/picture.h"
#include "tests/networks/networks.h"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int exit_code = -1;
    std::string output;  ///< Standard output and error.
};

Outcome run_program(const std::string& command) {
    Outcome outcome;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 256> part{};
    while (fgets(part.data(), part.size(), pipe) != nullptr) outcome.output += part.data();
    outcome.exit_code = WEXITSTATUS(pclose(pipe));
    return outcome;
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }
fs::path samples() { return fs::path(TENON_SOURCE_ROOT) / "samples"; }

class Samples : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_models()) GTEST_SKIP() << "no models in " << models_folder() << "; run .ci/fetch_models there";
    }
    static Outcome read_line(const std::string& picture, const std::string& device = {}) {
        return run_program(quoted(TENON_SAMPLE_OCR) + " " + quoted(models_folder()) + " " +
                           quoted(samples() / "ocr" / picture) + " " + device);
    }
};

TEST_F(Samples, OcrReadsThreeLines) {
    EXPECT_EQ(read_line("fusion_engine_42.pgm").output, "fusion engine 42\n");
    EXPECT_EQ(read_line("conv_bias_relu.pgm").output, "conv bias relu\n");
    EXPECT_EQ(read_line("sm_90a_ok.pgm").output, "sm_90a OK\n");
}

TEST_F(Samples, OcrReadsThroughGeneratedKernels) {
    EXPECT_EQ(read_line("sm_90a_ok.pgm", "emulator").output, "sm_90a OK\n");
}

TEST_F(Samples, OcrSaysWhatIsMissing) {
    const Outcome outcome = read_line("no_such.pgm");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.output.find("cannot read"), std::string::npos) << outcome.output;
}

TEST_F(Samples, FaceFindsTheFaceAndDrawsABox) {
    const fs::path boxed = fs::path(testing::TempDir()) / ("tenon_boxed_" + std::to_string(getpid()) + ".ppm");
    const fs::path picture = samples() / "face/astronaut.ppm";
    const Outcome outcome = run_program(quoted(TENON_SAMPLE_FACE) + " " + quoted(models_folder()) + " " +
                                        quoted(picture) + " " + quoted(boxed) + " emulator");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    int left = 0, top = 0, right = 0, bottom = 0;
    ASSERT_EQ(std::sscanf(outcome.output.c_str(), "face: %d %d %d %d", &left, &top, &right, &bottom), 4);
    // The eyes, measured in the picture by hand, lie in the upper half of the box; the chin is above its lower edge.
    EXPECT_NEAR((left + right) / 2.0, 81.0, 8.0) << outcome.output;
    EXPECT_NEAR((top + bottom) / 2.0, 64.0, 8.0) << outcome.output;
    EXPECT_NEAR(right - left, 53.0, 12.0) << outcome.output;
    const Picture before = read_picture(picture.string()), after = read_picture(boxed.string());
    std::error_code ignored;
    fs::remove(boxed, ignored);
    ASSERT_EQ(after.pixels.size(), before.pixels.size());
    EXPECT_EQ(after.at(left, (top + bottom) / 2, 1), 255);
    EXPECT_EQ(after.at((left + right) / 2, (top + bottom) / 2, 1),
              before.at((left + right) / 2, (top + bottom) / 2, 1));
}

}  // namespace
}  // namespace tenon::test
