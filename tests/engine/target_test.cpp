#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <tenon/target.h>

#include "tests/support/temporary_folder.h"

namespace tenon {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Target, EveryFileOfTheProfilesIsShipped) {
    size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(TENON_SOURCE_ROOT "/heuristics/profiles")) {
        if (file.path().extension() != ".json") continue;
        ++files;
        const Result<Target> target = Target::from_file(file.path().string());
        ASSERT_TRUE(target.is_ok()) << target.status().message();
        EXPECT_EQ(target->name, file.path().stem().string());
        EXPECT_EQ(Target::named(target->name)->to_json(), target->to_json());
    }
    EXPECT_EQ(Target::names().size(), files);
    for (const char* name : {"h200", "h100", "a100", "l4", "rtx4090", "b200", "t4"})
        EXPECT_THAT(Target::names(), Contains(name));
    EXPECT_TRUE(Target::named("h200")->measured);
    EXPECT_FALSE(Target::named("h100")->measured);
}

TEST(Target, EveryGenerationHasAProfile) {
    std::vector<int> generations;
    for (const std::string& name : Target::names()) generations.push_back(Target::named(name)->compute_capability);
    for (const int capability : {75, 80, 86, 89, 90, 100, 120}) EXPECT_THAT(generations, Contains(capability));
}

TEST(Target, ComesBackFromItsJson) {
    for (const std::string& name : Target::names()) {
        const Target target = *Target::named(name);
        const Result<Target> read = Target::from_json(target.to_json());
        ASSERT_TRUE(read.is_ok()) << read.status().message();
        EXPECT_EQ(read->to_json(), target.to_json());
        EXPECT_EQ(read->memory_bytes_per_second, target.memory_bytes_per_second);
        EXPECT_EQ(read->l2_bytes, target.l2_bytes);
    }
}

TEST(Target, AFileThatDoesNotHoldIsRefusedByItsField) {
    const std::string whole = Target::named("h200")->to_json();
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string text = whole;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        const Status status = Target::from_json(text.replace(at, from.size(), to)).status();
        EXPECT_EQ(status.code(), ErrorCode::BadFile);
        return status.message();
    };
    EXPECT_THAT(refusal("{", "["), HasSubstr("no JSON object"));
    EXPECT_THAT(refusal("\"tenon_target\": 1", "\"tenon_target\": 2"), HasSubstr("tenon_target is 2, needs 1"));
    EXPECT_THAT(refusal("\"name\": \"h200\"", "\"name\": 5"), HasSubstr("name"));
    EXPECT_THAT(refusal("\"measured\": true", "\"measured\": 1"), HasSubstr("measured"));
    EXPECT_THAT(refusal("\"multiprocessors\": 132", "\"multiprocessors\": 0"),
                HasSubstr("multiprocessors is 0.0, needs"));
    EXPECT_THAT(refusal("\"multiprocessors\": 132", "\"multiprocessors\": 1.5"), HasSubstr("needs a whole number"));
    EXPECT_THAT(refusal("\"multiprocessors\": 132", "\"multiprocessors\": 99999999999999999999"),
                HasSubstr("multiprocessors"));
    EXPECT_THAT(refusal("\"multiprocessors\"", "\"processors\""), HasSubstr("unknown field 'processors'"));
    EXPECT_THAT(refusal("\"l2_bytes\": 52428800,", ""), HasSubstr("l2_bytes is missing"));
    EXPECT_THAT(refusal("\"l2_bytes\": 52428800", "\"l2_bytes\": -1"), HasSubstr("l2_bytes is -1.0"));
    EXPECT_THAT(refusal("\"l2_bytes\": 52428800", "\"l2_bytes\": null"), HasSubstr("l2_bytes is null"));
    EXPECT_EQ(Target::from_file("/no/such/file.json").status().code(), ErrorCode::NotFound);
    EXPECT_THAT(Target::named("h300").status().message(), HasSubstr("h200"));
}

TEST(Target, AFileOfTheUsersOwnNamesItselfInErrors) {
    const test::TemporaryFolder folder;
    test::write_file(folder / "mine.json", "{}");
    EXPECT_THAT(Target::from_file(folder / "mine.json").status().message(), HasSubstr("mine.json: device profile"));
}

}  // namespace
}  // namespace tenon
