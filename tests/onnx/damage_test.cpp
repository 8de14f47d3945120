// Models that were damaged at random: reading them never crashes (the sanitizer build watches) and always ends in a
// graph or a Status.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <tenon/onnx.h>

#include "tests/onnx/model_writer.h"

namespace tenon::test {
namespace {

/// A model with every kind of field: typed and raw tensors, all attribute types, symbols, shape computations.
std::string sample_model() {
    ModelWriter model(13);
    model.input("x", {"n", "2", "4", "4"});
    model.initializer(float_tensor("w", {2, 1, 3, 3}, std::vector<float>(18, 0.5f)));
    model.initializer(Message().varint(1, 2).varint(2, 1).fixed32(4, 1.0f).fixed32(4, 2.0f).text(8, "b"));
    model.initializer(int64_tensor("shape", {0, -1}));
    model.initializer(int64_tensor("pads", {0, 0, 1, 1, 0, 0, 1, 1}));
    model.initializer(float_tensor("scales", {4}, {1.0f, 1.0f, 2.0f, 2.0f}));
    model.node(node_message("Pad", {"x", "pads"}, {"p"}, {text_attribute("mode", "edge")}));
    const std::vector<Message> conv{int_attribute("group", 2), ints_attribute("strides", {1, 1}),
                                    ints_attribute("pads", {0, 0, 0, 0}), ints_attribute("kernel_shape", {3, 3})};
    model.node(node_message("Conv", {"p", "w", "b"}, {"c"}, conv));
    model.node(node_message("LeakyRelu", {"c"}, {"r"}, {float_attribute("alpha", 0.1f)}));
    model.node(node_message("Resize", {"r", "", "scales"}, {"z"}, {text_attribute("mode", "linear")}));
    const std::vector<Message> pool{ints_attribute("kernel_shape", {2, 2}), text_attribute("auto_pad", "SAME_UPPER")};
    model.node(node_message("MaxPool", {"z"}, {"m", "i"}, pool));
    model.node(node_message("Split", {"m"}, {"s0", "s1"}, {int_attribute("axis", 1)}));
    model.node(node_message("Concat", {"s1", "s0"}, {"k"}, {int_attribute("axis", -3)}));
    model.node(node_message("Constant", {}, {"t"}, {tensor_attribute("value", float_tensor("", {}, {2.0f}))}));
    model.node(node_message("Mul", {"k", "t"}, {"u"})).node(node_message("Reshape", {"u", "shape"}, {"f"}));
    model.node(node_message("Softmax", {"f"}, {"y"}, {int_attribute("axis", 1)})).output("y").output("i");
    return model.bytes();
}

std::string mutated(std::string bytes, std::mt19937& random) {
    for (int change = static_cast<int>(random() % 4); change >= 0 && !bytes.empty(); --change) {
        const size_t at = random() % bytes.size();
        switch (random() % 6) {
            case 0:
                bytes.resize(at);
                break;
            case 1:
                bytes.erase(at, 1 + random() % 8);
                break;
            case 2:
                bytes.insert(at, 1 + random() % 10, static_cast<char>(random()));
                break;
            case 3:
                bytes[at] = static_cast<char>(0xff);
                break;
            default:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
                break;
        }
    }
    return bytes;
}

struct Counts {
    int graphs = 0, refusals = 0;
};

Counts import_mutations(const std::string& model, int rounds, const OnnxOptions& options) {
    std::mt19937 random(20240117);
    Counts counts;
    for (int round = 0; round < rounds; ++round) {
        const Result<Graph> graph = graph_from_onnx(mutated(model, random), options);
        EXPECT_EQ(graph.is_ok(), graph.status().message().empty());
        ++(graph.is_ok() ? counts.graphs : counts.refusals);
    }
    return counts;
}

TEST(Damage, MutationsOfAModelNeverCrash) {
    const OnnxOptions options{.extents = {{"n", 2}}};
    const Result<Graph> whole = graph_from_onnx(sample_model(), options);
    ASSERT_TRUE(whole.is_ok()) << whole.status().message();
    ASSERT_TRUE(whole->validate().is_ok()) << whole->validate().message();
    const Counts counts = import_mutations(sample_model(), 20000, options);
    EXPECT_GT(counts.graphs, 100);  // some bytes do not matter, so damage reaches the rules too
    EXPECT_GT(counts.refusals, 5000);
}

TEST(Damage, EveryPrefixIsRefused) {
    const std::string model = sample_model();
    for (size_t size = 0; size + 1 < model.size(); ++size) {
        const Result<Graph> graph = graph_from_onnx(std::string_view(model).substr(0, size), {.extents = {{"n", 2}}});
        // The operator set stands last; without it the model counts as one of version 1.
        EXPECT_TRUE(!graph.is_ok() || size > model.size() - 10) << size;
    }
}

TEST(Damage, MutationsOfPublishedModelsNeverCrash) {
    namespace fs = std::filesystem;
    const fs::path data = "/usr/share/libonnx-testdata/data";
    if (!fs::exists(data)) GTEST_SKIP() << "no test data in " << data;
    int models = 0;
    for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
        for (const fs::directory_entry& entry : fs::directory_iterator(data / group)) {
            std::ifstream file(entry.path() / "model.onnx", std::ios::binary);
            std::ostringstream bytes;
            bytes << file.rdbuf();
            if (bytes.str().size() > 20000) continue;
            import_mutations(bytes.str(), 20, {});
            ++models;
        }
    }
    EXPECT_GT(models, 500);
}

}  // namespace
}  // namespace tenon::test
