// Compares the recorded calls with what the programs expect at each of their calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;

/// Values by name, e.g. "MPI_Send at line 12", as text that shows differences well.
using Values = std::map<std::string, std::string>;
using Sums = std::map<std::string, std::vector<std::uint64_t>>;

Values text_of(const Sums& sums) {
  Values values;
  for (const auto& [name, numbers] : sums) values[name] = ::testing::PrintToString(numbers);
  return values;
}

void add(Sums& sums, const std::string& name, const std::vector<std::uint64_t>& numbers) {
  auto& sum = sums[name];
  sum.resize(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) sum[k] += numbers[k];
}

/// Returns the sums over all ranks of what the program expects.
Values expected(const std::string& folder, int ranks) {
  Sums sums;
  for (int rank = 0; rank < ranks; ++rank) {
    std::ifstream file(folder + "/expected." + std::to_string(rank));
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string first;
      std::string second;
      words >> first >> second;
      std::vector<std::uint64_t> numbers;
      for (std::uint64_t number = 0; words >> number;) numbers.push_back(number);
      add(sums, first.starts_with("MPI_") ? first + " at line " + second : first + " to " + second, numbers);
    }
  }
  return text_of(sums);
}

/// Returns calls, failed calls and bytes by function and line, and messages and bytes by pair of ranks.
Values recorded(const MpiCalls& calls) {
  Sums sums;
  for (const MpiCalls::Site& site : calls.sites)
    add(sums,
        calls.functions[site.function].name + " at line " +
            site.location.substr(site.location.rfind(':') + 1),
        {site.calls, site.failed_calls, site.sent_bytes, site.received_bytes});
  for (const MpiCalls::Traffic& traffic : calls.traffic)
    add(sums, std::to_string(traffic.from) + " to " + std::to_string(traffic.to),
        {traffic.messages, traffic.bytes});
  return text_of(sums);
}

std::multiset<std::string> sorted_lines(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

class EveryCall : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(EveryCall, IsRecordedWithItsDataAtItsLine) {
  constexpr int ranks = 3;
  const TemporaryFolder folder;
  MpiRun program = {.mpi = GetParam(),
                    .ranks = ranks,
                    .program = GetParam().programs + "every_call_" + GetParam().name,
                    .arguments = {folder.path()},
                    .options = "mpi",
                    .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}};
  const Outcome recorded_run = run(program);
  ASSERT_EQ(recorded_run.status, 0) << recorded_run.err;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  EXPECT_EQ(recorded(calls), expected(folder.path(), ranks));

  ASSERT_EQ(calls.ranks.size(), ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    double time_s = 0;
    for (const MpiCalls::Function& function : calls.functions) time_s += function.time_s[rank];
    EXPECT_NEAR(calls.ranks[rank].mpi_s, time_s, 1e-6);
    EXPECT_LE(calls.ranks[rank].mpi_s, 2 * calls.ranks[rank].wall_s);  // two threads
  }

  program.profiled = false;
  const Outcome plain_run = run(program);
  EXPECT_EQ(sorted_lines(plain_run.out), sorted_lines(recorded_run.out));
}

TEST_P(EveryCall, KeepsAnExistingFileUnlessItMayBeOverwritten) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mpi-calls.json") << "earlier";
  MpiRun program = {.mpi = GetParam(),
                    .ranks = 1,
                    .program = GetParam().programs + "every_call_" + GetParam().name,
                    .arguments = {},  // ends after MPI_Init
                    .options = "mpi",
                    .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}};
  EXPECT_THAT(run(program).err, ::testing::HasSubstr("MPI calls are not recorded"));
  EXPECT_EQ(file_content(folder / "mpi-calls.json"), "earlier");
  program.options = "mpi,overwrite";
  EXPECT_THAT(run(program).err, ::testing::HasSubstr("MPI calls recorded in"));
  EXPECT_EQ(collectives::read_mpi_calls(folder / "mpi-calls.json").sites.size(), 1U) << "MPI_Finalize";
}

INSTANTIATE_TEST_SUITE_P(Of, EveryCall, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
