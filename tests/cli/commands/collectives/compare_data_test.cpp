#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

/// Writes hashes of two Alltoallv calls of two ranks. `second_call` contains those of the second call.
void write_hashes(const std::string& folder, const std::string& second_call) {
  std::filesystem::create_directories(folder);
  write_file(
      folder + "/alltoallv_content_hashes.rank0_comm0_job0.md",
      "FORMAT_VERSION: 9\n\n# Call 0\n00000000000000a1 00000000000000a2\n00000000000000a3 -\n\n# Call 1\n" +
          second_call + "\n");
}

class CompareData : public ::testing::Test {
 protected:
  CompareData() {
    write_hashes(folder_ / "before", "00000000000000b1 00000000000000b2\n00000000000000b3 -\n");
    write_hashes(folder_ / "after", "00000000000000b1 00000000000000c2\n00000000000000c3 -\n");
  }

  Outcome compare(const std::string& other, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"collectives", "compare", folder_ / "before", folder_ / other};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_plimsoll(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CompareData, PrintsFirstDifference) {
  const Outcome outcome = compare("after");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "Data: different in 1 of 2 compared calls (4 sends and 2 receives).\n"
            "The data differ first in call 1 of Alltoallv on communicator 0 of lead rank 0:\n"
            "  rank 1 sent other data\n"
            "  rank 0 received other data\n");
  const Json json(compare("after", {"--json"}).out);
  EXPECT_FALSE(json.truth("/data/equal"));
  EXPECT_EQ(json.integer("/data/differing_calls"), 1);
  EXPECT_EQ(json.integer("/data/differences/0/call"), 1);
  EXPECT_EQ(json.text("/data/differences/0/operation"), "Alltoallv");
  EXPECT_EQ(json.text("/data/differences/0/sent"), "1");
  EXPECT_EQ(json.text("/data/differences/0/received"), "0");
  EXPECT_FALSE(json.has("/verdict"));
}

TEST_F(CompareData, ReportsEqualData) {
  EXPECT_EQ(compare("before").out, "Data: equal in all of 2 compared calls (4 sends and 2 receives).\n");
}

TEST_F(CompareData, ListsCallsOfOneRun) {
  write_hashes(folder_ / "longer",
               "00000000000000b1 00000000000000b2\n00000000000000b3 -\n\n# Call 2\n- -\n- -\n");
  EXPECT_EQ(compare("longer").out,
            "Calls whose data are in one run only\n"
            "  Alltoallv on communicator 0 of lead rank 0: call 2 among 2 ranks after\n\n"
            "Data: equal in all of 2 compared calls (4 sends and 2 receives).\n");
}

TEST_F(CompareData, RequiresHashesOfBothRuns) {
  std::filesystem::create_directories(folder_ / "counts");
  for (const char* side : {"send", "recv"})
    for (const char* folder : {"before", "counts"})
      write_file(folder_ / folder + "/" + side + "-counters.job0.rank0.txt",
                 "# Raw counters\n\nNumber of ranks: 2\nDatatype size: 8\nAlltoallv calls 0-1\n"
                 "Count: 2 calls - 0-1\n\n\nBEGINNING DATA\nRank(s) 0-1: 1 1 \nEND DATA\n");
  const Outcome outcome = compare("counts");
  EXPECT_THAT(outcome.out, HasSubstr("Verdict: same counts."));
  EXPECT_THAT(outcome.out, HasSubstr("Data: not compared, because the second profile contains no hashes"));
  EXPECT_THAT(compare("counts", {"--json"}).out, HasSubstr("\"data\":null"));
}

}  // namespace
}  // namespace plimsoll::testing
