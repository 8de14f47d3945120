#include "engine/disk_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "engine/bytes.h"
#include "tests/support/temporary_folder.h"

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;
using tenon::test::read_file;
using tenon::test::TemporaryFolder;
using tenon::test::write_file;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A cache and the lines it logged.
struct Logged {
    explicit Logged(const std::string& folder, int64_t bytes = 1 << 20, DiskCache::NameOf name_of = hash_text)
        : cache(
              folder, bytes, [this](const std::string& line) { lines.push_back(line); }, name_of) {}
    std::vector<std::string> lines;
    DiskCache cache;
};

CompiledKernel kernel(const std::string& image = "image", int registers = 40) {
    return {image, registers, 4, 2048, 0.125};
}

TEST(DiskCache, GivesBackWhatWasStoredToALaterProcess) {
    const TemporaryFolder folder;
    Logged(folder / "a/b").cache.store("key", kernel());
    Logged later(folder / "a/b");
    const std::optional<CompiledKernel> found = later.cache.find("key");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->image, "image");
    EXPECT_EQ(found->registers, 40);
    EXPECT_EQ(found->spill_bytes, 4);
    EXPECT_EQ(found->static_shared_bytes, 2048);
    EXPECT_EQ(found->compile_seconds, 0.125);
    EXPECT_FALSE(later.cache.find("other"));
    EXPECT_THAT(later.lines, IsEmpty());
    EXPECT_THAT(folder.files(), SizeIs(1));
}

TEST(DiskCache, IsPrivate) {
    const TemporaryFolder folder;
    Logged(folder / "a").cache.store("key", kernel());
    struct stat found {};
    ASSERT_EQ(stat((folder / "a").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700u);
    ASSERT_EQ(stat(folder.files()[0].c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST(DiskCache, case_49_KeysOfOneHashAreToldApart) {
    const TemporaryFolder folder;
    Logged cache(folder.path(), 1 << 20, [](std::string_view) { return std::string("same"); });
    cache.cache.store("first", kernel("1"));
    EXPECT_FALSE(cache.cache.find("second"));
    cache.cache.store("second", kernel("2"));
    EXPECT_EQ(cache.cache.find("second")->image, "2");
    EXPECT_FALSE(cache.cache.find("first"));
    EXPECT_THAT(cache.lines, IsEmpty());
}

TEST(DiskCache, case_55_ADamagedEntryIsAMissAndIsReplaced) {
    const std::string whole = DiskCache::entry("key", kernel("some image of a kernel"));
    std::vector<std::string> damaged{"", whole.substr(0, 1), whole.substr(0, whole.size() / 2),
                                     whole.substr(0, whole.size() - 1), whole + "x"};
    for (size_t at = 0; at < whole.size(); ++at) {
        damaged.push_back(whole);
        damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x21);
    }
    const TemporaryFolder folder;
    Logged(folder.path()).cache.store("key", kernel());
    const std::string path = folder.files().at(0);
    for (const std::string& bytes : damaged) {
        write_file(path, bytes);
        Logged cache(folder.path());
        EXPECT_FALSE(cache.cache.find("key"));
        EXPECT_THAT(cache.lines, SizeIs(1));
    }
    Logged cache(folder.path());
    cache.cache.store("key", kernel("new"));
    EXPECT_EQ(cache.cache.find("key")->image, "new");
}

TEST(DiskCache, case_55_AFolderInAnEntrysPlaceIsAMissAndIsReplaced) {
    const TemporaryFolder folder;
    const std::string path = folder / (hash_text("key") + ".kernel");
    fs::create_directory(path);
    Logged cache(folder.path());
    EXPECT_FALSE(cache.cache.find("key"));
    EXPECT_THAT(cache.lines, SizeIs(1));
    cache.cache.store("key", kernel());
    EXPECT_TRUE(cache.cache.find("key"));
}

TEST(DiskCache, case_53_AFolderThatCannotBeUsedCostsOneLine) {
    const TemporaryFolder folder;
    write_file(folder / "file", "");
    fs::create_directory(folder / "open");
    fs::permissions(folder / "open", fs::perms::all);
    for (const char* name : {"file", "file/below", "open"}) {
        Logged cache(folder / name);
        EXPECT_FALSE(cache.cache.find("key"));
        cache.cache.store("key", kernel());
        EXPECT_FALSE(cache.cache.find("key"));
        ASSERT_THAT(cache.lines, SizeIs(1)) << name;
        EXPECT_THAT(cache.lines[0], HasSubstr(folder / name));
        EXPECT_THAT(cache.lines[0], HasSubstr("TENON_CACHE_DIR"));
    }
    Logged none("");
    none.cache.store("key", kernel());
    EXPECT_FALSE(none.cache.find("key"));
    EXPECT_THAT(none.lines, IsEmpty());
}

TEST(DiskCache, case_53_AFolderOfAnotherUserIsNotUsed) {
    if (geteuid() != 0) GTEST_SKIP() << "only the superuser can give a folder away";
    const TemporaryFolder folder;
    fs::create_directory(folder / "theirs");
    ASSERT_EQ(chown((folder / "theirs").c_str(), 12345, 12345), 0);
    Logged cache(folder / "theirs");
    cache.cache.store("key", kernel());
    EXPECT_THAT(folder.files(), IsEmpty());
    ASSERT_THAT(cache.lines, SizeIs(1));
    EXPECT_THAT(cache.lines[0], HasSubstr("another user"));
}

TEST(DiskCache, case_53_PathsMayHaveSpacesAndAnyLetters) {
    const TemporaryFolder folder;
    Logged cache(folder / "é with spaces/ß");
    cache.cache.store("key", kernel());
    EXPECT_TRUE(cache.cache.find("key"));
}

TEST(DiskCache, TheEntriesUnusedForLongestGoFirst) {
    const TemporaryFolder folder;
    const std::string image(1000, 'x');
    Logged cache(folder.path(), 6000);
    const auto age = [&](const std::string& key, int hours) {
        fs::last_write_time(folder / (hash_text(key) + ".kernel"),
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (int i = 0; i < 5; ++i) {
        cache.cache.store(std::to_string(i), kernel(image));
        age(std::to_string(i), 10 - i);
    }
    EXPECT_TRUE(cache.cache.find("0"));  // the oldest, but used now
    cache.cache.store("5", kernel(image));
    EXPECT_THAT(folder.files(), SizeIs(4));
    EXPECT_TRUE(cache.cache.find("0"));
    EXPECT_FALSE(cache.cache.find("1"));
    EXPECT_FALSE(cache.cache.find("2"));
    EXPECT_TRUE(cache.cache.find("5"));
}

TEST(DiskCache, RemovesWhatDeadWritersLeft) {
    const TemporaryFolder folder;
    write_file(folder / ".writing-1-1", "half");
    write_file(folder / ".writing-2-2", "half");
    write_file(folder / "somebody's.txt", "stays");
    fs::last_write_time(folder / ".writing-1-1", fs::file_time_type::clock::now() - std::chrono::hours(2));
    Logged(folder.path()).cache.store("key", kernel());
    EXPECT_FALSE(fs::exists(folder / ".writing-1-1"));
    EXPECT_TRUE(fs::exists(folder / ".writing-2-2"));
    EXPECT_TRUE(fs::exists(folder / "somebody's.txt"));
}

/// Stores and reads four keys, each kernel with registers that match its image; the exit code is the number of wrong
/// ones.
int write_and_read(const std::string& folder, int process) {
    Logged cache(folder);
    int wrong = 0;
    for (int round = 0; round < 50; ++round) {
        const std::string key = std::to_string(round % 4);
        const int registers = process * 100 + round;
        cache.cache.store(key, kernel(std::string(3000, static_cast<char>(registers % 251)), registers));
        const std::optional<CompiledKernel> found = cache.cache.find(key);
        if (!found || found->image != std::string(3000, static_cast<char>(found->registers % 251))) ++wrong;
    }
    return wrong + static_cast<int>(cache.lines.size());
}

TEST(DiskCache, case_52_ProcessesThatWriteOneKeyNeverShowAPart) {
    const TemporaryFolder folder;
    std::vector<pid_t> processes;
    for (int i = 0; i < 6; ++i) {
        const pid_t process = fork();
        ASSERT_GE(process, 0);
        if (process == 0) _exit(std::min(write_and_read(folder.path(), i), 100));
        processes.push_back(process);
    }
    kill(processes.back(), SIGKILL);  // wherever it is
    for (size_t i = 0; i < processes.size(); ++i) {
        int status = 0;
        waitpid(processes[i], &status, 0);
        if (i + 1 < processes.size()) {
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << i;
        }
    }
    Logged cache(folder.path());
    for (int key = 0; key < 4; ++key) EXPECT_TRUE(cache.cache.find(std::to_string(key)));
}

}  // namespace
}  // namespace tenon::engine
