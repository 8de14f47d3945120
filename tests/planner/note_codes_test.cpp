#include "codegen/region/note_codes.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace tenon::codegen {
namespace {

/// Codes that sources of a folder refuse with.
void collect_codes(const std::filesystem::path& folder, std::set<std::string>& codes) {
    const std::regex use("Verdict::no\\(\\s*\"([A-Z_]+)\"");
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
        if (file.path().extension() != ".cpp") continue;
        std::ifstream source(file.path());
        std::ostringstream text;
        text << source.rdbuf();
        const std::string all = text.str();
        for (std::sregex_iterator found(all.begin(), all.end(), use), end; found != end; ++found)
            codes.insert((*found)[1]);
    }
}

TEST(NoteCodes, AreExactlyThoseThePlannerUses) {
    const std::filesystem::path root = std::filesystem::path(TENON_SOURCE_ROOT) / "codegen";
    std::set<std::string> used, documented;
    for (const char* folder : {"planner", "region", "kernels/direct", "kernels/pointwise"})
        collect_codes(root / folder, used);
    for (const NoteCode& row : kNoteCodes) {
        EXPECT_TRUE(documented.insert(std::string(row.code)).second) << row.code << " stands twice in the table";
        EXPECT_GT(row.meaning.size(), 60u) << row.code << " needs a paragraph";
    }
    EXPECT_EQ(used, documented) << "note_codes.h lists every code with its meaning";
}

}  // namespace
}  // namespace tenon::codegen
