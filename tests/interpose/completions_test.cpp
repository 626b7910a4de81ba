// Tests what is recorded of nonblocking and persistent collectives when they complete, with
// programs/completions.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "interpose/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::DataHashes;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Completions : public ::testing::TestWithParam<TestedMpi> {
 protected:
  static constexpr std::size_t ranks = 3;

  collectives::MergeResult record(const std::string& name, const std::string& options,
                                  const std::string& preload = {}) {
    auto merged = merged_run({.mpi = GetParam(),
                              .ranks = ranks,
                              .program = GetParam().program("completions"),
                              .arguments = {name},
                              .options = options,
                              .preload_after = preload});
    EXPECT_THAT(merged.findings, IsEmpty());
    return merged;
  }
};

// Blocking calls with the same data are the oracle.
TEST_P(Completions, RecordHashesOfReceivedDataInEveryFunction) {
  const auto merged = record("in_every_function", "content-hash");
  ASSERT_THAT(merged.profile.leads, SizeIs(1));
  std::map<std::string, std::vector<DataHashes>> hashes;
  for (const collectives::RankHashes& of_operation : merged.profile.leads[0].hashes)
    hashes[of_operation.operation.name()] = of_operation.values;
  constexpr std::size_t functions = 9;
  const std::vector<DataHashes>& expected = hashes["Alltoallv"];
  ASSERT_THAT(expected, SizeIs((functions + 1) * ranks));
  for (const char* operation : {"Ialltoallv", "Alltoallv_init"}) {
    const std::vector<DataHashes>& recorded = hashes[operation];
    ASSERT_THAT(recorded, SizeIs(expected.size())) << operation;
    for (std::size_t k = 0; k < functions * ranks; ++k)
      EXPECT_EQ(recorded[k], expected[k]) << operation << " in step " << k / ranks;
    // The profiler does not see that PMPI_Wait completes the last one.
    for (std::size_t k = functions * ranks; k < recorded.size(); ++k)
      EXPECT_EQ(recorded[k], (DataHashes{.sent = expected[k].sent, .received = 0})) << operation;
  }
}

/// Describes the calls that did not fail as "CALLS: COUNT".
std::string calls_of(const collectives::Profile& profile) {
  std::string text;
  for (const collectives::Lead& lead : profile.leads)
    for (const collectives::Signature& signature : lead.signatures)
      text += (text.empty() ? "" : "; ") + signature.calls.to_string() + ": " +
              std::to_string(signature.send.matrix.counts.at(0));
  return text;
}

/// Rank 1 receives less than rank 0 sends. MPICH does not report this error for nonblocking collectives, so
/// that a library reports it in its place.
class FailedCompletions : public Completions {
 protected:
  void expect(const std::string& name, const std::string& calls, std::uint64_t failed) {
    const std::string preload =
        GetParam().name == "mpich" ? GetParam().programs + "libtruncation_errors_mpich.so" : "";
    for (const char* options : {"counts", "counts,times", "counts,content-hash"}) {
      const auto merged = record(name, options, preload);
      EXPECT_EQ(calls_of(merged.profile), calls) << options;
      EXPECT_EQ(merged.profile.incomplete_calls, 0U);
      ASSERT_THAT(merged.profile.failed_calls, SizeIs(1)) << options;
      EXPECT_EQ(merged.profile.failed_calls[0].calls, failed) << options;
      EXPECT_TRUE(merged.profile.failed_calls[0].ranks.contains(1)) << options;
    }
  }
};

TEST_P(FailedCompletions, AreFailedCalls) {
  expect("failed_in_wait", "1: 3", 1);
}

TEST_P(FailedCompletions, AreFoundByTheirStatuses) {
  expect("failed_in_waitall", "0: 3", 1);
}

TEST_P(FailedCompletions, IncludeAllCallsWithoutStatuses) {
  expect("failed_in_waitall_without_statuses", "", 2);
}

TEST_P(FailedCompletions, FailStartedCalls) {
  expect("failed_after_start", "", 1);
}

INSTANTIATE_TEST_SUITE_P(EachMpi, FailedCompletions, ::testing::ValuesIn(tested_mpis()), name_of_mpi);
INSTANTIATE_TEST_SUITE_P(EachMpi, Completions, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
