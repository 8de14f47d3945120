// The built program on small graphs: exit codes and output.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/npy.h"

namespace tenon::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Finished {
    int code = -1;
    std::string output;  ///< stdout, then stderr as it came.
};

/// A folder of this process that goes away with it.
class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "tenon_tool_XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }

  private:
    std::string path_;
};

/// Runs the program with these arguments, as a shell reads them.
Finished tenon(const std::string& arguments) {
    FILE* pipe = popen((std::string(TENON_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
    Finished finished;
    std::array<char, 4096> buffer{};
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        finished.output.append(buffer.data(), count);
    const int status = pclose(pipe);
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return finished;
}

const std::string kSample = std::string(TENON_SOURCE_ROOT) + "/samples/conv_block.json";

constexpr const char* kScale = R"({"tenon_graph": 1,
  "tensors": [{"name": "x", "dims": [2, 3]}, {"name": "two", "kind": "constant", "dims": [], "values": [2]}],
  "nodes": [{"op": "multiply", "name": "y", "inputs": ["x", "two"]}], "outputs": ["y"]})";

TEST(Tool, DemoEndsWell) {
    const Finished demo = tenon("demo");
    EXPECT_EQ(demo.code, kRight) << demo.output;
    EXPECT_THAT(demo.output, HasSubstr("agrees with the reference"));
    EXPECT_THAT(demo.output,
                testing::ContainsRegex("1 kernels planned for .*, [01] compiled, [01] run on the emulator"));
}

TEST(Tool, ABadCommandLineIsTwo) {
    for (const char* arguments : {"", "frobnicate", "explain", "run", "explain --target abacus x.json", "cache",
                                  "run x.json --device abacus", "bench x.json --samples 0"}) {
        const Finished finished = tenon(arguments);
        EXPECT_EQ(finished.code, kBadCommand) << arguments << "\n" << finished.output;
    }
    EXPECT_EQ(tenon("--help").code, kRight);
    EXPECT_THAT(tenon("--help").output, HasSubstr("Exit codes: 0 done"));
    EXPECT_EQ(tenon("--version").code, kRight);
}

TEST(Tool, AFileThatCannotBeUsedIsThree) {
    const Folder folder;
    const std::string not_json = folder.write("not.json", "{");
    const std::string not_graph = folder.write("graph.json", R"({"tenon_graph": 1, "nodes": [{"op": "rellu"}]})");
    for (const char* verb : {"explain", "run", "verify", "compile", "bench"}) {
        EXPECT_EQ(tenon(std::string(verb) + " " + folder.file("absent.json")).code, kBadInput) << verb;
        EXPECT_EQ(tenon(std::string(verb) + " " + not_json).code, kBadInput) << verb;
        const Finished finished = tenon(std::string(verb) + " " + not_graph);
        EXPECT_EQ(finished.code, kBadInput) << verb;
        EXPECT_THAT(finished.output, HasSubstr("/nodes/0: there is no operation 'rellu'"));
    }
}

TEST(Tool, ExplainPrintsTheAskedForm) {
    const Finished text = tenon("explain " + kSample);
    EXPECT_EQ(text.code, kRight);
    EXPECT_THAT(text.output, HasSubstr("nodes 'conv'"));
    EXPECT_THAT(tenon("explain --target t4 " + kSample).output, HasSubstr("sm_75"));
    EXPECT_THAT(tenon("explain --source " + kSample).output, HasSubstr("extern \"C\" __global__"));
    EXPECT_THAT(tenon("explain --graph " + kSample).output, HasSubstr("conv: f32 1x32x14x14 = conv(x, w)"));
    EXPECT_THAT(tenon("explain --unfused " + kSample).output, HasSubstr("kernels 4"));
    EXPECT_THAT(tenon("explain --json " + kSample).output, HasSubstr("\"kernels\""));
    EXPECT_THAT(tenon("explain --dot " + kSample).output, HasSubstr("digraph"));
}

TEST(Tool, RunReadsInputsAndWritesOutputs) {
    const Folder folder;
    const std::string graph = folder.write("graph.json", kScale);
    Array x{DataType::F64, {2, 3}, std::vector<std::byte>(48)};
    const double numbers[] = {1.0, -2.0, 3.5, 0.0, 1e10, 0.25};
    std::memcpy(x.bytes.data(), numbers, sizeof numbers);
    const std::string input = folder.write("x.npy", npy_of(x));
    for (const char* device : {"emulator", "reference"}) {
        const std::string out = folder.file(std::string("out_") + device);
        const Finished finished =
            tenon("run " + graph + " --device " + device + " --input x=" + input + " --out " + out);
        ASSERT_EQ(finished.code, kRight) << finished.output;
        EXPECT_THAT(finished.output, HasSubstr(std::string("run on ") + device));
        std::ostringstream bytes;
        bytes << std::ifstream(out + "/y.npy", std::ios::binary).rdbuf();
        const Result<Array> y = array_from_npy(bytes.str());
        ASSERT_TRUE(y.is_ok()) << y.status().message();
        EXPECT_EQ(y->type, DataType::F32);
        EXPECT_EQ(y->dims, (Dims{2, 3}));
        float results[6];
        ASSERT_EQ(y->bytes.size(), sizeof results);
        std::memcpy(results, y->bytes.data(), sizeof results);
        for (int i = 0; i < 6; ++i) EXPECT_EQ(results[i], static_cast<float>(numbers[i] * 2.0));
    }
    const float raw[] = {1, 2, 3, 4, 5, 6};
    const std::string bin = folder.write("x.bin", std::string(reinterpret_cast<const char*>(raw), sizeof raw));
    EXPECT_THAT(tenon("run " + graph + " --device reference --input x=" + bin).output,
                HasSubstr("least 2  mean 7  greatest 12"));
}

TEST(Tool, RunRefusesInputsThatDoNotFit) {
    const Folder folder;
    const std::string graph = folder.write("graph.json", kScale);
    const std::string run = "run " + graph + " --device reference --input ";
    const std::string small = folder.write("small.npy", npy_of({DataType::F32, {2}, std::vector<std::byte>(8)}));
    const std::string whole = folder.write("whole.npy", npy_of({DataType::I32, {2, 3}, std::vector<std::byte>(24)}));
    const std::string torn = folder.write("torn.npy", "\x93NUMPY and so on");
    const std::string raw = folder.write("raw.bin", "1234");
    const std::pair<std::string, std::string> wrong[] = {
        {"x=" + small, "for input 'x': is 2, needs 2x3"},
        {"x=" + whole, "for input 'x': is i32, needs f32"},
        {"x=" + torn, "for input 'x': npy:"},
        {"x=" + raw, "for input 'x': has 4 bytes, needs 24"},
        {"x=" + folder.file("absent.npy"), "cannot read"},
        {"z=" + raw, "the graph has no input 'z'; there are x"},
        {"x", "--input is 'x', needs NAME=FILE"},
    };
    for (const auto& [argument, words] : wrong) {
        const Finished finished = tenon(run + argument);
        EXPECT_EQ(finished.code, kBadInput) << argument;
        EXPECT_THAT(finished.output, HasSubstr(words));
    }
}

TEST(Tool, VerifyAgreesAndNamesTheRegionThatDoesNot) {
    const Folder folder;
    const Finished right = tenon("verify --device emulator " + kSample);
    EXPECT_EQ(right.code, kRight) << right.output;
    EXPECT_THAT(right.output, HasSubstr("agrees with the reference"));
    // No f32 sum is this near to the exact one, so the convolution is what differs; doubling is exact.
    const std::string two = folder.write("two.json", R"({"tenon_graph": 1,
      "tensors": [{"name": "x", "dims": [1, 8, 5, 5]}, {"name": "w", "dims": [4, 8, 3, 3]}],
      "nodes": [{"op": "add", "name": "doubled", "inputs": ["x", "x"]},
                {"op": "conv", "name": "sums", "inputs": ["doubled", "w"], "fusion": "forbidden"}],
      "outputs": ["doubled", "sums"]})");
    const std::string reproducer = folder.file("wrong.json");
    const Finished wrong = tenon("verify --device emulator --tolerance 1e-14 --reproducer " + reproducer + " " + two);
    EXPECT_EQ(wrong.code, kWrong) << wrong.output;
    EXPECT_THAT(wrong.output, HasSubstr("wrong region: 'sums'"));
    EXPECT_THAT(wrong.output, Not(HasSubstr("wrong region: 'doubled'")));
    EXPECT_THAT(wrong.output, HasSubstr("DIFFERS from the reference"));
    const Finished again = tenon("explain --graph " + reproducer);
    EXPECT_EQ(again.code, kRight) << again.output;
    EXPECT_THAT(again.output, HasSubstr("sums: f32 1x4x3x3 = conv(doubled, w)"));
}

TEST(Tool, VerifyRunsEditedKernelsAndNamesTheWrongOne) {
    const Folder folder;
    const std::string graph = folder.write("graph.json", R"({"tenon_graph": 1,
      "tensors": [{"name": "x", "dims": [2, 3]}],
      "nodes": [{"op": "exp", "name": "first", "inputs": ["x"]},
                {"op": "softmax", "name": "second", "inputs": ["first"], "fusion": "forbidden"},
                {"op": "sigmoid", "name": "third", "inputs": ["second"], "fusion": "forbidden"}],
      "outputs": ["third"]})");
    const std::string sources = folder.file("sources");
    ASSERT_EQ(tenon("explain --write-sources " + sources + " " + graph).code, kRight);
    int edited = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(sources)) {
        std::ostringstream text;
        text << std::ifstream(file.path()).rdbuf();
        std::string kernel = text.str();
        const size_t call = kernel.find("value = sigmoid(");
        if (call == std::string::npos) continue;
        kernel.replace(call, 16, "value = tanh(");
        std::ofstream(file.path()) << kernel;
        ++edited;
    }
    ASSERT_EQ(edited, 1);
    EXPECT_EQ(tenon("verify --device emulator " + graph).code, kRight);
    const Finished wrong = tenon("verify --device emulator --sources " + sources + " " + graph);
    EXPECT_EQ(wrong.code, kWrong) << wrong.output;
    EXPECT_THAT(wrong.output, HasSubstr("wrong region: 'third'"));
    EXPECT_THAT(wrong.output, Not(HasSubstr("wrong region: 'first'")));
    EXPECT_THAT(wrong.output, Not(HasSubstr("wrong region: 'second'")));
}

TEST(Tool, PlanFilesAreWrittenExplainedAndRun) {
    const Folder folder;
    const std::string graph = folder.write("graph.json", kScale), plan = folder.file("scale.tenon");
    const Finished compiled = tenon("compile -o " + plan + " " + graph);
    if (compiled.code == kAbsent) GTEST_SKIP() << "there is no NVRTC";
    ASSERT_EQ(compiled.code, kRight) << compiled.output;
    EXPECT_THAT(tenon("explain --graph " + plan).output, HasSubstr("y: f32 2x3 = multiply(x, two)"));
    const Finished ran = tenon("run --device emulator " + plan);
    EXPECT_EQ(ran.code, kRight) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("planned for h200, run on emulator"));
    const Finished damaged = tenon("run --device emulator " + folder.write("torn.tenon", "tenon"));
    EXPECT_EQ(damaged.code, kBadInput) << damaged.output;
}

TEST(Tool, OnnxModelsAreGraphs) {
    const std::string data = "/usr/share/libonnx-testdata/data/node/test_relu/model.onnx";
    if (!fs::exists(data)) GTEST_SKIP() << "there is no " << data;
    EXPECT_THAT(tenon("explain --graph " + data).output, HasSubstr("= relu(x)"));
    EXPECT_EQ(tenon("verify --device emulator " + data).code, kRight);
    const Folder folder;
    EXPECT_EQ(tenon("explain " + folder.write("torn.onnx", "no model")).code, kBadInput);
    const Finished extent = tenon("explain --extent batch " + data);
    EXPECT_EQ(extent.code, kBadInput);
    EXPECT_THAT(extent.output, HasSubstr("--extent is 'batch', needs SYMBOL=NUMBER"));
}

TEST(Tool, WithoutAGpuSaysSo) {
    const Finished info = tenon("info");
    EXPECT_EQ(info.code, kRight) << info.output;
    EXPECT_THAT(info.output, HasSubstr("h200  sm_90a"));
    if (info.output.find("GPU            none") == std::string::npos) GTEST_SKIP() << "there is a GPU";
    EXPECT_EQ(tenon("bench " + kSample).code, kAbsent);
    const Finished run = tenon("run --device gpu " + kSample);
    EXPECT_EQ(run.code, kAbsent);
    EXPECT_THAT(run.output, HasSubstr("NOT_FOUND"));
}

TEST(Tool, CompileFillsTheCacheAndCacheEmptiesIt) {
    const Folder folder;
    setenv("TENON_CACHE_DIR", folder.file("cache").c_str(), 1);
    EXPECT_THAT(tenon("cache info").output, HasSubstr(": 0 kernels, 0 bytes"));
    const Finished first = tenon("compile --arch sm_80,sm_90a " + kSample);
    if (first.code == kAbsent) GTEST_SKIP() << "there is no NVRTC";
    EXPECT_EQ(first.code, kRight) << first.output;
    EXPECT_THAT(first.output, HasSubstr("sm_80  conv"));
    EXPECT_THAT(first.output, HasSubstr("2 kernels compiled, 0 found in the cache"));
    EXPECT_THAT(tenon("compile --arch sm_80,sm_90a " + kSample).output,
                HasSubstr("0 kernels compiled, 2 found in the cache"));
    folder.write("cache/other.txt", "not a kernel");
    EXPECT_THAT(tenon("cache info").output, HasSubstr(": 2 kernels, "));
    EXPECT_THAT(tenon("cache clear").output, HasSubstr(": 2 kernels removed"));
    EXPECT_THAT(tenon("cache info").output, HasSubstr(": 0 kernels, 0 bytes"));
    EXPECT_TRUE(fs::exists(folder.file("cache/other.txt")));
    unsetenv("TENON_CACHE_DIR");
}

TEST(Tool, SupportNamesTypes) {
    const Finished support = tenon("support");
    EXPECT_EQ(support.code, kRight);
    EXPECT_THAT(support.output, testing::ContainsRegex("softmax +f16 +bf16 +f32 +f64 +- +- +- +- +-"));
    EXPECT_THAT(support.output, testing::ContainsRegex("bitwise_and +- +- +- +- +i8 +u8 +i32 +i64 +-"));
}

}  // namespace
}  // namespace tenon::tool
