#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

/// Creates the data set of a program with two ranks that was killed while rank 0 wrote phase 1.
class Repair : public ::testing::Test {
 protected:
  Repair() {
    write_small_dataset(data_);
    for (const std::string rank : {"0", "1"}) {
      const std::string file = data_ + "/data." + rank + ".json";
      const std::string content = file_content(file);
      fs::remove(file);
      write_file(file + ".partial", content.substr(0, content.size() - (rank == "0" ? 20 : 2)));
    }
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
  std::string stream_ = data_ + "/data.0.json.partial";
};

TEST_F(Repair, RepairsDirectoryOfPartialFiles) {
  const Outcome unrepaired = run_plimsoll({"info", data_});
  EXPECT_EQ(unrepaired.status, 1);
  EXPECT_THAT(unrepaired.err, HasSubstr("use plimsoll repair " + data_ + " to"));
  const Outcome outcome = run_plimsoll({"repair", data_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr("data.0.json       1      0     0        0  incomplete phase 1 and any later phases"));
  EXPECT_THAT(outcome.out, HasSubstr("Kept 3 phases of 2 files; 0 files could not be repaired."));
  EXPECT_FALSE(fs::exists(stream_));
  EXPECT_EQ(run_plimsoll({"validate", data_}).out,
            "warning: some ranks have no data for 1 phase: 1 [complete-set]\n"
            "valid: 0 errors, 1 warning in 2 files (3 phase records, 3 tasks, 1 edge)\n");
  EXPECT_EQ(run_plimsoll({"info", data_}).status, 0);
  const Outcome again = run_plimsoll({"repair", data_});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, StartsWith("Nothing to repair"));
}

TEST_F(Repair, RepairsSinglePartialFile) {
  const Outcome outcome = run_plimsoll({"repair", stream_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            data_ + "/data.0.json: 1 phase (0)\n  lost: incomplete phase 1 and any later phases\n");
  EXPECT_EQ(run_plimsoll({"validate", data_ + "/data.0.json"}).status, 0);
}

TEST_F(Repair, WritesToAnotherDirectory) {
  const Outcome outcome = run_plimsoll({"repair", data_, "-o", folder_ / "rescued"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(stream_));
  EXPECT_EQ(run_plimsoll({"validate", folder_ / "rescued"}).status, 0);
}

TEST_F(Repair, CompressesByFileExtension) {
  EXPECT_EQ(run_plimsoll({"repair", stream_, "-o", folder_ / "a.json.br"}).status, 0);
  EXPECT_NE(file_content(folder_ / "a.json.br").substr(0, 1), "{");
  fs::rename(stream_, data_ + "/data.0.json.br.partial");
  EXPECT_EQ(run_plimsoll({"repair", data_ + "/data.0.json.br.partial", "--plain"}).status, 0);
  EXPECT_THAT(file_content(data_ + "/data.0.json"), StartsWith("{\"metadata\""));
}

TEST_F(Repair, PrintsJson) {
  const Outcome outcome = run_plimsoll({"repair", stream_, "--json"});
  EXPECT_EQ(outcome.status, 0);
  const Json json(outcome.out);
  EXPECT_EQ(json.text("/files/0/output"), data_ + "/data.0.json");
  EXPECT_EQ(json.integer("/files/0/phases"), 1);
  EXPECT_EQ(json.integer("/files/0/last_phase"), 0);
  EXPECT_EQ(json.integer("/files/0/torn_phase"), 1);
  EXPECT_TRUE(json.truth("/files/0/cut"));
  EXPECT_FALSE(json.truth("/files/0/whole"));
  EXPECT_EQ(json.size("/failed"), 0U);
}

TEST_F(Repair, ContinuesAfterUnrepairableFile) {
  write_file(data_ + "/notes.partial", "to do: everything");
  const Outcome outcome = run_plimsoll({"repair", data_});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("notes.partial"), HasSubstr("not recognised as an LB data file")));
  EXPECT_THAT(outcome.out, HasSubstr("Kept 3 phases of 2 files; 1 file could not be repaired."));
  EXPECT_TRUE(fs::exists(data_ + "/notes.partial"));
}

TEST_F(Repair, OverwritesFilesOnlyIfForced) {
  write_file(data_ + "/data.0.json", "old");
  const Outcome refused = run_plimsoll({"repair", stream_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("already exists"), HasSubstr("--force")));
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(file_content(data_ + "/data.0.json"), "old");
  EXPECT_EQ(run_plimsoll({"repair", stream_, "--force"}).status, 0);
  EXPECT_THAT(file_content(data_ + "/data.0.json"), StartsWith("{\"metadata\""));
}

TEST_F(Repair, RequiresOutputForTruncatedFile) {
  const std::string cut = folder_ / "cut.json";
  fs::rename(stream_, cut);
  const Outcome refused = run_plimsoll({"repair", cut});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("1 of its phases can be kept"), HasSubstr("-o")));
  EXPECT_EQ(run_plimsoll({"repair", cut, "-o", folder_ / "whole.json"}).status, 0);
  const Outcome whole = run_plimsoll({"repair", folder_ / "whole.json"});
  EXPECT_EQ(whole.status, 0);
  EXPECT_THAT(whole.out, HasSubstr("1 phase (0), nothing lost; the file is complete and unchanged"));
}

TEST_F(Repair, RejectsInvalidArguments) {
  EXPECT_EQ(run_plimsoll({"repair"}).status, 2);
  EXPECT_EQ(run_plimsoll({"repair", stream_, "-o", ""}).status, 2);
  const Outcome option = run_plimsoll({"repair", stream_, "--fource"});
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.err, HasSubstr("did you mean --force?"));
  EXPECT_EQ(run_plimsoll({"repair", data_ + "/absent.partial"}).status, 3);
  fs::create_directory(folder_ / "other");
  const fs::path same_name = fs::path(folder_ / "other") / fs::path(stream_).filename();
  fs::copy(stream_, same_name);
  const Outcome twice = run_plimsoll({"repair", stream_, same_name, "-o", folder_ / "out"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("would both become"));
  EXPECT_EQ(run_plimsoll({"repair", stream_, "--max-size", "100"}).status, 1);
  EXPECT_TRUE(fs::exists(stream_));
}

TEST_F(Repair, KeepsPartialFileOnFullDisk) {
  const std::string before = file_content(stream_);
  const Outcome outcome = run_plimsoll({"repair", stream_}, {.max_file_bytes = 300});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("File too large"));
  EXPECT_EQ(file_content(stream_), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(data_), {}), 2);
}

}  // namespace
}  // namespace plimsoll::testing
