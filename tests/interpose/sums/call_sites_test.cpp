// Tests that each call in the source code is one site, also of programs that compilers optimise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

#include "common/temporary_folder.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

class CallSites : public ::testing::TestWithParam<TestedMpi> {
 protected:
  /// Returns the sites of a program on two ranks.
  static collectives::MpiCalls record(const std::string& program) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = 2,
                                 .program = GetParam().program(program),
                                 .options = "mpi",
                                 .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return collectives::read_mpi_calls(folder / "mpi-calls.json");
  }

  /// Returns the short names of the sites that call a function.
  static std::vector<std::string> names_of(const collectives::MpiCalls& calls, const std::string& function) {
    std::vector<std::string> names;
    for (const auto& site : calls.sites)
      if (calls.functions[site.function].name == function)
        names.push_back(collectives::short_location(site.location));
    return names;
  }
};

TEST_P(CallSites, AreLinesAlsoIfALoopIsUnrolled) {
  const auto calls = record("source_lines");
  EXPECT_THAT(names_of(calls, "MPI_Allreduce"), ElementsAre("source_lines.c:13 (sum_of)"));
  for (const auto& site : calls.sites)
    if (calls.functions[site.function].name == "MPI_Allreduce") {
      EXPECT_EQ(site.calls, 16u) << "8 calls on each of 2 ranks";
      EXPECT_EQ(site.ranks, 2u);
      EXPECT_DOUBLE_EQ(site.time_s, site.max_time_s + site.min_time_s) << "times of ranks, not of addresses";
    }
}

TEST_P(CallSites, AreAddressesIfTheLineIsThatOfTheFunction) {
  constexpr auto name = "source_lines.c:7 \\(synchronise_twice\\+0x[0-9a-f]+, line of the function\\)";
  EXPECT_THAT(names_of(record("source_lines"), "MPI_Barrier"),
              ElementsAre(MatchesRegex(name), MatchesRegex(name)));
}

#ifdef SOURCE_LINES_IN_FORTRAN
TEST_P(CallSites, OfGfortranAreAddressesIfTheLineIsThatOfTheFunction) {
  const auto calls = record("fortran_source_lines");
  constexpr auto name = "source_lines.F90:6 \\(__stepping_MOD_step\\+0x[0-9a-f]+, line of the function\\)";
  EXPECT_THAT(names_of(calls, "MPI_Barrier"), UnorderedElementsAre(MatchesRegex(name), MatchesRegex(name)));
}
#endif

INSTANTIATE_TEST_SUITE_P(Of, CallSites, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
