#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

Outcome convert(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"convert"};
  command.insert(command.end(), words.begin(), words.end());
  return run_plimsoll(command);
}

TEST(Convert, WritesUncompressedAndCompressedFiles) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome compressed = convert({folder / "data", "-o", folder / "compressed"});
  EXPECT_EQ(compressed.status, 0) << compressed.err;
  EXPECT_EQ(compressed.out, "Wrote 2 ranks and 2 phases to " + (folder / "compressed") + ".\n");
  EXPECT_EQ(convert({folder / "compressed", "-o", folder / "plain", "--plain"}).status, 0);
  EXPECT_TRUE(folder.has("compressed/data.1.json.br"));
  EXPECT_THAT(folder.read("plain/data.1.json"), ::testing::StartsWith("{\""));
}

TEST(Convert, OverwritesOnlyOnRequest) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> command = {folder / "data", "-o", folder / "out", "--phases", "1"};
  EXPECT_EQ(convert(command).status, 0);
  const Outcome again = convert(command);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("already exists and is not empty; use another name, or --force"));
  auto forced = command;
  forced.emplace_back("--force");
  EXPECT_EQ(convert(forced).status, 0);
}

TEST(Convert, MergesRuns) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  ASSERT_EQ(convert({folder / "data", "-o", folder / "next", "--phase-offset", "1"}).status, 0);
  const std::vector<std::string> command = {folder / "data", folder / "next", "--merge", "-o"};
  auto as_text = command;
  as_text.push_back(folder / "text");
  const Outcome outcome = convert(as_text);
  EXPECT_EQ(outcome.out, (folder / "data") + ": phases 0; the next run replaces 1\n" + (folder / "next") +
                             ": phases 1-2\nWrote 2 ranks and 3 phases to " + (folder / "text") + ".\n")
      << outcome.err;
  auto as_json = command;
  as_json.insert(as_json.end(), {folder / "json", "--json"});
  const Json json(convert(as_json).out);
  EXPECT_EQ(json.integer("/phases"), 3);
  EXPECT_EQ(json.text("/runs/0/path"), folder / "data");
  EXPECT_EQ(json.integer("/runs/0/last_phase"), 0);
  EXPECT_EQ(json.integer("/runs/0/last_replaced_phase"), 1);
  EXPECT_EQ(json.integer("/runs/1/first_phase"), 1);
}

TEST(Convert, CombinesChanges) {
  const TemporaryFolder folder;
  const Outcome outcome = convert({own_path("lb/blocks"), "-o", folder / "out", "--renumber", "--encode-ids",
                                   "--elide-identical", "--phases", "0", "--phase-offset", "3", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json objects(run_plimsoll({"info", folder / "out", "--json"}).out);
  EXPECT_EQ(objects.integer("/phases/0/phase"), 3);
  EXPECT_EQ(run_plimsoll({"validate", folder / "out"}).status, 0);
}

TEST(Convert, RejectsInvalidArguments) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.end(), {folder / "data", "-o", folder / "out"});
    const Outcome outcome = convert(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(!folder.has("out") || std::filesystem::is_empty(folder / "out"));
    return outcome.err;
  };
  EXPECT_THAT(error({"--phases", "5-"}), HasSubstr("expected a number"));
  EXPECT_THAT(error({"--phases", "7"}), HasSubstr("contains none of the selected phases"));
  EXPECT_THAT(error({"--split", "2"}), HasSubstr("cannot split 2 files"));
  EXPECT_THAT(error({"--split", "2", "--merge"}), HasSubstr("--merge"));
  EXPECT_THAT(error({"--elide-identical", "--expand-identical"}), HasSubstr("--elide-identical"));
  EXPECT_THAT(convert({folder / "data"}).err, HasSubstr("missing --output DIR"));
}

TEST(Convert, LeavesNothingIfAFileIsDamaged) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  write_file(folder / "data/data.1.json", R"({"phases":[{"id":0,"tasks":[)");
  const Outcome outcome = convert({folder / "data", "-o", folder / "out"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("data.1.json"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "out"));
}

}  // namespace
}  // namespace plimsoll::testing
