#include "engine/emulator/object_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public testing::Test {
  protected:
    ObjectCacheTest() {
        std::string pattern = (fs::temp_directory_path() / "tenon-test-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        setenv("TENON_CACHE_DIR", folder_.c_str(), 1);
    }
    ~ObjectCacheTest() override {
        unsetenv("TENON_CACHE_DIR");
        fs::remove_all(folder_);
    }

    /// The text behind a key; counts in made_ how often it had to be written.
    std::string get(const std::string& key, const std::string& text = "text") {
        const ObjectCache cache;
        const Result<fs::path> file = cache.get(key, "file", [&](const fs::path& folder) {
            ++made_;
            std::ofstream(folder / "file") << text;
            return Status();
        });
        if (!file.is_ok()) return file.status().message();
        std::ifstream stream(*file);
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }

    /// The only entry there is.
    fs::path entry() const { return fs::directory_iterator(folder_ / "emulator")->path(); }

    fs::path folder_;
    int made_ = 0;
};

TEST_F(ObjectCacheTest, MakesAFileOncePerKey) {
    EXPECT_EQ(get("a", "one"), "one");
    EXPECT_EQ(get("a", "two"), "one");
    EXPECT_EQ(get("b", "three"), "three");
    EXPECT_EQ(made_, 2);
}

TEST_F(ObjectCacheTest, MakesAnewWhatIsDamaged) {
    get("a");
    std::ofstream(entry() / "key", std::ios::app) << "x";
    EXPECT_EQ(get("a", "whole"), "whole");
    EXPECT_EQ(get("a", "other"), "whole");
    std::ofstream(entry() / "file") << "cut";
    EXPECT_EQ(get("a", "again"), "again");
    EXPECT_EQ(made_, 3);
}

TEST_F(ObjectCacheTest, RemembersNoFailure) {
    const auto fail = [](const fs::path&) { return Status(ErrorCode::CompileFailed, "no"); };
    EXPECT_EQ(ObjectCache().get("a", "file", fail).status().message(), "no");
    EXPECT_TRUE(fs::is_empty(folder_ / "emulator"));
    EXPECT_EQ(get("a"), "text");
}

TEST_F(ObjectCacheTest, UsesNoFolderThatOthersMayWriteTo) {
    fs::create_directory(folder_ / "emulator");
    chmod((folder_ / "emulator").c_str(), 0777);
    EXPECT_EQ(get("a"), "text");
    EXPECT_TRUE(fs::is_empty(folder_ / "emulator"));
}

TEST_F(ObjectCacheTest, KeepsItsFolderToItself) {
    get("a");
    struct stat found {};
    ASSERT_EQ(stat((folder_ / "emulator").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700u);
}

}  // namespace
}  // namespace tenon::engine
