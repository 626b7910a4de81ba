#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns statistics with this mean and maximum of four values.
std::string statistics(double mean, double max) {
  return R"({"avg":)" + std::to_string(mean) + R"(,"car":4.0,"imb":)" + std::to_string(max / mean - 1) +
         R"(,"kur":-1.5,"max":)" + std::to_string(max) +
         R"(,"min":0.5,"npr":4.0,"skw":0.25,"std":1.25,"sum":)" + std::to_string(4 * mean) +
         R"(,"var":1.5625})";
}

std::string block(double mean, double max) {
  std::string text = "{";
  for (const char* name : {"Object_comm", "Object_load_modeled", "Object_load_raw", "Rank_comm",
                           "Rank_load_modeled", "Rank_load_raw"})
    text += (text.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + statistics(mean, max);
  return text + "}";
}

// Returns an LBStatsfile in vt's format: phase 0, and phase 100, after which 12 objects migrated.
std::string two_phases() {
  return R"({"metadata":{"type":"LBStatsfile"},"phases":[{"id":0,"pre-LB":)" + block(2, 3) +
         R"(},{"id":100,"migration count":12,"post-LB":)" + block(2, 2.5) + R"(,"pre-LB":)" + block(2, 4) +
         "}]}";
}

class InfoStatisticsFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  // The time in the name looks like the number of a rank.
  std::string file_ = folder_.write("vt_lb_statistics.1700000000.json", two_phases());
};

TEST_F(InfoStatisticsFile, ShowsTables) {
  const Outcome outcome = run_plimsoll({"info", file_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("LBStatsfile: 2 phases, 1 balanced\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("  100        4    4.00 s     2.00 s     1.0000          2.50 s           0.2500"));
  EXPECT_THAT(outcome.out, HasSubstr("\nPhase 100 before load balancing\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nPhase 100 after load balancing\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nRank_comm "));
  EXPECT_THAT(outcome.out,
              HasSubstr("its imbalance (max/mean - 1) is 1.0000 (max 4.00 s, mean 2.00 s per rank)."));
}

TEST_F(InfoStatisticsFile, PrintsJson) {
  const Json json(run_plimsoll({"info", file_, "--json"}).out);
  EXPECT_EQ(json.text("/type"), "LBStatsfile");
  ASSERT_EQ(json.size("/phases"), 2U);
  EXPECT_EQ(json.integer("/phases/1/phase"), 100);
  EXPECT_EQ(json.integer("/phases/1/moved_objects"), 12);
  EXPECT_EQ(json.integer("/phases/1/before/Rank_load_raw/count"), 4);
  EXPECT_EQ(json.number("/phases/1/before/Rank_load_raw/max_s"), 4);
  EXPECT_EQ(json.number("/phases/1/after/Rank_load_raw/imbalance"), 0.25);
  EXPECT_EQ(json.number("/phases/0/before/Object_comm/mean_bytes"), 2);
  EXPECT_EQ(json.number("/phases/0/before/Object_comm/variance_bytes2"), 1.5625);
  EXPECT_EQ(json.number("/phases/0/before/Rank_load_raw/skewness"), 0.25);
  EXPECT_EQ(json.number("/phases/0/before/Rank_load_raw/excess_kurtosis"), -1.5);
}

TEST_F(InfoStatisticsFile, SelectsPhases) {
  const Json json(run_plimsoll({"info", file_, "--json", "--phases", "50-200"}).out);
  ASSERT_EQ(json.size("/phases"), 1U);
  EXPECT_EQ(json.integer("/phases/0/phase"), 100);
  const Outcome none = run_plimsoll({"info", file_, "--phases", "7"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("the LBStatsfile contains no phase in 7"));
}

TEST_F(InfoStatisticsFile, RejectsOptionsThatRequireObjects) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--ranks"}, {"--work", "1,0,0"}}) {
    std::vector<std::string> command = {"info", file_};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("an LBStatsfile contains statistics, but no objects"));
    EXPECT_THAT(outcome.err, HasSubstr(options.front()));
  }
}

TEST_F(InfoStatisticsFile, ShowsCompletePhasesOfPartialFile) {
  const std::string text = two_phases();
  const std::string cut = folder_.write("cut.json.partial", text.substr(0, text.size() - 20));
  const Outcome outcome = run_plimsoll({"info", cut});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("LBStatsfile: 1 phase, none balanced\n"));
  EXPECT_THAT(outcome.err, HasSubstr("warning: "));
  EXPECT_THAT(outcome.err, HasSubstr("cut.json.partial: a program is still writing it, or was killed"));
}

TEST_F(InfoStatisticsFile, DoesNotMistakeItForDataInDirectory) {
  ASSERT_EQ(run_plimsoll({"generate", "-o", folder_ / "data", "--ranks", "2"}).status, 0);
  const std::string data = folder_ / "data/";
  for (const char* name : {"vt_lb_statistics.1700000000.json", "statistics.json.partial"})
    std::filesystem::copy_file(file_, data + name);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info"}, {"validate"}, {"repair"}}) {
    std::vector<std::string> command = words;
    command.push_back(folder_ / "data");
    const Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, 0) << words.front() << outcome.err;
  }
  const Outcome alone = run_plimsoll({"info", folder_.path()});
  EXPECT_THAT(alone.err, HasSubstr("the directory contains no LB data files"));
}

TEST_F(InfoStatisticsFile, RejectsDamagedAndEmptyFiles) {
  const std::string cut = folder_.write("cut.json", two_phases().substr(0, 300));
  EXPECT_EQ(run_plimsoll({"info", cut}).status, 1);
  const std::string empty = folder_.write("empty.json", R"({"metadata":{"type":"LBStatsfile"},"phases":[]})");
  const Outcome outcome = run_plimsoll({"info", empty});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the LBStatsfile contains no phases"));
  const Outcome json = run_plimsoll({"info", empty, "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(json.err, outcome.err);
}

}  // namespace
}  // namespace plimsoll::testing
