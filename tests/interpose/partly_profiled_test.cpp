// Tests programs some of whose ranks lack the profiler: they must neither hang nor get other messages, and
// the other ranks are recorded. Runs with several programs must be recorded completely.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

class PartlyProfiled : public ::testing::TestWithParam<TestedMpi> {
 protected:
  Outcome run_partly(bool unprofiled_first) {
    return run({.mpi = GetParam(),
                .ranks = 2,
                .program = GetParam().program("any_message"),
                .options = "folder=" + folder_.path(),
                .unprofiled_ranks = 2,
                .unprofiled_first = unprofiled_first});
  }

  /// Returns the sizes of the communicators of all recorded calls.
  std::vector<std::uint32_t> recorded_sizes() const {
    std::vector<std::uint32_t> sizes;
    for (const collectives::Lead& lead : collectives::read({folder_.path()}).profile.leads)
      for (const collectives::Signature& signature : lead.signatures) sizes.push_back(signature.comm_size);
    std::ranges::sort(sizes);
    return sizes;
  }

  TemporaryFolder folder_;
};

TEST_P(PartlyProfiled, RunNamesRanksWithoutProfiler) {
  for (const bool unprofiled_first : {false, true}) {
    const Outcome outcome = run_partly(unprofiled_first);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string absent = unprofiled_first ? "(0, 1)" : "(2, 3)";
    EXPECT_EQ(occurrences(outcome.err, "2 of 4 ranks are not profiled " + absent), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("plimsoll collectives merge " + folder_.path()));
    EXPECT_THAT(files_in(folder_.path()), ::testing::SizeIs(2)) << "only the logs of two ranks";

    const Outcome merged = run_plimsoll({"collectives", "merge", "--remove-logs", "--force", folder_.path()});
    EXPECT_EQ(merged.status, 0) << merged.err;
    EXPECT_THAT(recorded_sizes(), ElementsAre(2)) << "the call of the profiled half";
    std::filesystem::remove_all(folder_.path());
  }
}

TEST_P(PartlyProfiled, RunWithSeveralProgramsIsRecordedByThePlimsollCommand) {
  const std::string program = GetParam().program("any_message");
  const Outcome outcome = run_plimsoll({"profile", "-o", folder_.path(), "--", GetParam().launcher, "-n", "2",
                                        program, ":", "-n", "2", program},
                                       {.environment = launcher_environment()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("not profiled")));
  EXPECT_THAT(recorded_sizes(), ElementsAre(2, 2, 4));
}

INSTANTIATE_TEST_SUITE_P(Of, PartlyProfiled, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
