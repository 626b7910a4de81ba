#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Tests that the command prints one line on stderr, with the error and a hint, for every kind of wrong input.
void expect_error(const std::vector<std::string>& command, int status, const std::string& what,
                  const std::string& suggestion, const Circumstances& circumstances = {}) {
  const Outcome outcome = run_plimsoll(command, circumstances);
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(StartsWith("plimsoll: error: "), HasSubstr(what), HasSubstr(suggestion)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

class Commands : public ::testing::Test {
 protected:
  Commands() { write_small_dataset(data_); }
  std::vector<std::string> balance(std::vector<std::string> more) const {
    std::vector<std::string> command = {"balance", data_};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(Commands, ReportMissingDirectory) {
  for (const std::string subcommand : {"info", "validate"}) {
    expect_error({subcommand, folder_ / "dataa"}, 3, folder_ / "dataa", "No such file or directory");
  }
}

TEST_F(Commands, ReportEmptyDirectory) {
  std::filesystem::create_directory(folder_ / "empty");
  expect_error({"info", folder_ / "empty"}, 1, "the directory contains no LB data files", "BASE.<rank>.json");
}

TEST_F(Commands, ReportMissingRank) {
  std::filesystem::rename(data_ + "/data.1.json", data_ + "/data.2.json");
  expect_error({"info", data_}, 1, "the file of rank 1 is missing", "one file per rank from 0 to n-1");
}

// Even root cannot read a dangling link.
TEST_F(Commands, ReportUnreadableFile) {
  std::filesystem::remove(data_ + "/data.1.json");
  std::filesystem::create_symlink("nowhere", data_ + "/data.1.json");
  for (const std::string subcommand : {"info", "validate"}) {
    expect_error({subcommand, data_}, 3, "data.1.json", "No such file or directory");
  }
}

TEST_F(Commands, ReportDirectoryInPlaceOfFile) {
  std::filesystem::remove(data_ + "/data.1.json");
  std::filesystem::create_directory(data_ + "/data.1.json");
  const Outcome outcome = run_plimsoll({"validate", data_ + "/data.1.json"});
  EXPECT_EQ(outcome.status, 1);
}

TEST_F(Commands, ReportEmptyFile) {
  write_file(data_ + "/data.1.json", "");
  expect_error({"info", data_}, 1, "data.1.json", "empty");
}

TEST_F(Commands, ReportInvalidJson) {
  write_file(data_ + "/data.1.json", "{\n\"phases\": oops\n}");
  expect_error({"info", data_}, 1, "data.1.json:2 (byte 12)", "");
}

TEST_F(Commands, ReportWrongType) {
  write_file(data_ + "/data.1.json",
             R"({"metadata":{"rank":1,"type":"LBDatafile"},"phases":[{"id":"first","tasks":[]}]})");
  expect_error({"info", data_}, 1, "/phases/0/id", "");
}

TEST_F(Commands, ReportUnknownStrategyOrParameter) {
  expect_error(balance({"--strategy", "GredyLB"}), 2, "unknown strategy \"GredyLB\"",
               "did you mean \"GreedyLB\"?");
  expect_error(balance({"--strategy", "RandomLB", "--param", "sead=1"}), 2, "unknown parameter \"sead\"",
               "did you mean \"seed\"?");
  expect_error(balance({"--strategy", "RandomLB", "--param", "seed=often"}), 2, "\"often\"", "integer");
  expect_error(balance({"--strategy", "RandomLB", "--param", "seed"}), 2, "expected NAME=VALUE", "--param");
  expect_error(balance({"--strategy", "RandomLB", "--param", "seed=1", "--param", "seed=2"}), 2,
               "duplicate --param seed", "set it once");
}

TEST_F(Commands, ReportMissingPhase) {
  expect_error(balance({"--strategy", "NoLB", "--phase", "9"}), 2, "no data for phase 9",
               "use a phase of the data set: 0");
}

TEST_F(Commands, ReportNumbersOutOfRange) {
  expect_error(balance({"--strategy", "NoLB", "--phase", "99999999999999999999"}), 2,
               "expected an integer from", "--help");
  expect_error(balance({"--strategy", "NoLB", "--threads", "-1"}), 2, "expected an integer from", "--help");
  expect_error(balance({"--strategy", "NoLB", "--threads", "2x"}), 2, "expected an integer from", "--help");
  expect_error(balance({"--strategy", "NoLB", "--max-size", "-1"}), 2, "expected a size", "--help");
}

TEST_F(Commands, ReportExistingOutput) {
  expect_error(balance({"--strategy", "NoLB", "-o", data_}), 2, "already exists", "--force");
  expect_error(balance({"--strategy", "NoLB", "-o", data_ + "/data.0.json"}), 2, "not a directory",
               "use another name");
}

TEST_F(Commands, ReportFullDisk) {
  expect_error(balance({"--strategy", "NoLB", "--plain", "-o", folder_ / "out"}), 3, "out/data.",
               "File too large", {.max_file_bytes = 500});
}

TEST_F(Commands, ReportDirectoryThatCannotBeCreated) {
  expect_error(balance({"--strategy", "NoLB", "-o", data_ + "/data.0.json/out"}), 3, "data.0.json/out",
               "Not a directory");
}

TEST_F(Commands, ReportEmptyOutputName) {
  expect_error(balance({"--strategy", "NoLB", "-o", ""}), 2, "the name must not be empty", "--help");
}

TEST_F(Commands, RejectInvalidMaxErrors) {
  expect_error({"validate", data_, "--max-errors", "0"}, 2, "--max-errors", "--help");
  expect_error({"validate", data_, "--max-errors", "-1"}, 2, "--max-errors", "--help");
}

}  // namespace
}  // namespace plimsoll::testing
