// Compares the recorded calls with those that an independent library counted in the same run. It is made from
// mpi.h, so that it also counts functions that the profiler's own list lacks (counter/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;

/// Name of a function, path of the calling program or library, and return address in it.
using CallingPlace = std::tuple<std::string, std::string, std::uint64_t>;

struct CountedCalls {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< sent to peers in calls that the counter understands
};

std::map<CallingPlace, CountedCalls> counted_in(const std::string& folder) {
  std::map<CallingPlace, CountedCalls> sums;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    std::string function;
    std::string module;
    std::uint64_t offset = 0;
    CountedCalls counted;
    while (file >> function >> module >> std::hex >> offset >> std::dec >> counted.calls >> counted.bytes) {
      CountedCalls& sum = sums[{function, module, offset}];
      sum.calls += counted.calls;
      sum.bytes += counted.bytes;
    }
  }
  return sums;
}

/// Sums of the calls of a function.
using SumsOfFunctions = std::map<std::string, CountedCalls>;

/// Returns the sums of the recorded calls. The address of a site is the lowest one of its line, which may be
/// that of another function's call.
SumsOfFunctions recorded_in(const MpiCalls& calls, const std::map<CallingPlace, CountedCalls>& counted) {
  static const std::regex location(R"((.*?)(\(.*)? \[0x([0-9a-f]+)\].*)");
  std::set<std::pair<std::string, std::uint64_t>> addresses;
  for (const auto& [place, own] : counted) addresses.emplace(std::get<1>(place), std::get<2>(place));
  SumsOfFunctions sums;
  for (const MpiCalls::Site& site : calls.sites) {
    CountedCalls& sum = sums[calls.functions[site.function].name];
    sum.calls += site.calls;
    sum.bytes += site.sent_bytes;
    std::smatch parts;
    EXPECT_TRUE(std::regex_match(site.location, parts, location)) << site.location;
    EXPECT_TRUE(addresses.contains({parts[1], std::stoull(parts[3], nullptr, 16)})) << site.location;
  }
  return sums;
}

/// Whether a call of a function neither communicates nor waits, so that it need not be recorded.
bool is_local(const std::string& function) {
  static const std::regex local("MPI_(Comm_rank|Comm_size|Request_free|.*_init(_c)?)");
  return std::regex_match(function, local);
}

const std::vector<std::string> counted_programs = {
    "every_call",
#ifdef PLIMSOLL_TEST_FORTRAN
    "recorded_fortran_calls_mpif_h",
#endif
};

class CountedCallsOf : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

TEST_P(CountedCallsOf, AreRecordedWithTheirBytesAtTheirAddresses) {
  const auto& [mpi, program] = GetParam();
  constexpr int ranks = 3;
  const TemporaryFolder folder;
  const std::string counts = folder / "counts";
  std::filesystem::create_directory(counts);
  const Outcome outcome =
      run({.mpi = mpi,
           .ranks = ranks,
           .program = mpi.program(program),
           .arguments = {program == "every_call" ? folder.path() : folder / "new"},
           .options = "mpi",
           .preload_before = mpi.program("libcall_counter") + ".so",
           .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}, {"PLIMSOLL_COUNTED_CALLS", counts}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;

  const auto counted = counted_in(counts);
  const auto recorded = recorded_in(collectives::read_mpi_calls(folder / "mpi-calls.json"), counted);
  EXPECT_GE(recorded.size(), program == "every_call" ? 150U : 10U);
  SumsOfFunctions expected;
  for (const auto& [place, own] : counted) {
    CountedCalls& sum = expected[std::get<0>(place)];
    sum.calls += own.calls;
    sum.bytes += own.bytes;
  }
  if (program == "every_call") {
    expected["MPI_Barrier"].calls -= ranks;  // in a pause
    expected["MPI_Send"].bytes = 0;          // unknown, because one of its calls fails
  }
  std::set<std::string> unrecorded;
  for (const auto& [function, own] : expected) {
    const auto sum = recorded.find(function);
    if (sum == recorded.end()) {
      if (!is_local(function)) unrecorded.insert(function);
      continue;
    }
    EXPECT_EQ(sum->second.calls, own.calls) << function;
    EXPECT_TRUE(own.bytes == 0 || sum->second.bytes == own.bytes) << function << ' ' << own.bytes;
  }
  EXPECT_THAT(unrecorded, ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, CountedCallsOf,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::ValuesIn(counted_programs)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace plimsoll::testing
