// Tests that calls from Fortran are recorded as in C, for each Fortran interface. The program states the
// bytes of each call in a comment.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class RecordedFortranCalls : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

/// Returns "FUNCTION SENT RECEIVED" for each call with a comment, on 2 ranks. Lines are not compared, because
/// GCC does not know those of all calls.
std::vector<std::string> stated_calls() {
  std::vector<std::string> calls;
  std::ifstream file(FORTRAN_CALLS_SOURCE);
  for (std::string line; std::getline(file, line);) {
    const auto call = line.find("call ");
    const auto comment = line.find("! ");
    if (call == std::string::npos || comment == std::string::npos) continue;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::istringstream(line.substr(comment + 2)) >> sent >> received;
    calls.push_back(
        fmt::format("{} {} {}", line.substr(call + 5, line.find('(') - call - 5), 2 * sent, 2 * received));
  }
  return calls;
}

TEST_P(RecordedFortranCalls, HaveTheirDataAndTheirPlacesInTheProgram) {
  const auto& [mpi, interface] = GetParam();
  const TemporaryFolder folder;
  const Outcome outcome =
      run({.mpi = mpi,
           .ranks = 2,
           .program = mpi.programs + "recorded_fortran_calls_" + interface + "_" + mpi.name,
           .arguments = {folder / "new"},
           .options = "mpi",
           .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder.path()}}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "new"));
  const auto calls = collectives::read_mpi_calls(folder / "mpi-calls.json");
  std::vector<std::string> recorded;
  for (const auto& site : calls.sites) {
    EXPECT_EQ(site.calls, 2U) << site.location;
    EXPECT_THAT(site.location, ::testing::StartsWith(mpi.programs));
    recorded.push_back(
        fmt::format("{} {} {}", calls.functions[site.function].name, site.sent_bytes, site.received_bytes));
  }
  EXPECT_THAT(recorded, ::testing::UnorderedElementsAreArray(stated_calls()));
  using Traffic = collectives::MpiCalls::Traffic;
  EXPECT_THAT(calls.traffic, ::testing::ElementsAre(Traffic{0, 1, 3, 52}, Traffic{1, 0, 3, 52}));
}

INSTANTIATE_TEST_SUITE_P(Of, RecordedFortranCalls,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::Values("mpif_h", "mpi_module", "mpi_f08")),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace plimsoll::testing
