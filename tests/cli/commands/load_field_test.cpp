// Tests --load and --load-dimension with numbers that the recorder writes to attributes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/support/files.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

std::string measured_task(int id, double time_s, const std::string& cpu_time) {
  return R"({"attributes":)" + cpu_time + R"(,"entity":{"collection_id":7,"home":0,"id":)" +
         std::to_string(id) + R"(,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":)" +
         std::to_string(time_s) + "}";
}

/// Wall-clock loads are 5 s and 1 s, because another program disturbed rank 0; CPU loads are 1 s each.
void write_disturbed_run(const std::string& folder, const std::string& last = R"({"cpu_time":1.0})") {
  std::filesystem::create_directories(folder);
  const auto write = [&](int rank, const std::string& tasks) {
    write_file(folder + "/data." + std::to_string(rank) + ".json",
               R"({"metadata":{"rank":)" + std::to_string(rank) +
                   R"(,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[)" + tasks + "]}]}");
  };
  write(0, measured_task(7, 2, R"({"cpu_time":0.5})") + "," + measured_task(11, 3, R"({"cpu_time":0.5})"));
  write(1, measured_task(15, 1, last));
}

TEST(LoadFieldOption, ShowsAndBalancesCpuTime) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  EXPECT_NEAR(Json(run_plimsoll({"info", folder / "data", "--json"}).out).number("/phases/0/imbalance"),
              2.0 / 3, 1e-9);
  const Outcome info = run_plimsoll({"info", folder / "data", "--load", "cpu_time"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("The loads shown are the values of \"cpu_time\".\n2 ranks, 1 phase"));
  EXPECT_THAT(info.out, HasSubstr("imbalance is 0.0000 (max 1.00 s, mean 1.00 s per rank)"));
  EXPECT_EQ(Json(run_plimsoll({"info", folder / "data", "--ranks", "--load", "cpu_time", "--json"}).out)
                .number("/per_rank/0/load_s"),
            1);
  const Outcome compare =
      run_plimsoll({"compare", folder / "data", "--load", "cpu_time", "--strategies", "GreedyLB", "--json"});
  EXPECT_EQ(Json(compare.out).text("/load_field"), "cpu_time");
  EXPECT_EQ(Json(compare.out).number("/start/imbalance"), 0);
}

TEST(LoadFieldOption, KeepsRecordedTimesInOutput) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  const Outcome outcome = run_plimsoll({"balance", folder / "data", "--strategy", "RotateLB", "--load",
                                        "cpu_time", "-o", folder / "balanced", "--plain"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The loads shown are the values of \"cpu_time\"."));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("max load +1.00 s +1.00 s"));
  const std::string moved = support::read_text_file(folder / "balanced/data.1.json");
  EXPECT_THAT(moved, HasSubstr(R"("attributes":{"cpu_time":0.5})"));
  EXPECT_THAT(moved, HasSubstr(R"("time":3)"));
}

TEST(LoadFieldOption, ReportsTasksWithoutField) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data", "{}");
  for (const std::string command : {"info", "balance", "compare"}) {
    std::vector<std::string> words = {command, folder / "data", "--load", "cpu_time"};
    if (command == "balance") words.insert(words.end(), {"--strategy", "GreedyLB"});
    const Outcome outcome = run_plimsoll(words);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("task 0 of rank 1 in phase 0: no number \"cpu_time\" in user_defined "
                                       "or attributes"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(LoadFieldOption, AcceptsAttributesAsDimensions) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  const Outcome outcome =
      run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "--load-dimension", "cpu_time"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Outcome unknown =
      run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "--load-dimension", "cpu"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no task of phase 0 has \"cpu\" in its user_defined or attributes"));
}

}  // namespace
}  // namespace plimsoll::testing
