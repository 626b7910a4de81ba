#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run of 8 s on 2 ranks, which are in MPI for these times in 8 windows of 1 s, and in two regions: "first"
/// are the first two windows.
MpiCalls run_with_parts(const std::vector<std::vector<double>>& mpi_s) {
  MpiCalls calls;
  calls.ranks = {{.host = "a", .wall_s = 8, .threads = 1}, {.host = "a", .wall_s = 8, .threads = 1}};
  calls.windows.length_s = 1;
  MpiCalls::Part first = {.wall_s = {2, 2}, .mpi_s = {0, 0}, .waited_s = {}};
  MpiCalls::Part rest = {.wall_s = {6, 6}, .mpi_s = {0, 0}, .waited_s = {}};
  for (std::size_t window = 0; window < mpi_s.size(); ++window) {
    calls.windows.parts.push_back({.wall_s = {1, 1}, .mpi_s = mpi_s[window], .waited_s = {}});
    for (std::size_t rank = 0; rank < 2; ++rank) {
      calls.ranks[rank].mpi_s += mpi_s[window][rank];
      (window < 2 ? first : rest).mpi_s[rank] += mpi_s[window][rank];
    }
  }
  calls.regions = {{"first", first}, {"the rest", rest}};
  return calls;
}

std::string summary_of(const MpiCalls& calls, const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  write_file(folder / collectives::mpi_calls_file_name, to_json(calls));
  std::vector<std::string> words = {"collectives", "summary", folder.path()};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_plimsoll(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

/// Returns the tables before that of MPI functions.
std::string tables_of(const MpiCalls& calls) {
  const std::string text = summary_of(calls);
  const std::size_t begin = std::min(text.find("\nRegions"), text.find("\nWindows"));
  const std::size_t end = text.find("\nMPI functions");
  return begin < end ? text.substr(begin, end - begin) : "";
}

TEST(PartTables, ShowRegionsAndWindowsWhoseEfficienciesDiffer) {
  std::vector<std::vector<double>> mpi_s(8, {0, 0});
  mpi_s[0] = mpi_s[1] = {0.5, 0};
  mpi_s[7] = {0.25, 0.25};
  EXPECT_EQ(tables_of(run_with_parts(mpi_s)),
            "\nRegions, each without those within it\n"
            "region    max time  of run  in MPI  parallel efficiency  load balance  communication\n"
            "--------  --------  ------  ------  -------------------  ------------  -------------\n"
            "the rest    6.00 s  75.0 %   4.2 %                0.958         1.000          0.958\n"
            "first       2.00 s  25.0 %  25.0 %                0.750         0.750          1.000\n"
            "Region \"first\" contains 66.7 % of the time in MPI, and 25.0 % of the run.\n"
            "\nWindows of time after MPI_Init\n"
            "  from      to  in MPI  parallel efficiency  load balance  communication\n"
            "------  ------  ------  -------------------  ------------  -------------\n"
            "   0 s  1.00 s  25.0 %                0.750         0.750          1.000\n"
            "1.00 s  2.00 s  25.0 %                0.750         0.750          1.000\n"
            "2.00 s  3.00 s   0.0 %                1.000         1.000          1.000\n"
            "3.00 s  4.00 s   0.0 %                1.000         1.000          1.000\n"
            "4.00 s  5.00 s   0.0 %                1.000         1.000          1.000\n"
            "5.00 s  6.00 s   0.0 %                1.000         1.000          1.000\n"
            "6.00 s  7.00 s   0.0 %                1.000         1.000          1.000\n"
            "7.00 s  8.00 s  25.0 %                0.750         1.000          0.750\n");
}

/// Returns the run above, recorded with the critical path: transfers cost half of the time in MPI.
MpiCalls run_with_ideal_times() {
  std::vector<std::vector<double>> mpi_s(8, {0, 0});
  mpi_s[0] = mpi_s[1] = {0.5, 0.5};
  MpiCalls calls = run_with_parts(mpi_s);
  calls.ideal_s = 7.5;
  for (MpiCalls::Part& window : calls.windows.parts) window.ideal_s = {1, 1};
  calls.windows.parts[0].ideal_s = calls.windows.parts[1].ideal_s = {0.75, 0.75};
  calls.regions[0].times.ideal_s = {1.5, 1.5};
  calls.regions[1].times.ideal_s = {6, 6};
  return calls;
}

TEST(PartTables, ShowSerialisationAndTransferIfTheyAreKnown) {
  const std::string text = tables_of(run_with_ideal_times());
  EXPECT_THAT(text, HasSubstr("communication  serialisation  transfer\n"));
  EXPECT_THAT(text,
              HasSubstr("load balance  communication  serialisation  transfer\n"
                        "--------  --------  ------  ------  -------------------  ------------  "
                        "-------------  -------------  --------\n"
                        "the rest    6.00 s  75.0 %   0.0 %                1.000         1.000          "
                        "1.000          1.000     1.000\n"
                        "first       2.00 s  25.0 %  50.0 %                0.500         1.000          "
                        "0.500          0.667     0.750\n"));
  EXPECT_THAT(text,
              HasSubstr("\n   0 s  1.00 s  50.0 %                0.500         1.000          0.500     "
                        "     0.667     0.750\n"));
  EXPECT_THAT(text, Not(HasSubstr("unknown")));
}

TEST(PartTables, SayWhySerialisationAndTransferOfPartsAreUnknown) {
  MpiCalls calls = run_with_ideal_times();
  for (MpiCalls::Region& region : calls.regions) region.times.ideal_s.clear();
  calls.regions_ideal_unknown = "other threads call MPI";
  EXPECT_THAT(tables_of(calls),
              HasSubstr("Serialisation and transfer of regions are unknown: other threads call MPI.\n"));
  for (MpiCalls::Part& window : calls.windows.parts) window.ideal_s.clear();
  EXPECT_THAT(tables_of(calls), HasSubstr("Serialisation and transfer of windows are unknown: an earlier "
                                          "version recorded them for the whole run only.\n"));
  calls.ideal_s.reset();
  EXPECT_THAT(tables_of(calls), Not(HasSubstr("unknown"))) << "those of the run are unknown, too";
}

// Rank 0 has 3 threads. The time of all threads in a window is 4 s.
TEST(PartTables, CountTheThreadsOfEachRankInWindows) {
  std::vector<std::vector<double>> mpi_s(8, {0, 0});
  mpi_s[0] = {3, 0};
  MpiCalls calls = run_with_parts(mpi_s);
  calls.ranks[0].threads = 3;
  EXPECT_THAT(tables_of(calls), HasSubstr("\n   0 s  1.00 s  75.0 %"));
}

TEST(PartTables, OmitWindowsWithSimilarEfficiencies) {
  std::vector<std::vector<double>> mpi_s(8, {0.1, 0.1});
  mpi_s[3] = {0.19, 0.19};
  const std::string text = tables_of(run_with_parts(mpi_s));
  EXPECT_THAT(text, HasSubstr("the rest"));
  EXPECT_THAT(text, Not(HasSubstr("Windows")));
  MpiCalls without_regions = run_with_parts(mpi_s);
  without_regions.regions.clear();
  EXPECT_EQ(tables_of(without_regions), "");
}

// A region that takes as much of the run as of the time in MPI tells nothing.
TEST(PartTables, NameNoRegionIfAllAreAlike) {
  EXPECT_THAT(tables_of(run_with_parts(std::vector<std::vector<double>>(8, {0.2, 0.4}))),
              Not(HasSubstr("contains")));
  std::vector<std::vector<double>> mpi_s(8, {0, 0});
  mpi_s[0] = {0.01, 0};
  EXPECT_THAT(tables_of(run_with_parts(mpi_s)), Not(HasSubstr("contains"))) << "MPI takes less than 1 %";
}

TEST(PartTables, ShowNumberOfRanksOfRegionsOnSomeRanks) {
  MpiCalls calls = run_with_parts(std::vector<std::vector<double>>(8, {0, 0}));
  EXPECT_THAT(tables_of(calls), Not(HasSubstr("ranks")));
  calls.regions[0].times.wall_s[1] = 0;
  calls.regions[0].name = "first\nforged line";
  EXPECT_THAT(tables_of(calls), HasSubstr("ranks  in MPI"));
  EXPECT_THAT(tables_of(calls), HasSubstr("\nfirst?forged line    2.00 s  12.5 %      1"));
}

TEST(PartTables, AreInTheDocument) {
  const Json document(
      summary_of(run_with_parts(std::vector<std::vector<double>>(8, {0.25, 0.5})), {"--json"}));
  EXPECT_EQ(document.size("/mpi/regions"), 2u);
  EXPECT_EQ(document.text("/mpi/regions/0/name"), "the rest");
  EXPECT_EQ(document.number("/mpi/regions/0/efficiencies/parallel"), 0.625);
  EXPECT_EQ(document.size("/mpi/windows"), 8u);
  EXPECT_EQ(document.number("/mpi/windows/7/end_s"), 8.0);
}

}  // namespace
}  // namespace plimsoll::testing
