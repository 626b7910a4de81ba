#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

/// Writes the small data set to DIR/data, and to DIR/copy with other loads of object 2.
void write_two_data_sets(const TemporaryFolder& folder) {
  write_small_dataset(folder / "data");
  write_small_dataset(folder / "copy");
  std::string text = folder.read("copy/data.0.json");
  for (std::size_t at = 0; (at = text.find("\"time\":1.0", at)) != std::string::npos; ++at)
    text.replace(at, 10, "\"time\":1.1");
  write_file(folder / "copy/data.0.json", text);
}

TEST(CompareDataSets, PrintsEqualDataSets) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll({"compare-data", folder / "data", folder / "data"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "equal: 2 files (4 phase records, 6 tasks, 2 edges)\n");
}

TEST(CompareDataSets, PrintsDifferences) {
  const TemporaryFolder folder;
  write_two_data_sets(folder);
  const std::vector<std::string> command = {"compare-data", folder / "data", folder / "copy"};
  const auto with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = command;
    words.insert(words.end(), options.begin(), options.end());
    return run_plimsoll(words);
  };
  const Outcome outcome = run_plimsoll(command);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out,
            "file         phase  object    field  first  second\n"
            "-----------  -----  --------  -----  -----  ------\n"
            "data.0.json      0  object 2  time   1      1.1\n"
            "data.0.json      1  object 2  time   1      1.1\n"
            "different: 2 differences\n");
  EXPECT_THAT(with({"--max-differences", "1"}).out,
              HasSubstr("higher --max-differences to see them\ndifferent: at least 1 difference\n"));
  EXPECT_EQ(with({"--tolerance", "0.1"}).status, 0);
  const Outcome json_outcome = with({"--json"});
  EXPECT_EQ(json_outcome.status, 1);
  const Json json(json_outcome.out);
  EXPECT_FALSE(json.truth("/equal"));
  EXPECT_FALSE(json.truth("/cut_off"));
  EXPECT_EQ(json.integer("/files"), 2);
  EXPECT_EQ(json.size("/differences"), 2U);
  EXPECT_EQ(json.text("/differences/1/file"), folder / "data/data.0.json");
  EXPECT_EQ(json.integer("/differences/1/phase"), 1);
  EXPECT_EQ(json.text("/differences/1/object"), "object 2");
  EXPECT_EQ(json.text("/differences/1/field"), "time");
  EXPECT_EQ(json.text("/differences/1/first"), "1");
  EXPECT_EQ(json.text("/differences/1/second"), "1.1");
}

TEST(CompareDataSets, RejectsInvalidArguments) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string data = folder / "data";
  EXPECT_EQ(run_plimsoll({"compare-data", data}).status, 2);
  EXPECT_EQ(run_plimsoll({"compare-data", data, data, data}).status, 2);
  EXPECT_EQ(run_plimsoll({"compare-data", data, data, "--tolerance", "-1"}).status, 2);
  EXPECT_EQ(run_plimsoll({"compare-data", data, data, "--max-differences", "0"}).status, 2);
  EXPECT_EQ(run_plimsoll({"compare-data", data, folder / "absent"}).status, 3);
  write_file(folder / "data/data.1.json", "{");
  EXPECT_EQ(run_plimsoll({"compare-data", data, data}).status, 1);
}

}  // namespace
}  // namespace plimsoll::testing
