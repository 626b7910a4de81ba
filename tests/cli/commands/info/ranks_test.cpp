#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// tests/data/README.md contains the calculation.
TEST(InfoRanks, ShowsTable) {
  const Outcome outcome = run_plimsoll({"info", own_path("lb/blocks"), "--ranks"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("Phase 0: 4 ranks, 8 objects\n"));
  EXPECT_THAT(outcome.out, HasSubstr("memory"));
  EXPECT_THAT(outcome.out, HasSubstr("and the imbalance (max/mean - 1) is 0.5000.\n"));
}

TEST(InfoRanks, PrintsCsv) {
  const Outcome outcome = run_plimsoll({"info", own_path("lb/blocks"), "--ranks", "--csv", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              StartsWith("rank,load_s,objects,migratable_objects,memory_bytes,sent_bytes,sent_messages,"
                         "received_bytes,received_messages\n"));
  EXPECT_EQ(count_lines(outcome.out), 5U);
  EXPECT_THAT(outcome.out, HasSubstr("\n0,6,"));
  EXPECT_THAT(outcome.out, HasSubstr("\n3,0,0,0,0,0,0,0,0\n"));
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  // Without memory data, the field is empty.
  EXPECT_THAT(run_plimsoll({"info", folder / "data", "--ranks", "--csv", "-"}).out,
              HasSubstr("\n0,4.5,3,2,,0,0,0,0\n1,0,0,0,,0,0,0,0\n"));
}

TEST(InfoRanks, WritesCsvFileWithoutOverwriting) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string file = folder / "ranks.csv";
  const Outcome first = run_plimsoll({"info", folder / "data", "--ranks", "--csv", file});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Wrote " + file + "."));
  EXPECT_EQ(folder.read("ranks.csv"), run_plimsoll({"info", folder / "data", "--ranks", "--csv", "-"}).out);
  EXPECT_EQ(run_plimsoll({"info", folder / "data", "--ranks", "--csv", file}).status, 2);
  EXPECT_EQ(run_plimsoll({"info", folder / "data", "--ranks", "--csv", file, "--force"}).status, 0);
}

TEST(InfoRanks, PrintsJson) {
  const Json json(run_plimsoll({"info", own_path("lb/blocks"), "--ranks", "--json"}).out);
  EXPECT_EQ(json.integer("/ranks"), 4);
  EXPECT_EQ(json.integer("/phase"), 0);
  ASSERT_EQ(json.size("/per_rank"), 4U);
  EXPECT_EQ(json.integer("/per_rank/2/rank"), 2);
  EXPECT_EQ(json.number("/per_rank/2/load_s"), 6);
  EXPECT_EQ(json.number("/per_rank/0/memory_bytes"), 32);
  EXPECT_EQ(json.number("/per_rank/3/sent_bytes"), 0);
  EXPECT_EQ(json.integer("/per_rank/3/received_messages"), 0);
}

TEST(InfoRanks, UsesLastCompletePhaseByDefault) {
  const std::string phases = own_path("lb/phases");
  EXPECT_EQ(Json(run_plimsoll({"info", phases, "--ranks", "--json"}).out).integer("/phase"), 5);
  // Phase 2 is identical to phase 1.
  const auto table = [&](const std::string& phase) {
    return run_plimsoll({"info", phases, "--ranks", "--csv", "-", "--phase", phase}).out;
  };
  EXPECT_EQ(table("2"), table("1"));
  EXPECT_NE(table("1"), table("0"));
  const Outcome outcome = run_plimsoll({"info", phases, "--ranks", "--phase", "77"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no data for phase 77; use a phase of the data set: 0-2, 5"));
}

TEST(InfoRanks, ShowsHeaviestOfManyRanks) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_plimsoll({"generate", "-o", folder / "data", "--ranks", "65", "--objects-per-rank", "1",
                          "--loads", "ramp", "--sentinels", "0"})
                .status,
            0);
  const Outcome outcome = run_plimsoll({"info", folder / "data", "--ranks"});
  EXPECT_THAT(outcome.out,
              HasSubstr("32 of 65 ranks, heaviest first; --csv FILE and --json contain all ranks.\n"));
  EXPECT_LT(outcome.out.find("\n  64  "), outcome.out.find("\n  63  "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\n  32  ")));
  EXPECT_EQ(count_lines(run_plimsoll({"info", folder / "data", "--ranks", "--csv", "-"}).out), 66U);
}

TEST(InfoRanks, RejectsOptionsWithoutRanks) {
  const std::string data = own_path("lb/blocks");
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--phase", "0"},
                                                  {"--csv", "-"},
                                                  {"--ranks", "--phases", "0"},
                                                  {"--ranks", "--work", "1,0,0"},
                                                  {"--ranks", "--csv", "-", "--json"},
                                                  {"--ranks", "--force"},
                                                  {"--ranks", "--csv", ""}}) {
    std::vector<std::string> command = {"info", data};
    command.insert(command.end(), options.begin(), options.end());
    EXPECT_EQ(run_plimsoll(command).status, 2) << options.back();
  }
}

TEST(InfoRanks, AgreesWithOverviewOfRealData) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const std::string data = shared_path("data/lb/nolb-8color-16nodes-11firstphases");
  const Json overview(run_plimsoll({"info", data, "--json", "--phases", "1"}).out);
  const Json ranks(run_plimsoll({"info", data, "--json", "--ranks", "--phase", "1"}).out);
  ASSERT_EQ(ranks.size("/per_rank"), 32U);
  double max_s = 0;
  double sent = 0;
  double received = 0;
  for (std::size_t rank = 0; rank < 32; ++rank) {
    const std::string at = "/per_rank/" + std::to_string(rank);
    max_s = std::max(max_s, ranks.number((at + "/load_s").c_str()));
    sent += ranks.number((at + "/sent_bytes").c_str());
    received += ranks.number((at + "/received_bytes").c_str());
  }
  EXPECT_EQ(max_s, overview.number("/phases/0/max_load_s"));
  EXPECT_EQ(sent, overview.number("/phases/0/off_rank_bytes"));
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace plimsoll::testing
