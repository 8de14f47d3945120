#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include <tenon/tenon.h>

namespace fs = std::filesystem;

namespace {

/// Which folders the sources of a folder may include. Reading order of the pipeline, bottom up.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"frontend", {"frontend"}},
    {"heuristics", {"heuristics"}},
    {"codegen", {"codegen", "heuristics", "frontend"}},
    {"engine", {"engine", "codegen", "frontend"}},
};

TEST(Layering, FoldersIncludeOnlyWhatStandsBelowThem) {
    const std::regex include(R"rx(^\s*#include "(\w+)/)rx");
    int seen = 0;
    for (const auto& [folder, allowed] : kMayInclude) {
        for (const fs::directory_entry& file : fs::recursive_directory_iterator(fs::path(TENON_SOURCE_ROOT) / folder)) {
            std::ifstream source(file.path());
            std::smatch found;
            for (std::string line; std::getline(source, line);) {
                if (!std::regex_search(line, found, include)) continue;
                ++seen;
                EXPECT_TRUE(allowed.count(found[1]) > 0) << file.path() << ": " << line;
            }
        }
    }
    EXPECT_GT(seen, 50);
}

TEST(GeneratedSource, IsDeterministicAndCarriesNoUserText) {
    const auto source = [](const std::string& name) {
        tenon::Graph g;
        const tenon::Tensor x = g.input({name, {2, 8, 4, 4}});
        g.output(g.relu(g.conv(x, g.input({"w", {8, 8, 3, 3}})), {.name = "out_" + name}));
        return tenon::Plan::build(g, *tenon::Target::named("h200"))->source();
    };
    EXPECT_EQ(source("secret"), source("another"));
    EXPECT_EQ(source("secret").find("secret"), std::string::npos);
    EXPECT_FALSE(std::regex_search(source("x"), std::regex(R"rx(\b(tmp|val|alu|var|cast|buf|idx)_?\d+\b)rx")));
}

}  // namespace
