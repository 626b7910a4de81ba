// Compares the recorded times with those that a program measures itself.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

#include "alltoallv/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;
using collectives::MpiSummary;

class RecordedTimes : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(RecordedTimes, AgreeWithTheProgramWithinTwoPercentOfTheWallTime) {
  constexpr int ranks = 2;
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = ranks,
                               .program = GetParam().program("timed_calls"),
                               .arguments = {folder.path()},
                               .environment = {{"PLIMSOLL_ALLTOALLV_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  const MpiSummary summary = collectives::summarize(calls);
  ASSERT_EQ(calls.ranks.size(), ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    double wall_s = 0;
    double in_mpi_s = 0;
    double outside_s = 0;
    std::ifstream(folder / ("times." + std::to_string(rank))) >> wall_s >> in_mpi_s >> outside_s;
    ASSERT_GT(outside_s, 0.5);
    const double tolerance_s = 0.02 * wall_s;
    EXPECT_NEAR(calls.ranks[rank].wall_s, wall_s, tolerance_s);
    EXPECT_NEAR(calls.ranks[rank].mpi_s, in_mpi_s, tolerance_s);
    EXPECT_NEAR(summary.ranks[rank].outside_s, outside_s, tolerance_s);
    double sites_s = 0;
    for (const MpiCalls::Function& function : calls.functions) sites_s += function.time_s[rank];
    EXPECT_NEAR(sites_s + outside_s, wall_s, tolerance_s);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RecordedTimes, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
