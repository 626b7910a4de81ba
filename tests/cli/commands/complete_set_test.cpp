#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

/// A data set of four ranks in uncompressed files.
class CompleteSet : public ::testing::Test {
 protected:
  void generate(const std::string& phases) const {
    const Outcome outcome = run_plimsoll(
        {"generate", "--ranks", "4", "--phases", phases, "--objects-per-rank", "8", "--plain", "-o", data_});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(CompleteSet, EveryCommandNoticesMissingLastRank) {
  generate("2");
  fs::remove(data_ + "/data.3.json");
  const std::vector<std::vector<std::string>> commands = {
      {"validate", data_},
      {"info", data_},
      {"info", data_ + "/data.0.json", data_ + "/data.1.json", data_ + "/data.2.json"},
      {"balance", data_, "--strategy", "NoLB"},
      {"compare", data_, "--strategies", "NoLB"},
      {"convert", data_, "-o", folder_ / "converted"},
      {"export", data_, "--format", "csv", "-o", folder_ / "exported"},
      {"report", data_, "-o", folder_ / "report.html"},
      {"repair", data_}};
  for (std::vector<std::string> command : commands) {
    const Outcome refused = run_plimsoll(command);
    EXPECT_EQ(refused.status, 1) << command.front();
    EXPECT_THAT(refused.out + refused.err,
                HasSubstr("has 3 files, but its metadata (shared_node) specify 4 ranks"))
        << command.front();
    EXPECT_FALSE(command.front() == "convert" && fs::exists(folder_ / "converted/data.0.json.br"));
    command.insert(command.end(), {"--expected-ranks", "3"});
    const Outcome accepted = run_plimsoll(command);
    EXPECT_EQ(accepted.status, 0) << command.front() << accepted.err;
  }
  EXPECT_EQ(run_plimsoll({"info", data_, "--expected-ranks", "4"}).status, 1);
  EXPECT_EQ(run_plimsoll({"info", data_, "--expected-ranks", "-1"}).status, 2);
}

TEST_F(CompleteSet, RepairReportsThatOneRankLostTheOnlyPhase) {
  generate("1");
  const std::string file = data_ + "/data.2.json";
  fs::resize_file(file, fs::file_size(file) * 9 / 10);
  const Outcome outcome = run_plimsoll({"repair", data_, "-o", folder_ / "repaired"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("no phase has data on all ranks"));
  EXPECT_EQ(run_plimsoll({"validate", folder_ / "repaired"}).status, 1);
}

TEST_F(CompleteSet, ReportsTooManyPhasesBesideOtherErrors) {
  fs::create_directory(data_);
  std::ofstream(data_ + "/data.0.json")
      << R"({"metadata":{"type":"LBDatafile","rank":1,"phases":{"skipped":{"list":[],"range":[]},)"
      << R"("identical_to_previous":{"list":[],"range":[[1,9000000000000000000]]}}},)"
      << R"("phases":[{"id":0,"tasks":[]}]})";
  const Outcome outcome = run_plimsoll({"validate", data_});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("rank 1 in the metadata does not match rank 0 in the file name"));
  EXPECT_THAT(outcome.out, HasSubstr("the files together list more than a million phases"));
}

}  // namespace
}  // namespace plimsoll::testing
