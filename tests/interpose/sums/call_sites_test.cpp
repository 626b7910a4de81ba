// Tests that each call in the source code is one site, also of programs that compilers optimise.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_callers.hpp>
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
  static collectives::MpiCalls record(const std::string& program, const std::string& options = "") {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = 2,
                                 .program = GetParam().program(program),
                                 .options = "mpi" + options,
                                 .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return collectives::read_mpi_calls(folder / "mpi-calls.json");
  }

  static collectives::MpiCalls record_python(const std::string& program) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = 2,
                                 .program = PYTHON,
                                 .arguments = {PYTHON_PROGRAMS "/" + program},
                                 .options = "mpi,depth=12",
                                 .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return collectives::read_mpi_calls(folder / "mpi-calls.json");
  }

  /// Returns the only site of a program besides that of MPI_Finalize.
  static collectives::MpiCalls::Site only_site(const collectives::MpiCalls& calls) {
    EXPECT_EQ(calls.sites.size(), 2u);
    const auto site = std::ranges::find_if(
        calls.sites, [&](const auto& each) { return calls.functions[each.function].name != "MPI_Finalize"; });
    return site == calls.sites.end() ? collectives::MpiCalls::Site() : *site;
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

TEST_P(CallSites, ContainAllCallsAtALine) {
  EXPECT_THAT(names_of(record("source_lines"), "MPI_Barrier"),
              ElementsAre("source_lines.c:7 (synchronise_twice)"));
}

#ifdef SOURCE_LINES_IN_FORTRAN
// It knows the lines if the module of MPI does not declare the procedure, as MPICH's does not.
TEST_P(CallSites, OfGfortranAreAddressesIfTheLineIsThatOfStatementsAroundThem) {
  constexpr auto in_function =
      "source_lines.F90:7 \\(__stepping_MOD_step\\+0x[0-9a-f]+, line of the function\\)";
  constexpr auto in_branch =
      "source_lines.F90:14 \\(__stepping_MOD_step\\+0x[0-9a-f]+, line of several calls\\)";
  const auto at = [](int line, const char* or_else) {
    return ::testing::AnyOf(fmt::format("source_lines.F90:{} (__stepping_MOD_step)", line),
                            MatchesRegex(or_else));
  };
  EXPECT_THAT(
      names_of(record("fortran_source_lines"), "MPI_Barrier"),
      UnorderedElementsAre(at(12, in_function), at(15, in_branch), at(17, in_branch), at(20, in_function)));
}
#endif

/// Returns "CALLS PLACE" for callers, and for their own callers after "<".
std::vector<std::string> lines_of(const std::vector<collectives::Caller>& callers) {
  std::vector<std::string> lines;
  for (const auto& caller : callers) {
    lines.push_back(std::to_string(caller.calls) + " " + collectives::short_location(caller.location));
    for (const std::string& line : lines_of(caller.callers)) lines.push_back("< " + line);
  }
  return lines;
}

// The program does not use frame pointers, and one of its functions has a frame of variable size.
TEST_P(CallSites, InWrappersHaveCallers) {
  const auto site = only_site(record("wrapped_calls"));
  EXPECT_EQ(site.calls, 2u * 22);
  EXPECT_THAT(lines_of(collectives::callers_of(site)),
              UnorderedElementsAre("12 wrapped_calls.c:17 (step)", "18 wrapped_calls.c:22 (check)",
                                   "< 6 wrapped_calls.c:41 (main)", "< 12 wrapped_calls.c:42 (main)",
                                   "14 wrapped_calls.c:33 (with_array)"));
  double time_s = 0;
  double waited_s = 0;
  std::uint64_t known_calls = 0;
  std::uint64_t bytes = 0;
  for (const auto& stack : site.callers) {
    time_s += stack.time_s;
    known_calls += stack.calls;
    ASSERT_TRUE(stack.waited_s && stack.sent_bytes && stack.received_bytes);
    waited_s += *stack.waited_s;
    bytes += *stack.sent_bytes + *stack.received_bytes;
  }
  EXPECT_EQ(known_calls, site.calls);
  EXPECT_NEAR(time_s, site.time_s, 1e-6 * site.time_s);
  EXPECT_EQ(bytes, site.sent_bytes + site.received_bytes);
  EXPECT_NEAR(waited_s, site.waited_s.value(), 1e-6 * site.time_s);
}

TEST_P(CallSites, HaveThePythonCodeThatCallsThem) {
  const auto site = only_site(record_python("python_calls.py"));
  const auto callers = collectives::callers_of(site);
  ASSERT_EQ(callers.size(), 1u);
  EXPECT_EQ(collectives::short_location(callers[0].location), "python_calls.py:15 (synchronise)");
  EXPECT_EQ(callers[0].calls, 8u) << "4 on each rank";
  ASSERT_EQ(callers[0].callers.size(), 2u);
  std::map<std::string, std::uint64_t> outer;
  for (const collectives::Caller& caller : callers[0].callers)
    outer[collectives::short_location(caller.location)] = caller.calls;
  EXPECT_EQ(outer["python_calls.py:20 (Solver.step)"], 6u);
  EXPECT_EQ(outer["python_calls.py:26 (<module>)"], 2u);
}

// The profiler must not run code of the program, whose calls it would take for its own.
TEST_P(CallSites, ContainTheCallsOfPythonFinalizers) {
  EXPECT_EQ(only_site(record_python("python_finalizers.py")).calls, 2u * 2 * 3000);
}

TEST_P(CallSites, HaveAsManyCallersAsWanted) {
  const auto callers = only_site(record("wrapped_calls", ",depth=2")).callers;
  EXPECT_EQ(callers.size(), 3u);
  for (const auto& stack : callers) EXPECT_EQ(stack.locations.size(), 1u);
  EXPECT_THAT(only_site(record("wrapped_calls", ",depth=1")).callers, ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, CallSites, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
