#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace {

/// What a command prints.
std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    std::array<char, 4096> piece;
    while (const size_t size = fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), size);
    pclose(pipe);
    return text;
}

std::set<std::string> exported() {
    std::istringstream lines(output_of("nm -D --defined-only " TENON_SHARED_LIBRARY));
    std::set<std::string> names;
    for (std::string address, kind, name; lines >> address >> kind >> name;) names.insert(name);
    return names;
}

std::set<std::string> declared() {
    std::ostringstream header;
    header << std::ifstream(TENON_SOURCE_ROOT "/frontend/include/tenon/c.h").rdbuf();
    const std::string text = header.str();
    const std::regex call(R"rx(TENON_API [^;]*?\b(tenon_\w+)\()rx");
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), call), end; match != end; ++match)
        names.insert((*match)[1]);
    return names;
}

TEST(SharedLibrary, ExportsWhatTheHeaderDeclaresAndNothingElse) {
    EXPECT_GT(declared().size(), 40u);
    EXPECT_EQ(exported(), declared());
}

TEST(SharedLibrary, IsSmall) { EXPECT_LT(std::filesystem::file_size(TENON_SHARED_LIBRARY), 10u << 20); }

TEST(SharedLibrary, NeedsNoCudaLibrary) {
    const std::string needed = output_of("readelf -d " TENON_SHARED_LIBRARY);
    EXPECT_NE(needed.find("libc.so"), std::string::npos);
    for (const char* name : {"libcuda", "libnvrtc", "libcudart", "libcublas"})
        EXPECT_EQ(needed.find(name), std::string::npos) << name;
}

}  // namespace
