// Tests a program that mixes all kinds of communication. With the profiler, it must get the same results, and
// the profiler must never communicate on the program's communicators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <tuple>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* every_content = "counts,times,late-arrival,locations,backtraces,displacements";

// Returns the output of mixed_calls, which includes a hash of all received data.
std::string expected_output(const TestedMpi& mpi, int ranks) {
  const Outcome outcome =
      run({.mpi = mpi, .ranks = ranks, .program = mpi.program("mixed_calls"), .profiled = false});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out, "");
  return outcome.out;
}

using MpiAndRanks = std::tuple<TestedMpi, int>;

class ProgramResults : public ::testing::TestWithParam<MpiAndRanks> {};

TEST_P(ProgramResults, StayUnchangedWithEveryOption) {
  const auto& [mpi, ranks] = GetParam();
  const std::string expected = expected_output(mpi, ranks);
  std::vector<std::string> selections = {",limit=2"};
  if (ranks == 2) selections.emplace_back(",not-compact,legacy-text");
  if (ranks == 3) selections.emplace_back(",sample=3,first=1");
  for (const std::string& selection : selections) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = mpi,
                                 .ranks = ranks,
                                 .program = mpi.program("mixed_calls"),
                                 .options = every_content + selection + ",folder=" + folder.path()});
    EXPECT_EQ(outcome.status, 0) << selection << ": " << outcome.err;
    EXPECT_EQ(outcome.out, expected) << selection;
    EXPECT_FALSE(std::filesystem::is_empty(folder.path())) << selection;
  }
}

std::string name_of_mpi_and_ranks(const ::testing::TestParamInfo<MpiAndRanks>& info) {
  return std::get<TestedMpi>(info.param).name + "_" + std::to_string(std::get<int>(info.param));
}

INSTANTIATE_TEST_SUITE_P(With, ProgramResults,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()), ::testing::Values(2, 3, 8)),
                         name_of_mpi_and_ranks);

class ProfiledProgram : public ::testing::TestWithParam<TestedMpi> {};

Lines lines_of(const std::string& path) {
  std::istringstream text(file_content(path));
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The calls that programs/call_log.cpp logged on one rank.
struct CallLog {
  Lines application;  ///< calls of the program
  Lines mpi;          ///< calls that reach MPI
};

std::vector<CallLog> call_logs(const std::string& folder) {
  std::vector<CallLog> logs;
  for (const std::string& name : files_in(folder))
    if (name.starts_with("application."))
      logs.push_back(
          {lines_of(folder + "/" + name), lines_of(folder + "/mpi." + name.substr(name.find('.') + 1))});
  return logs;
}

bool is_on(const std::string& line, const std::string& communicator) {
  std::istringstream words(line);
  const Lines all{std::istream_iterator<std::string>(words), {}};
  return std::find(all.begin(), all.end(), communicator) != all.end();
}

// Checks the calls that reach MPI. In MPI_Init, the profiler makes only local calls until all ranks are known
// to have it, and then duplicates MPI_COMM_WORLD. It uses the duplicate before the program continues, and
// again only after the program calls MPI_Finalize. All other calls are those of the program, in the same
// order.
void expect_no_added_communication(CallLog log) {
  ASSERT_GT(log.application.size(), 3U);
  ASSERT_GT(log.mpi.size(), log.application.size());
  const std::string made = "Comm_dup world -> ";
  ASSERT_EQ(log.mpi[0], log.application[0]);
  const auto is_local = [](const std::string& line) { return line == "Iprobe self"; };
  log.mpi.erase(log.mpi.begin() + 1, std::find_if_not(log.mpi.begin() + 1, log.mpi.end(), is_local));
  ASSERT_GT(log.mpi.size(), log.application.size());
  ASSERT_EQ(log.mpi[1].substr(0, made.size()), made);
  Lines own = {log.mpi[1].substr(made.size())};  // the duplicate, and communicators made from it

  Lines others = {log.mpi[0]};
  for (std::size_t k = 2; k < log.mpi.size(); ++k) {
    const std::size_t still_to_come = log.application.size() - others.size();
    const bool program_runs = others.size() > 1 && still_to_come > 1;  // the last call is MPI_Finalize
    const std::string& line = log.mpi[k];
    const auto found =
        std::ranges::find_if(own, [&](const std::string& communicator) { return is_on(line, communicator); });
    if (found == own.end()) {
      others.push_back(line);
      continue;
    }
    EXPECT_FALSE(program_runs) << "line " << k + 1 << ": " << line;
    if (line.starts_with("Comm_free"))
      own.erase(found);  // the program may get the same handle
    else if (const auto arrow = line.find(" -> "); arrow != std::string::npos)
      own.push_back(line.substr(arrow + 4));
  }
  EXPECT_EQ(others, log.application);
}

TEST_P(ProfiledProgram, RunsWithoutAddedCommunication) {
  const TestedMpi& mpi = GetParam();
  const TemporaryFolder folder;
  const TemporaryFolder logs;
  const Outcome outcome = run({.mpi = mpi,
                               .program = mpi.program("mixed_calls"),
                               .options = every_content + (",limit=5,folder=" + folder.path()),
                               .preload_before = mpi.program("libapplication_call_log") + ".so",
                               .preload_after = mpi.program("libmpi_call_log") + ".so",
                               .environment = {{"PLIMSOLL_CALL_LOG", logs.path()}}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto of_ranks = call_logs(logs.path());
  ASSERT_EQ(of_ranks.size(), 4U);
  for (const CallLog& log : of_ranks) expect_no_added_communication(log);
}

INSTANTIATE_TEST_SUITE_P(With, ProfiledProgram, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
